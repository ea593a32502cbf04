package ratelimit

import "math/bits"

// table maps hashes to slots of a fixed number of words. It is one flat piece of memory without
// pointers, which the garbage collector never walks: open addressing with linear probing. The zero table
// is empty, but its stride must be set before use. A slot's first two words are its hash; an empty
// slot's are zero. Slots move when others come and go, so none may be held across insert, remove or prune.
type table struct {
	words  []uint32
	stride int // words in a slot
	slots  int
	used   int
}

// header is the number of words that the hash takes.
const header = 2

// find returns the slot of hash, or nil.
func (t *table) find(hash uint64) []uint32 {
	if t.used == 0 {
		return nil
	}
	i, found := t.probe(hash)
	if !found {
		return nil
	}
	return t.slot(i)
}

// insert adds a slot for hash, which has none yet; t must not be full. Its words behind the hash are zero.
func (t *table) insert(hash uint64) []uint32 {
	i, _ := t.probe(hash)
	slot := t.slot(i)
	slot[0], slot[1] = uint32(hash), uint32(hash>>32)
	t.used++
	return slot
}

// remove takes the slot of hash, which must be there, out and closes the gap.
func (t *table) remove(hash uint64) {
	gap, _ := t.probe(hash)
	t.used--
	for i := t.next(gap); ; i = t.next(i) {
		slot := t.slot(i)
		h := slotHash(slot)
		if h == 0 {
			break
		}
		// A slot may move back to the gap unless its home lies behind the gap.
		if home := t.home(h); t.distance(home, i) >= t.distance(gap, i) {
			copy(t.slot(gap), slot)
			gap = i
		}
	}
	clear(t.slot(gap))
}

// full reports whether insert needs a prune first.
func (t *table) full() bool { return (t.used+1)*5 > t.slots*4 }

// prune keeps the slots that are live and fits the table to them, with room for some more: it is three
// fifths full then, and grows again at four fifths.
func (t *table) prune(live func(slot []uint32) bool) {
	old, n := *t, 0
	for i := range old.slots {
		if slot := old.slot(i); slotHash(slot) != 0 {
			if live(slot) {
				n++
			} else {
				slot[0], slot[1] = 0, 0
			}
		}
	}
	t.slots = n*5/3 + 4
	t.words = make([]uint32, t.slots*t.stride)
	t.used = n
	for i := range old.slots {
		slot := old.slot(i)
		if h := slotHash(slot); h != 0 {
			j, _ := t.probe(h)
			copy(t.slot(j), slot)
		}
	}
}

// sweep prunes if there is anything to forget.
func (t *table) sweep(live func(slot []uint32) bool) {
	dead := 0
	for i := range t.slots {
		if slot := t.slot(i); slotHash(slot) != 0 && !live(slot) {
			dead++
		}
	}
	switch {
	case dead == t.used:
		t.drop()
	case dead > 0:
		t.prune(live)
	}
}

// drop forgets everything.
func (t *table) drop() { *t = table{stride: t.stride} }

// probe returns where hash is, or else the empty slot where it belongs.
func (t *table) probe(hash uint64) (i int, found bool) {
	lo, hi := uint32(hash), uint32(hash>>32)
	for i = t.home(hash); ; i = t.next(i) {
		slot := t.words[i*t.stride:]
		switch {
		case slot[0] == lo && slot[1] == hi:
			return i, true
		case slot[0]|slot[1] == 0:
			return i, false
		}
	}
}

// home is where the search for hash begins. The bits that chose the shard are the same for all of a table.
func (t *table) home(hash uint64) int {
	hi, _ := bits.Mul64(hash<<shardBits, uint64(t.slots))
	return int(hi)
}

func (t *table) next(i int) int {
	if i++; i == t.slots {
		return 0
	}
	return i
}

// distance is the number of steps from slot a to slot b.
func (t *table) distance(a, b int) int {
	if b < a {
		b += t.slots
	}
	return b - a
}

func (t *table) slot(i int) []uint32 { return t.words[i*t.stride : (i+1)*t.stride : (i+1)*t.stride] }

func slotHash(slot []uint32) uint64 { return uint64(slot[0]) | uint64(slot[1])<<32 }
