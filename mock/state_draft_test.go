package mock_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	oa "github.com/seed175cf469/wechat/officialaccount"
)

// cover stores a picture and returns its id.
func cover(t *testing.T, c *oa.Client) string {
	t.Helper()
	return must[*oa.AddMaterialReply](t)(c.AddMaterial(t.Context(), &oa.AddMaterialRequest{Type: oa.MediaThumb, Media: fileOf("c.jpg", "x")})).MediaID
}

func article(title, thumb string) oa.Article {
	return oa.Article{Title: title, Content: "<p>a & b</p>", ThumbMediaID: thumb}
}

func TestDrafts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := official(once)
		ctx := t.Context()
		thumb := cover(t, c)
		add := func(articles ...oa.Article) (string, error) {
			r, err := c.AddDraft(ctx, &oa.AddDraftRequest{Articles: articles})
			if err != nil {
				return "", err
			}
			return r.MediaID, nil
		}
		id := must[string](t)(add(article("one", thumb), article("two", thumb)))
		time.Sleep(time.Hour)
		wantCode(t, c.UpdateDraft(ctx, &oa.UpdateDraftRequest{MediaID: id, Index: 1, Article: article("zwei", thumb)}), 0)
		got := must[*oa.GetDraftReply](t)(c.GetDraft(ctx, &oa.MediaID{MediaID: id})).NewsItem
		if len(got) != 2 || got[0].Title != "one" || got[1].Title != "zwei" || got[0].Content != "<p>a & b</p>" || got[0].ThumbURL == "" ||
			got[0].URL == "" || got[0].ArticleType != oa.ArticleNews {
			t.Errorf("the draft is %+v", got)
		}
		wantCode(t, c.UpdateDraft(ctx, &oa.UpdateDraftRequest{MediaID: id, Index: 2, Article: article("three", thumb)}), 40114)
		for range 22 {
			must[string](t)(add(article("more", thumb)))
		}
		wantEqual(t, "drafts", must[*oa.CountDraftsReply](t)(c.CountDrafts(ctx)).TotalCount, 23)
		all := collect(t, c.AllDrafts(ctx))
		if last := all[len(all)-1]; len(all) != 23 || last.MediaID != id || last.UpdateTime != last.Content.CreateTime+3600 || last.Content.NewsItem[1].Title != "zwei" {
			t.Errorf("%d drafts, the last %+v", len(all), last)
		}
		short := must[*oa.ListDraftsReply](t)(c.ListDrafts(ctx, &oa.ListArticlesRequest{Count: 1, NoContent: 1}))
		if a := short.Item[0].Content.NewsItem[0]; short.TotalCount != 23 || short.ItemCount != 1 || a.Content != "" || a.Title != "more" {
			t.Errorf("without content: %+v", short)
		}
		_, err := c.ListDrafts(ctx, &oa.ListArticlesRequest{Count: 21})
		wantCode(t, err, 40097)
		wantCode(t, c.DeleteDraft(ctx, &oa.MediaID{MediaID: id}), 0)
		wantCode(t, c.DeleteDraft(ctx, &oa.MediaID{MediaID: id}), 40007)
		_, err = c.GetDraft(ctx, &oa.MediaID{MediaID: id})
		wantCode(t, err, 40007)
		wantCode(t, c.UpdateDraft(ctx, &oa.UpdateDraftRequest{MediaID: id, Article: article("x", thumb)}), 40007)
	})
}

func TestArticlesThatAreRefused(t *testing.T) {
	_, c := official(once)
	ctx := t.Context()
	thumb := cover(t, c)
	add := func(a oa.Article) error {
		_, err := c.AddDraft(ctx, &oa.AddDraftRequest{Articles: []oa.Article{a}})
		return err
	}

	pictures := oa.Article{ArticleType: oa.ArticleNewsPic, Title: "p", Content: "text", ImageInfo: &oa.ImageInfo{ImageList: []oa.ArticleImage{{ImageMediaID: thumb}}}}
	wantCode(t, add(pictures), 0)
	pictures.ImageInfo = &oa.ImageInfo{}
	with := func(change func(*oa.Article)) oa.Article {
		a := article("t", thumb)
		change(&a)
		return a
	}
	for name, tt := range map[string]struct {
		code    wechat.Code
		article oa.Article
	}{
		"no pictures":    {40007, pictures},
		"no cover":       {40007, article("t", "")},
		"unknown cover":  {40007, article("t", "nothing")},
		"long title":     {45003, article(strings.Repeat("题", 33), thumb)},
		"long author":    {45110, with(func(a *oa.Article) { a.Author = strings.Repeat("人", 17) })},
		"long digest":    {45004, with(func(a *oa.Article) { a.Digest = strings.Repeat("x", 129) })},
		"no content":     {44003, with(func(a *oa.Article) { a.Content = "" })},
		"long content":   {45002, with(func(a *oa.Article) { a.Content = strings.Repeat("x", 20_000) })},
		"longest fields": {0, with(func(a *oa.Article) { a.Title, a.Content = strings.Repeat("题", 32), strings.Repeat("x", 19_999) })},
	} {
		t.Run(name, func(t *testing.T) {
			wantCode(t, add(tt.article), tt.code)
		})
	}
}

