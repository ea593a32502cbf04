package ratelimit

import (
	"math/rand/v2"
	"testing"
)

// A table does what a map does, whatever comes and goes, also where many hashes have the same home.
func TestTable(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 4))
		table, want := table{stride: header + 1}, map[uint64]uint32{}
		random := func() uint64 {
			h := r.Uint64N(400) + 1
			if seed%2 == 0 {
				h *= 0x9e3779b97f4a7c15
			}
			return h
		}
		for range 5000 {
			h := random()
			switch slot := table.find(h); r.IntN(4) {
			case 0, 1:
				if slot == nil {
					if table.full() {
						table.prune(func([]uint32) bool { return true })
					}
					slot = table.insert(h)
				}
				slot[header]++
				want[h]++
			case 2:
				if slot != nil {
					table.remove(h)
				}
				delete(want, h)
			default:
				if r.IntN(100) == 0 {
					odd := func(slot []uint32) bool { return slot[header]%2 == 1 }
					table.sweep(odd)
					for h, n := range want {
						if n%2 == 0 {
							delete(want, h)
						}
					}
				}
			}
			if slot, n := table.find(h), want[h]; (slot == nil) != (n == 0) || slot != nil && slot[header] != n {
				t.Fatalf("seed %d: slot %v of %d, want %d", seed, slot, h, n)
			}
		}
		if table.used != len(want) {
			t.Fatalf("seed %d: %d slots in use, want %d", seed, table.used, len(want))
		}
		for h, n := range want {
			if slot := table.find(h); slot == nil || slot[header] != n {
				t.Fatalf("seed %d: slot %v of %d, want %d", seed, slot, h, n)
			}
		}
		table.sweep(func([]uint32) bool { return false })
		if table.words != nil || table.find(random()) != nil {
			t.Errorf("seed %d: an empty table keeps its memory", seed)
		}
	}
}
