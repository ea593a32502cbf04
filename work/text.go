package work

import (
	"fmt"
	"unicode/utf8"
)

// Sizes of texts in bytes of UTF-8, in which a Chinese character has three. What is longer is refused before it is
// sent; CutText makes it fit.
const (
	MaxText            = 2048      // text of messages of apps, group chats and robots
	MaxMarkdown        = 2048      // markdown of messages of apps and group chats
	MaxWebhookMarkdown = 4096      // markdown of robots
	MaxMPNewsContent   = 666 << 10 // content of an mpnews article
)

// CutText cuts text to at most limit bytes, between two characters.
func CutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:max(limit, 0)]
}

// checkSize refuses what is longer than the API takes.
func checkSize(field string, size, limit int) error {
	if size > limit {
		return fmt.Errorf("%s is %d bytes long, the limit is %d", field, size, limit)
	}
	return nil
}

// maxArticles is how many articles a news or mpnews message has at most.
const maxArticles = 8

func checkArticles(field string, n int) error {
	if n < 1 || n > maxArticles {
		return fmt.Errorf("%s has %d articles, it takes 1 to %d", field, n, maxArticles)
	}
	return nil
}
