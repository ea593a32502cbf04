package officialaccount_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

var (
	shopApp = wechat.App{ID: "wx00112233445566ff", Secret: "secret"}
	newsApp = wechat.App{ID: "wx99887766554433ff", Secret: "another"}
)

// newPlatform is a WeChat in memory with two accounts. Three people follow the shop; a fourth, dave, has left, and bob
// has not written to it lately.
func newPlatform() *mock.Server {
	s := mock.NewServer(officialaccount.Endpoints()...)
	s.App(shopApp)
	s.App(newsApp)
	s.Followers(shopApp.ID, "alice", "bob", "carol", "dave")
	s.Unfollow("dave")
	s.Handle("SendCustomMessage", func(c mock.Call) mock.Reply {
		if slices.Contains(c.Recipients, "bob") {
			return mock.Reply{Code: 45015}
		}
		return mock.Reply{}
	})
	s.Handle("GetOAuthAccessToken", func(mock.Call) mock.Reply {
		return mock.Reply{JSON: officialaccount.OAuthAccessToken{AccessToken: "alice's", OpenID: "alice", Scope: "snsapi_base", ExpiresIn: 7200}}
	})
	return s
}

// begin is what a program does once, at its start.
func begin() (context.Context, *officialaccount.Client) {
	client := wechat.New(newPlatform().Options()...)
	return context.Background(), officialaccount.New(client, shopApp)
}

// A message to one person, and what its error means to the program.
func Example() {
	ctx, oa := begin()

	tell := func(openID string) string {
		_, err := oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{
			ToUser:     openID,
			TemplateID: "paid",
			Data:       map[string]officialaccount.TemplateValue{"amount1": {Value: "¥88.00"}},
		})
		switch {
		case err == nil:
			return "sent"
		case errors.Is(err, wechat.ErrOutcomeUnknown):
			return "perhaps sent: do not send again blindly"
		case errors.Is(err, wechat.ErrUnreachable):
			return "not following: do not try again"
		}
		if after, ok := wechat.RetryAfter(err); ok {
			return fmt.Sprintf("again in %v", after)
		}
		return err.Error()
	}
	fmt.Println(tell("alice"))
	fmt.Println(tell("dave"))
	// Output:
	// sent
	// not following: do not try again
}

// Two accounts share a client, each with limits of its own.
func ExampleNew() {
	ctx, client := context.Background(), wechat.New(newPlatform().Options()...)

	shop := shopApp
	shop.Limits = ratelimit.Limits{ // plain data: it may come from a file
		App:       []ratelimit.Limit{ratelimit.PerSecond(100)},
		Endpoints: map[string][]ratelimit.Limit{"SendTemplateMessage": {ratelimit.PerDay(80_000)}},
		Recipient: []ratelimit.Limit{ratelimit.PerMinute(1)},
		MaxWait:   -1, // fail at once; by default a call waits for its turn
	}
	for _, app := range []wechat.App{shop, newsApp} { // newsApp has the endpoints' own: four a minute to a person
		if err := wechat.Verify(app, officialaccount.Endpoints()...); err != nil { // misspelt names, limits that never grant
			fmt.Println(err)
		}
		oa := officialaccount.New(client, app)
		for range 2 {
			_, err := oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{
				ToUser: "carol", TemplateID: "t", Data: map[string]officialaccount.TemplateValue{"thing1": {Value: "news"}},
			})
			after, _ := wechat.RetryAfter(err)
			fmt.Println(err == nil, errors.Is(err, wechat.ErrRateLimited), after.Round(time.Minute))
		}
	}
	// Output:
	// true false 0s
	// false true 1m0s
	// true false 0s
	// true false 0s
}

// One message to each person of a list.
func ExampleClient_SendTemplateMessage() {
	ctx, oa := begin()

	ctx = wechat.ContextWithPriority(ctx, ratelimit.Background) // behind live traffic
	var sent, gone, failed atomic.Int64
	var list errgroup.Group
	list.SetLimit(100)
	for _, openID := range []string{"alice", "bob", "carol", "dave"} {
		list.Go(func() error {
			// The client waits for turns, keeps to what the server sustains and repeats what may be repeated.
			_, err := oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{
				ToUser:     openID,
				TemplateID: "shipped",
				URL:        "https://shop.example.com/orders?who=" + openID,
				Data: map[string]officialaccount.TemplateValue{
					"thing1": {Value: "龙井茶"},
					"date2":  {Value: "2026-03-01"},
				},
			})
			switch {
			case err == nil:
				sent.Add(1)
			case errors.Is(err, wechat.ErrOutcomeUnknown):
				failed.Add(1) // may have arrived: not again without a look
			case errors.Is(err, wechat.ErrUnreachable):
				gone.Add(1) // does not follow any more: off the list
			case errors.Is(err, wechat.ErrQuotaExhausted):
				return err // nothing more goes out today
			default:
				failed.Add(1)
			}
			return nil
		})
	}
	if err := list.Wait(); err != nil {
		after, _ := wechat.RetryAfter(err)
		fmt.Println("the rest goes out in", after)
	}
	fmt.Println("sent", sent.Load(), "gone", gone.Load(), "failed", failed.Load())
	// Output: sent 3 gone 1 failed 0
}

