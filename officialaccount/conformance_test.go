package officialaccount

import (
	"testing"

	"github.com/seed175cf469/wechat/internal/conform"
)

func TestConformance(t *testing.T) {
	conform.Run(t, New, Endpoints(), conform.Options{Product: "officialaccount", Complete: true})
}
