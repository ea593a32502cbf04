// Package bench holds benchmarks of the SDK beside others that do the same work, in the same run:
//
//	go run ./bench/storm -runs 5     # a quota that nobody told: what gets done, with how many requests
//	go test ./bench/storm -v         # the same for quotas by the minute, errcodes and calls in flight, in simulated time
//	go run ./bench/report            # every number beside its target, as Markdown
//	go test ./bench -bench . -cpu 2  # the benchmarks themselves
package bench
