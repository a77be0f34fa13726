// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch

extension Duration {
    /// The duration for Dispatch in whole nanoseconds, limited to a century.
    var dispatchInterval: DispatchTimeInterval {
        let century: Int64 = 100 * 365 * 86_400
        let seconds = min(max(components.seconds, 0), century)
        let fraction = max(components.attoseconds, 0) / 1_000_000_000
        let nanoseconds = seconds * 1_000_000_000 + fraction
        // The 32-bit integers of a watch can represent only two seconds in nanoseconds, but 24 days in milliseconds.
        return Int(exactly: nanoseconds).map { .nanoseconds($0) }
            ?? .milliseconds(Int(clamping: nanoseconds / 1_000_000))
    }
}
