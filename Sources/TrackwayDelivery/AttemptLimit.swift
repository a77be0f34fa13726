// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// After how many attempts in vain a batch is given up: a promise to lose data rather than to keep asking.
///
/// Its events are set aside and counted under `attempts_exhausted`, so nothing is lost silently; but it is lost, and an
/// outage of minutes is enough. Without a limit, which is the default everywhere, a batch is tried for as long as the
/// journal keeps it.
///
/// Given up is what the last request carried: the batch, or the single event that a destination taken for down or refusing
/// its credentials is probed with. The pauses between requests stay what they were. An answer that calls a batch too large,
/// or refuses it for an event in it, is no attempt in vain, for the batch is divided until that event is found. The count
/// begins anew once anything is settled, and outlives a restart of the process after a failure.
public struct AttemptLimit: Sendable, Hashable {
    /// After so many answers in a row that did not take the batch, whatever they said: a server's trouble, a login page,
    /// wrong credentials; requests that nobody answers may lie between them. nil for never.
    public var refusals: Int?
    /// After so many requests in a row that nobody answered; any answer begins the count anew. nil for never.
    public var failures: Int?

    /// A limit of these parts; counts below 1 are raised to 1.
    public init(refusals: Int? = nil, failures: Int? = nil) {
        self.refusals = refusals.map { max(1, $0) }
        self.failures = failures.map { max(1, $0) }
    }

    /// Three answers or 120 failures: what the older Sift SDK did.
    public static let threeStrikes = AttemptLimit(refusals: 3, failures: 120)
}
