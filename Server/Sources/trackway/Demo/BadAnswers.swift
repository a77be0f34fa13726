// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How a badly behaved destination treats one request after the other. A value; no chance in it, so that every demo is
/// the same.
struct BadAnswers: Sendable, Hashable {
    /// What happens to one request.
    enum Treatment: Sendable, Hashable {
        /// It is refused for now, with a wait.
        case unavailable
        /// It arrives, and its answer gets lost on the way back.
        case lostAnswer
        /// A stranger answers in the destination's place, as a hotel's network does.
        case captivePortal
        /// It arrives and is answered.
        case passed
    }

    /// How many requests were treated badly so far.
    private(set) var bad = 0
    /// How many requests came so far.
    private(set) var requests = 0

    private static let cycle: [Treatment] = [
        .unavailable, .lostAnswer, .passed, .captivePortal, .passed, .lostAnswer, .passed, .passed,
    ]

    /// The next request came.
    mutating func next() -> Treatment {
        let treatment = Self.cycle[requests % Self.cycle.count]
        requests += 1
        if treatment != .passed { bad += 1 }
        return treatment
    }
}
