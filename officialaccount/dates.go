package officialaccount

import (
	"strings"
	"time"
)

// china is China's time, in which the platform counts its days. It knows no summer time, so that no time zone
// database is needed.
var china = time.FixedZone("UTC+8", 8*60*60)

// Date is a day in China, as in "2024-03-01".
type Date string

// DateOf is the day that it is in China at t, whatever the time zone of t.
func DateOf(t time.Time) Date { return Date(t.In(china).Format(time.DateOnly)) }

// Yesterday is the last day in China that is over. Its figures are there from eight in the morning.
func Yesterday() Date { return DateOf(time.Now().In(china).AddDate(0, 0, -1)) }

// Time is the beginning of the day.
func (d Date) Time() (time.Time, error) { return time.ParseInLocation(time.DateOnly, string(d), china) }

// Compact is the day as other calls have it, in "20240301".
func (d Date) Compact() string { return strings.ReplaceAll(string(d), "-", "") }

// DateRange is some days in a row, both ends among them.
type DateRange struct {
	BeginDate Date `json:"begin_date"`
	EndDate   Date `json:"end_date"` // Yesterday at the latest
}

// OneDay is a day alone.
func OneDay(d Date) *DateRange { return &DateRange{BeginDate: d, EndDate: d} }

// LastDays is the last n days in China that are over: those up to Yesterday.
func LastDays(n int) *DateRange {
	now := time.Now().In(china)
	return &DateRange{BeginDate: DateOf(now.AddDate(0, 0, -n)), EndDate: DateOf(now.AddDate(0, 0, -1))}
}
