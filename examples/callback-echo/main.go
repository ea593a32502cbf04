// Callback-echo receives the pushes of a WeCom app in a program that uses echo. What takes longer than the platform waits
// goes on in the background.
//
//	WECOM_CORPID=ww... WECOM_TOKEN=... WECOM_AES_KEY=... go run ./callback-echo
package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/callback"
)

func main() {
	if err := run(); err != nil {
		slog.Error("callback-echo", "error", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	handler, err := callback.New(callback.Config{
		Product: callback.Work,
		ID:      os.Getenv("WECOM_CORPID"),
		Token:   wechat.Secret(os.Getenv("WECOM_TOKEN")),
		Key:     wechat.Secret(os.Getenv("WECOM_AES_KEY")),
		Report:  func(ctx context.Context, err error) { slog.WarnContext(ctx, "wecom push", "error", err) },
	}, routes().Receive)
	if err != nil {
		return err
	}

	e := echo.New()
	e.HideBanner = true
	e.Any("/wecom", echo.WrapHandler(handler))

	server := &http.Server{Addr: ":8080", Handler: e, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second}
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
	callback.On(&r, func(ctx context.Context, m *callback.UserChange) (callback.Reply, error) {
		userID := m.UserID
		return nil, callback.Go(ctx, func(context.Context) error {
			slog.Info("member changed, to be copied", "userid", userID)
			return nil
		})
	})
	return &r
}
