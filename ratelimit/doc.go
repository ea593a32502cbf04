// Package ratelimit keeps calls within the limits of a server.
package ratelimit
