// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How often the events at the front were tried in vain since something was last settled; what an ``AttemptLimit`` is held
/// against.
package struct Attempts: Sendable, Hashable {
    /// What an attempt in vain came to.
    package enum Kind: Sendable, Hashable {
        /// An answer that did not take the batch.
        case refusal
        /// No answer.
        case failure
    }

    /// Answers that did not take the batch. Requests that nobody answered lie between them and do not count.
    package private(set) var refusals: Int
    /// Requests in a row that nobody answered.
    package private(set) var failures: Int

    /// Attempts of an earlier run; none by default.
    package init(refusals: Int = 0, failures: Int = 0) {
        self.refusals = max(0, refusals)
        self.failures = max(0, failures)
    }

    /// Somebody answered, whatever it was.
    mutating func answered() {
        failures = 0
    }

    /// Counts an attempt in vain.
    mutating func count(_ kind: Kind) {
        switch kind {
        case .refusal: refusals += refusals < Int.max ? 1 : 0
        case .failure: failures += failures < Int.max ? 1 : 0
        }
    }

    /// Whether these are as many as the limit allows.
    func exhaust(_ limit: AttemptLimit) -> Bool {
        (limit.refusals.map { refusals >= $0 } ?? false) || (limit.failures.map { failures >= $0 } ?? false)
    }
}
