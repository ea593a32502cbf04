package officialaccount

import (
	"context"
	"errors"
	"time"
)

// ErrJobFailed ends the wait for a job that the platform took and did not carry out.
var ErrJobFailed = errors.New("officialaccount: the job failed")

// poll asks until a job has ended, at once and then after 1 s, 2 s, 4 s and so on up to every 30 s.
func poll(ctx context.Context, ended func() (bool, error)) error {
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		if ok, err := ended(); ok || err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
