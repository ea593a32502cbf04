package wechat

import (
	"context"
	"errors"
)

// Token returns the access token of an app, as its calls use it: from memory, the store, the app's TokenSource or the
// server. refused is a token that the server turned down, or zero; another is returned then, or an error that says why there
// is none. product is what the product's package returns by Product.
//
// It is for what is no call of this package's, such as a token centre; calls get their tokens by themselves.
func (c *Client) Token(ctx context.Context, product *Product, app App, refused Token) (Token, error) {
	if err := ctx.Err(); err != nil {
		return Token{}, err
	}
	if product == nil || app.ID == "" {
		return Token{}, &Error{Kind: ErrInvalidRequest, Endpoint: "Token", App: app.ID, Err: errors.New("the product or App.ID is missing")}
	}
	c.once.Do(func() { c.state = newState(&c.config) })
	call := &Call{Spec: Spec{Product: product.Name, Name: "Token"}, Product: product, App: app.keyed(product)}
	return c.state.token(ctx, call, refused)
}
