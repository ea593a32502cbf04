// Package ratelimit keeps calls within the limits of a server: those that one knows, and those that the
// server's refusals teach.
//
// # Limits
//
// A [Limit] says how many events a window may hold: [PerSecond], [PerMinute] and [PerHour] slide, [PerDay] is
// a calendar day in UTC+8. A [Demand] asks for turns under one limit of one key, and a call makes as many
// demands as it is under limits: those of its app, of its endpoint and of each person that it reaches.
//
// # Turns
//
// A [Limiter] takes a turn for each demand of a call, or none at all, and says when to come back.
// [Wait] waits for turns, in time for the context or not at all; it is what most callers should use. A
// [Reserver] books turns in the future.
//
//	err := ratelimit.Wait(ctx, &local, 0,
//		ratelimit.Demand{Key: "wx1", Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(5000)},
//		ratelimit.Demand{Key: "wx1:" + openid, Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(4)})
//
// # Priorities
//
// Those who wait for the same limit are served by [Priority], then in the order in which they came.
// [Urgent] waits for a second at most unless told otherwise, [Normal] for ten, [Background] as long as the context
// allows. Limits.Reserve keeps a share of the windows from Background. At least one turn in eight goes to
// somebody of lower priority than the first in line, so that nobody starves.
//
// # Refusals
//
// What the server refuses is remembered in a [Barrier], which keeps a key closed for all callers until a time, and a
// [Pacer] finds the pace at which the server takes calls when the limit is not known.
//
// # One process or many
//
// [Local] does all of this in the memory of one process, without a goroutine and for a few dozen bytes a key. The
// interfaces are small, so that a store which is shared by many processes can stand in its place.
package ratelimit
