package main

import (
	"bytes"
	"fmt"
	"image/color"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/seed175cf469/wechat/bench/internal/storm"
)

// columns of small pictures in the drawing.
const columns = 4

var (
	accepted = color.RGBA{R: 0x1a, G: 0x7f, B: 0x5a, A: 0xff}
	refused  = color.RGBA{R: 0xe0, G: 0x7a, B: 0x3f, A: 0xff}
	faint    = color.RGBA{R: 0xd8, G: 0xd8, B: 0xd8, A: 0xff}
	ink      = color.RGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
)

// draw makes a picture of what the server saw in each second, one small one a client, all to the same scale.
func draw(file string, s storm.Scenario, rows []row) error {
	longest := 0
	for _, r := range rows {
		longest = max(longest, len(r.Seconds))
	}
	cells := make([]*plot.Plot, 0, len(rows)+1)
	for i, r := range rows {
		p, err := cell(s, r, longest)
		if err != nil {
			return err
		}
		if i%columns == 0 {
			p.Y.Label.Text = "requests"
		}
		cells = append(cells, p)
	}
	cells = append(cells, legend(s))

	tiles := vgdraw.Tiles{
		Cols: columns, Rows: (len(cells) + columns - 1) / columns,
		PadX: 12, PadY: 14, PadTop: 10, PadBottom: 10, PadLeft: 10, PadRight: 10,
	}
	grid := make([][]*plot.Plot, tiles.Rows)
	for i := range grid {
		grid[i] = make([]*plot.Plot, columns)
		copy(grid[i], cells[i*columns:min((i+1)*columns, len(cells))])
	}
	const width, height = 25 * vg.Centimeter, 5.5 * vg.Centimeter // of the page, and of a row
	canvas := vgsvg.NewWith(vgsvg.UseWH(width, height*vg.Length(tiles.Rows)))
	page := vgdraw.New(canvas)
	page.FillPolygon(color.White, []vg.Point{page.Min, {X: page.Min.X, Y: page.Max.Y}, page.Max, {X: page.Max.X, Y: page.Min.Y}})
	for i, line := range plot.Align(grid, tiles, page) {
		for j, at := range line {
			if grid[i][j] != nil {
				grid[i][j].Draw(at)
			}
		}
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return err
	}
	// Not everybody who looks at it has the font; the ones named here have the same widths.
	family := []byte("font-family:Liberation Sans")
	return os.WriteFile(file, bytes.ReplaceAll(out.Bytes(), family, append(family, ",Arial,Helvetica,sans-serif"...)), 0o644) //nolint:gosec // everybody may look at it
}

// cell is the picture of one client. A bar that would be higher than all calls together is cut off and has its number.
func cell(s storm.Scenario, r row, longest int) (*plot.Plot, error) {
	taken, turned := make(plotter.Values, longest), make(plotter.Values, longest)
	var cut plotter.XYLabels
	for i, second := range r.Seconds {
		all := second.Accepted + second.Refused
		taken[i], turned[i] = float64(second.Accepted), float64(min(all, s.Calls)-second.Accepted)
		if all > s.Calls {
			cut.XYs = append(cut.XYs, plotter.XY{X: float64(i), Y: float64(s.Calls)})
			cut.Labels = append(cut.Labels, fmt.Sprintf("%d \u2191", all))
		}
	}
	labels, err := plotter.NewLabels(cut)
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font, labels.TextStyle[i].Color = sans(9), ink
	}
	labels.Offset = vg.Point{X: -5, Y: 2}
	width := 130 / vg.Length(longest) // leaves gaps
	below, err := plotter.NewBarChart(taken, width)
	if err != nil {
		return nil, err
	}
	above, err := plotter.NewBarChart(turned, width)
	if err != nil {
		return nil, err
	}
	below.Color, above.Color = accepted, refused
	below.LineStyle.Width, above.LineStyle.Width = 0, 0
	above.StackOn(below)

	p := blank()
	p.Title.Text = fmt.Sprintf("%s\n%d of %d done, %d requests", r.client, r.Done, s.Calls, r.Requests)
	grid := plotter.NewGrid()
	grid.Vertical.Width, grid.Horizontal.Color = 0, faint
	p.Add(grid, below, above, labels)
	p.X.Min, p.X.Max = -0.6, float64(longest)-0.4
	p.Y.Min, p.Y.Max = 0, 1.12*float64(s.Calls)
	p.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
		var ticks []plot.Tick
		for i := 0; i < longest; i += 1 + longest/12 { // as many as there is room for
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: fmt.Sprint(i + 1)})
		}
		return ticks
	})
	p.X.Label.Text = "natural second"
	return p, nil
}

func sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// blank is a plot in the style of the drawing.
func blank() *plot.Plot {
	p := plot.New()
	p.Title.TextStyle.Font, p.Title.TextStyle.Color, p.Title.Padding = sans(11), ink, 5
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = sans(9), sans(8)
		axis.Label.TextStyle.Color, axis.Tick.Label.Color = ink, ink
		axis.Width, axis.Tick.Width, axis.Tick.Length = 0, 0, 2
	}
	p.Legend.TextStyle.Font, p.Legend.TextStyle.Color = sans(11), ink
	return p
}

// legend is a cell with nothing but the meaning of the colours.
func legend(s storm.Scenario) *plot.Plot {
	p := blank()
	p.HideAxes()
	p.Title.Text = s.Name
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, 4
	p.Legend.Add("accepted", swatch{accepted})
	p.Legend.Add("refused (429)", swatch{refused})
	return p
}

// swatch is a colour in a legend.
type swatch struct{ color color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *vgdraw.Canvas) {
	c.FillPolygon(s.color, []vg.Point{c.Min, {X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}})
}
