// Callback-gin receives the pushes of an official account in a program that uses gin.
//
//	WECHAT_APPID=wx... WECHAT_TOKEN=... WECHAT_AES_KEY=... go run ./callback-gin
package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/callback"
)

func main() {
	if err := run(); err != nil {
		slog.Error("callback-gin", "error", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	handler, err := callback.New(callback.Config{
		Product: callback.OfficialAccount,
		ID:      os.Getenv("WECHAT_APPID"),
		Token:   wechat.Secret(os.Getenv("WECHAT_TOKEN")),
		Key:     wechat.Secret(os.Getenv("WECHAT_AES_KEY")),
		Report:  func(ctx context.Context, err error) { slog.WarnContext(ctx, "wechat push", "error", err) },
	}, routes().Receive)
	if err != nil {
		return err
	}

	engine := gin.New()
	engine.Any("/wechat", gin.WrapH(handler))

	server := &http.Server{Addr: ":8080", Handler: engine, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(server.Shutdown(end), handler.Shutdown(end))
}

func routes() *callback.Router {
	var r callback.Router
	r.OnText(func(_ context.Context, m *callback.Text) (callback.Reply, error) {
		return callback.TextReply{Content: "You said " + m.Content}, nil
	})
	callback.On(&r, func(_ context.Context, m *callback.TemplateSendJobFinish) (callback.Reply, error) {
		slog.Info("template message", "msgid", m.MsgID, "status", m.Status)
		return nil, nil
	})
	return &r
}
