// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch

extension Duration {
    /// The same span for Dispatch, in whole nanoseconds; spans beyond a century wait that long.
    var dispatchInterval: DispatchTimeInterval {
        let century: Int64 = 100 * 365 * 86_400
        let seconds = min(max(components.seconds, 0), century)
        let fraction = max(components.attoseconds, 0) / 1_000_000_000
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(fraction))
    }
}
