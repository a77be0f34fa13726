// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch

extension Duration {
    /// The same span for Dispatch, in whole nanoseconds; spans beyond a century wait that long.
    var dispatchInterval: DispatchTimeInterval {
        let century: Int64 = 100 * 365 * 86_400
        let seconds = min(max(components.seconds, 0), century)
        let fraction = max(components.attoseconds, 0) / 1_000_000_000
        let nanoseconds = seconds * 1_000_000_000 + fraction
        // A watch counts to two seconds this way, and to 24 days the other.
        return Int(exactly: nanoseconds).map { .nanoseconds($0) }
            ?? .milliseconds(Int(clamping: nanoseconds / 1_000_000))
    }
}
