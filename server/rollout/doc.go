// Package rollout tries a new revision of a plugin on live requests before it is trusted with all of them.
//
// Its nouns, one file each:
//
//   - Spec (spec.go): what an operator asks for: which revision, in which mode, for which requests, and how much may fail.
//   - Trial (trial.go): a Spec in force on one server: it chooses requests (choose.go) and counts what comes of them
//     (counts.go); a canary that fails too often is told from its last requests (window.go).
//   - Replayer (replayer.go): the bounded queue on which requests are made again by both revisions (replay.go), over a storage
//     that shows what was there before and keeps nothing (past.go), and what they come to is compared (compare.go).
//   - Sample (sample.go): one difference, bounded, without what must not be seen.
//
// It knows no HTTP and no StrategyPlugin; package server puts Specs in force and tells of Trials.
package rollout