// A notice to a person who agreed to one.
func ExampleClient_SendSubscribeNotice() {
	ctx, oa := begin()

	err := oa.SendSubscribeNotice(ctx, &officialaccount.SubscribeNotice{
		ToUser:     "alice",
		TemplateID: "course",
		Page:       "https://school.example.com/courses/7",
		Data: map[string]officialaccount.NoticeValue{
			"thing1": {Value: "Calligraphy"},
			"time2":  {Value: "2026-03-01 19:00"},
		},
	})
	switch {
	case err == nil:
		fmt.Println("taken; a subscribe_msg_sent_event tells the outcome")
	case errors.Is(err, wechat.Code(43101)):
		fmt.Println("no consent is left")
	default:
		fmt.Println(err)
	}
	// Output: taken; a subscribe_msg_sent_event tells the outcome
}

// Answers to people who wrote to the account.
func ExampleClient_SendCustomMessage() {
	ctx, oa := begin()

	for _, openID := range []string{"alice", "bob"} {
		answer := officialaccount.TextMessage(openID, `It is on its way: <a href="https://shop.example.com/7">order 7</a>`)
		err := oa.SendCustomMessage(ctx, answer.From("anna@shop"))
		switch {
		case err == nil:
			fmt.Println(openID, "has it")
		case errors.Is(err, wechat.Code(45015)):
			fmt.Println(openID, "has not written for 48 hours")
		case errors.Is(err, wechat.Code(45047)):
			fmt.Println(openID, "has to write first: five answers are out")
		default:
			fmt.Println(err)
		}
	}
	// Output:
	// alice has it
	// bob has not written for 48 hours
}

