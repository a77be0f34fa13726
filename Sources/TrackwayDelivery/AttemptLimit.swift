// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// After how many attempts in vain a batch is given up. Its events are set aside and counted, so nothing is lost silently;
/// but it is lost. Without a limit, which is the default everywhere, a batch is tried for as long as the journal keeps it.
public struct AttemptLimit: Sendable, Hashable {
    /// After so many answers in a row that did not take the batch, whatever they said; nil for never.
    public var refusals: Int?
    /// After so many requests in a row that nobody answered; nil for never.
    public var failures: Int?

    /// A limit of these parts; counts below 1 are raised to 1.
    public init(refusals: Int? = nil, failures: Int? = nil) {
        self.refusals = refusals.map { max(1, $0) }
        self.failures = failures.map { max(1, $0) }
    }

    /// Three answers or 120 failures: what the older Sift SDK did.
    public static let threeStrikes = AttemptLimit(refusals: 3, failures: 120)
}