func TestPublishing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := official(once)
		ctx := t.Context()
		thumb := cover(t, c)
		publish := func(titles ...string) *oa.SubmitPublishReply {
			var articles []oa.Article
			for _, title := range titles {
				articles = append(articles, article(title, thumb))
			}
			draft := must[*oa.MediaID](t)(c.AddDraft(ctx, &oa.AddDraftRequest{Articles: articles}))
			job := must[*oa.SubmitPublishReply](t)(c.SubmitPublish(ctx, draft))
			_, err := c.SubmitPublish(ctx, draft)
			wantCode(t, err, 40007)
			return job
		}
		status := func(id int64) *oa.GetPublishStatusReply {
			return must[*oa.GetPublishStatusReply](t)(c.GetPublishStatus(ctx, &oa.GetPublishStatusRequest{PublishID: id}))
		}
		first := publish("one", "two")
		if first.PublishID == 0 || first.MsgDataID == 0 || status(first.PublishID).PublishStatus != oa.PublishDone {
			t.Errorf("the job is %+v, %+v", first, status(first.PublishID))
		}

		s.JobTime(5 * time.Second)
		second := publish("three")
		if p := status(second.PublishID); p.PublishStatus != oa.PublishRunning || p.ArticleID != "" || p.ArticleDetail.Count != 0 {
			t.Errorf("a job under way is %+v", p)
		}
		wantEqual(t, "articles while a job is under way", len(collect(t, c.AllPublishedArticles(ctx))), 1)
		began := time.Now()
		done := must[*oa.GetPublishStatusReply](t)(c.WaitPublish(ctx, second.PublishID))
		if waited := time.Since(began); waited < 5*time.Second || done.ArticleID == "" || done.ArticleDetail.Count != 1 || done.ArticleDetail.Item[0].Idx != 1 {
			t.Errorf("after %v: %+v", waited, done)
		}

		all := collect(t, c.AllPublishedArticles(ctx))
		if len(all) != 2 || all[0].ArticleID != done.ArticleID || all[1].Content.NewsItem[1].Title != "two" || all[0].Content.NewsItem[0].URL != done.ArticleDetail.Item[0].ArticleURL {
			t.Errorf("published are %+v", all)
		}
		wantCode(t, c.DeletePublishedArticle(ctx, &oa.DeletePublishedArticleRequest{ArticleID: all[1].ArticleID, Index: 2}), 0)
		items := must[*oa.GetPublishedArticleReply](t)(c.GetPublishedArticle(ctx, &oa.ArticleID{ArticleID: all[1].ArticleID})).NewsItem
		if items[0].IsDeleted || !items[1].IsDeleted || items[0].Content == "" {
			t.Errorf("with one deleted: %+v", items)
		}
		wantCode(t, c.DeletePublishedArticle(ctx, &oa.DeletePublishedArticleRequest{ArticleID: all[1].ArticleID}), 0)
		_, err := c.GetPublishedArticle(ctx, &oa.ArticleID{ArticleID: all[1].ArticleID})
		wantCode(t, err, 53600)
		wantEqual(t, "the job of what was deleted", status(first.PublishID).PublishStatus, oa.PublishDeleted)
		wantEqual(t, "published", len(collect(t, c.AllPublishedArticles(ctx))), 1)
		_, err = c.GetPublishStatus(ctx, &oa.GetPublishStatusRequest{PublishID: 999_999})
		wantCode(t, err, 40097)

		s.Script("GetPublishStatus", mock.Reply{JSON: map[string]any{"publish_id": 1, "publish_status": 1}},
			mock.Reply{JSON: map[string]any{"publish_id": 1, "publish_status": 2, "fail_idx": []int{1}}})
		if last, err := c.WaitPublish(ctx, 1); !errors.Is(err, oa.ErrJobFailed) || last.FailIdx[0] != 1 {
			t.Errorf("a job that failed: %+v, %v", last, err)
		}
	})
}

func TestMassMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := official(once)
		s.JobTime(2 * time.Second)
		ctx := t.Context()
		draft := must[*oa.MediaID](t)(c.AddDraft(ctx, &oa.AddDraftRequest{Articles: []oa.Article{article("a", cover(t, c))}}))
		send := func(content oa.MassContent, key string) (*oa.MassReceipt, error) {
			return c.SendMassMessageByTag(ctx, &oa.MassMessageByTag{Filter: oa.MassFilter{IsToAll: true}, MassContent: content, ClientMsgID: key})
		}
		first := must[*oa.MassReceipt](t)(send(oa.MassArticles(draft.MediaID), "k"))
		if first.MsgID == 0 || first.MsgDataID == 0 || first.AlreadySent() {
			t.Errorf("the receipt is %+v", first)
		}
		_, err := send(oa.MassArticles(draft.MediaID), "other") // it is no draft any more
		wantCode(t, err, 40007)
		status := must[*oa.GetMassMessageStatusReply](t)(c.WaitMassMessage(ctx, first.MsgID))
		wantEqual(t, "state", status.MsgStatus, oa.MassSent)

		many := &oa.MassMessageByOpenIDs{ToUser: []string{openID(1)}, MassContent: oa.MassText("hi")}
		_, err = c.SendMassMessageByOpenIDs(ctx, many)
		wantCode(t, err, 40130)
		many.ToUser = append(many.ToUser, openID(2))
		second := must[*oa.MassReceipt](t)(c.SendMassMessageByOpenIDs(ctx, many))
		if second.MsgID == first.MsgID || second.MsgDataID != 0 {
			t.Errorf("the receipt is %+v", second)
		}
		wantEqual(t, "delivered", len(s.Delivered(openID(2))), 1)
		_, err = c.SendMassMessageByTag(ctx, &oa.MassMessageByTag{Filter: oa.MassFilter{TagID: 100}, MassContent: oa.MassText("hi")})
		wantCode(t, err, 40152)

		wantCode(t, c.DeleteMassMessage(ctx, &oa.DeleteMassMessageRequest{MsgID: second.MsgID}), 0)
		if last, err := c.WaitMassMessage(ctx, second.MsgID); !errors.Is(err, oa.ErrJobFailed) || last.MsgStatus != oa.MassDeleted {
			t.Errorf("a deleted message: %+v, %v", last, err)
		}
		_, err = c.GetMassMessageStatus(ctx, &oa.GetMassMessageStatusRequest{MsgID: "999999"})
		wantCode(t, err, 40059)
		wantCode(t, c.DeleteMassMessage(ctx, &oa.DeleteMassMessageRequest{MsgID: 999_999}), 40059)
	})
}

func TestOldWaysToMakeMassMessages(t *testing.T) {
	_, c := official(once)
	ctx := t.Context()
	news := must[*oa.MassMedia](t)(c.UploadNewsMessage(ctx, &oa.UploadNewsMessageRequest{Articles: []oa.MassArticle{{Title: "t", Content: "c", ThumbMediaID: "m"}}}))
	wantEqual(t, "type", news.Type, "news")
	must[*oa.MassReceipt](t)(c.SendMassMessageByTag(ctx, &oa.MassMessageByTag{Filter: oa.MassFilter{IsToAll: true}, MassContent: oa.MassArticles(news.MediaID)}))
	video := must[*oa.UploadTempMediaReply](t)(c.UploadTempMedia(ctx, &oa.UploadTempMediaRequest{Type: oa.MediaVideo, Media: fileOf("v.mp4", "x")}))
	mass := must[*oa.MassMedia](t)(c.UploadMassVideo(ctx, &oa.UploadMassVideoRequest{MediaID: video.MediaID}))
	if mass.Type != "video" || mass.MediaID == video.MediaID {
		t.Errorf("the video is %+v", mass)
	}
	_, err := c.UploadMassVideo(ctx, &oa.UploadMassVideoRequest{MediaID: news.MediaID})
	wantCode(t, err, 40007)
}