// A menu for everybody, and another for those who carry a tag.
func ExampleClient_CreateMenu() {
	ctx, oa := begin()

	menu := officialaccount.Menu{Button: []officialaccount.Button{
		{Type: officialaccount.ButtonView, Name: "Shop", URL: "https://shop.example.com/?from=menu&v=2"},
		{Name: "More", SubButton: []officialaccount.SubButton{
			{Type: officialaccount.ButtonClick, Name: "My orders", Key: "ORDERS"},
			{Type: officialaccount.ButtonLocation, Name: "Find a shop", Key: "WHERE"},
		}},
	}}
	if err := oa.CreateMenu(ctx, &menu); err != nil {
		fmt.Println(err)
		return
	}
	menu.Button[0].Name = "Gold shop"
	if _, err := oa.AddConditionalMenu(ctx, &officialaccount.ConditionalMenu{
		Menu: menu, MatchRule: officialaccount.MatchRule{TagID: "2"},
	}); err != nil {
		fmt.Println(err)
		return
	}
	seen, err := oa.TryMatchMenu(ctx, &officialaccount.TryMatchMenuRequest{UserID: "alice"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("alice sees:", seen.Button[0].Name)
	// Output: alice sees: Shop
}

// All followers, fifty at a time, get a tag.
func ExampleClient_AllFollowers() {
	ctx, oa := begin()

	created, err := oa.CreateTag(ctx, &officialaccount.CreateTagRequest{Tag: officialaccount.TagName{Name: "spring"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var followers []string
	for openID, err := range oa.AllFollowers(ctx) { // page after page
		if err != nil {
			fmt.Println(err)
			return
		}
		followers = append(followers, openID)
	}
	for fifty := range slices.Chunk(followers, 50) {
		if _, err := oa.TagUsers(ctx, &officialaccount.TagUsersRequest{OpenIDList: fifty, TagID: created.Tag.ID}); err != nil {
			fmt.Println(err)
			return
		}
	}
	tags, err := oa.ListTags(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tag := range tags.Tags {
		fmt.Println(tag.Name, tag.Count)
	}
	// Output:
	// 星标组 0
	// spring 3
}

// A file for three days, and one to keep.
func ExampleClient_UploadTempMedia() {
	ctx, oa := begin()

	picture := wechat.FileOf("tea.png", []byte("\x89PNG ...")) // or wechat.FileAt("tea.png")
	temporary, err := oa.UploadTempMedia(ctx, &officialaccount.UploadTempMediaRequest{Type: officialaccount.MediaImage, Media: picture})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := oa.SendCustomMessage(ctx, officialaccount.ImageMessage("alice", temporary.MediaID)); err != nil {
		fmt.Println(err)
	}
	media, err := oa.GetTempMedia(ctx, &officialaccount.TempMediaID{MediaID: temporary.MediaID})
	if errors.Is(err, wechat.Code(40007)) {
		fmt.Println("older than three days: upload it again")
		return
	}
	fmt.Println(media.File.Name, media.File.ContentType, len(media.File.Data))

	kept, err := oa.AddMaterial(ctx, &officialaccount.AddMaterialRequest{Type: officialaccount.MediaImage, Media: picture})
	if err != nil {
		fmt.Println(err)
		return
	}
	for item, err := range oa.AllMaterials(ctx, officialaccount.MediaImage) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(item.Name, item.MediaID == kept.MediaID)
	}
	// Output:
	// tea.png image/png 8
	// tea.png true
}

// An article is written, published and read back.
func ExampleClient_SubmitPublish() {
	ctx, oa := begin()

	cover, err := oa.AddMaterial(ctx, &officialaccount.AddMaterialRequest{
		Type: officialaccount.MediaThumb, Media: wechat.FileOf("cover.jpg", []byte("...")),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	draft, err := oa.AddDraft(ctx, &officialaccount.AddDraftRequest{Articles: []officialaccount.Article{{
		Title: "First flush", Content: "<p>The tea of the spring &amp; its makers.</p>", ThumbMediaID: cover.MediaID,
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	job, err := oa.SubmitPublish(ctx, draft)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	published, err := oa.WaitPublish(ctx, job.PublishID)
	if errors.Is(err, officialaccount.ErrJobFailed) {
		fmt.Println("refused: state", published.PublishStatus, "articles", published.FailIdx)
		return
	} else if err != nil {
		fmt.Println(err)
		return
	}
	article, err := oa.GetPublishedArticle(ctx, &officialaccount.ArticleID{ArticleID: published.ArticleID})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(article.NewsItem[0].Title)
	// Output: First flush
}

// A message to all followers.
func ExampleClient_SendMassMessageByTag() {
	ctx, oa := begin()

	receipt, err := oa.SendMassMessageByTag(ctx, &officialaccount.MassMessageByTag{
		Filter:      officialaccount.MassFilter{IsToAll: true},
		MassContent: officialaccount.MassText("Closed on Monday."),
		ClientMsgID: "closed-2026-03-02", // goes out once in 24 hours, however often the program runs
	})
	switch {
	case errors.Is(err, wechat.Code(45028)):
		fmt.Println("the quota of mass messages is used up")
		return
	case err != nil:
		fmt.Println(err)
		return
	case receipt.AlreadySent():
		fmt.Println("an earlier run has sent it")
	}
	status, err := oa.WaitMassMessage(ctx, receipt.MsgID) // the counts come with the MASSSENDJOBFINISH event
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(status.MsgStatus)
	// Output: SEND_SUCCESS
}

// A QR code that tells where a follower came from.
func ExampleClient_CreateQRCode() {
	ctx, oa := begin()

	code, err := oa.CreateQRCode(ctx, officialaccount.TempStrQRCode("table-7", 24*time.Hour)) // or PermanentStrQRCode
	if err != nil {
		fmt.Println(err)
		return
	}
	picture, err := oa.ShowQRCode(ctx, &officialaccount.ShowQRCodeRequest{Ticket: code.Ticket})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(picture.ContentType, code.ExpireSeconds) // code.URL is what it says, for a picture of one's own
	// Output: image/jpeg 86400
}

// A web page inside WeChat learns who its visitor is.
func ExampleClient_OAuthURL() {
	ctx, oa := begin()

	link := oa.OAuthURL("https://shop.example.com/login", officialaccount.ScopeBase, "state7") // redirect the visitor there
	u, err := url.Parse(link)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(u.Host, u.Query().Get("scope"))

	// The visitor comes back to https://shop.example.com/login?code=...&state=state7: compare the state, then:
	visitor, err := oa.GetOAuthAccessToken(ctx, &officialaccount.GetOAuthAccessTokenRequest{Code: "CODE"})
	switch {
	case errors.Is(err, wechat.Code(40163)), errors.Is(err, wechat.Code(40029)), errors.Is(err, wechat.ErrOutcomeUnknown):
		fmt.Println("the code is used up: redirect again")
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println("hello,", visitor.OpenID)
	}
	// Output:
	// open.weixin.qq.com snsapi_base
	// hello, alice
}

// A web page is signed for the JS-SDK. The ticket behind the signature is fetched once in two hours.
func ExampleClient_SignJSAPI() {
	ctx, oa := begin()

	signature, err := oa.SignJSAPI(ctx, "https://shop.example.com/cart?id=7") // location.href of the page
	if err != nil {
		fmt.Println(err)
		return
	}
	// Its JSON has the names of wx.config: appId, timestamp, nonceStr, signature.
	fmt.Println(signature.AppID, len(signature.Signature))
	// Output: wx00112233445566ff 40
}
