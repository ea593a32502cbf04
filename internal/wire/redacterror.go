package wire

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// RedactError returns err without secrets: each *url.Error in it has a URL that
// shows only the values known to be harmless, and the text of every error,
// however often it is unwrapped, went through [Redact]. errors.Is and errors.As
// find the causes as before, but for errors.As those that had to be replaced for
// their text. An error that shows nothing is returned as it is.
func RedactError(err error) error {
	if err == nil {
		return nil
	}
	var pairs []string
	collectURLs(err, &pairs)
	urls := strings.NewReplacer(pairs...)
	safe, _ := redactError(err, func(text string) string { return Redact(urls.Replace(text)) })
	return safe
}

// collectURLs appends the URLs in an error, each with what replaces it, as they
// are and as they look in quotes.
func collectURLs(err error, pairs *[]string) {
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // each level is looked at alone
		if safe := redactURL(u.URL); safe != u.URL {
			*pairs = append(*pairs, u.URL, safe, strconv.Quote(u.URL), strconv.Quote(safe))
		}
	}
	for _, cause := range causes(err) {
		collectURLs(cause, pairs)
	}
}

// causes unwraps an error once.
func causes(err error) []error {
	switch e := err.(type) { //nolint:errorlint // this is the unwrapping
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			return []error{cause}
		}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}

// redactError rebuilds err where it or a cause of it shows what clean removes.
func redactError(err error, clean func(string) string) (safe error, changed bool) { //nolint:revive // error-return: both are results
	var inner []error
	for _, cause := range causes(err) {
		c, replaced := redactError(cause, clean)
		changed = changed || replaced
		inner = append(inner, c)
	}
	text := err.Error()
	if !changed && clean(text) == text {
		return err, false
	}
	cause := errors.Join(inner...)
	if len(inner) == 1 {
		cause = inner[0]
	}
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // each level is rebuilt alone
		return &url.Error{Op: u.Op, URL: redactURL(u.URL), Err: cause}, true
	}
	timeout, ok := err.(interface{ Timeout() bool })
	return &redactedError{
		text:    clean(text),
		cause:   cause,
		is:      func(target error) bool { return errors.Is(err, target) },
		timeout: ok && timeout.Timeout(),
	}, true
}

// redactedError stands in for an error whose text shows a secret. That error
// itself is out of reach, in a closure.
type redactedError struct {
	text    string
	cause   error
	is      func(target error) bool
	timeout bool
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) Unwrap() error        { return e.cause }
func (e *redactedError) Is(target error) bool { return e.is(target) }
func (e *redactedError) Timeout() bool        { return e.timeout } // asked for by url.Error
