// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Duration {
    /// The duration in whole milliseconds, cut towards zero, stopping at the ends of `Int64`.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.saturatingAdd(attoseconds / 1_000_000_000_000_000)
    }
}

extension Int64 {
    /// The sum, or the nearest end of the range.
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest end of the range.
    func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
