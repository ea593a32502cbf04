package work

import (
	"fmt"
	"slices"
	"strings"
)

// All is the userid that stands for everybody who may see the app.
const All = "@all"

// JoinIDs joins ids into one text as the API has it: "a|b".
func JoinIDs(ids ...string) string { return strings.Join(ids, "|") }

// SplitIDs splits what JoinIDs joins, without empty ids.
func SplitIDs(joined string) []string {
	return strings.FieldsFunc(joined, func(r rune) bool { return r == '|' })
}

// Departments and tags count as recipients as a whole, as each message to one reaches all of its members. These stand
// before their ids; no userid begins so.
const (
	party = "@party:"
	tag   = "@tag:"
)

// names are the names that recipients are counted by. Upper and lower case of a userid are one to the server.
func names[ID string | int](prefix string, ids []ID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = prefix + strings.ToLower(fmt.Sprint(id))
	}
	return list
}

// member is the name of one member.
func member(userID string) []string { return []string{strings.ToLower(userID)} }

// everybody names whom a message to users, departments and tags reaches. One to All reaches everybody once, whatever
// else it names.
func everybody(users, parties, tags []string) []string {
	if slices.Contains(users, All) {
		return []string{All}
	}
	return slices.Concat(users, parties, tags)
}
