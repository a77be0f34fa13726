// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters

/// Durations of many calls, sorted.
struct Measurement {
    private let sorted: [UInt64]
    /// The cost of reading the clock twice, which is subtracted from every duration.
    static let clockCost: UInt64 = {
        var costs: [UInt64] = []
        for _ in 0..<10_000 {
            let start = ccounters_nanoseconds()
            costs.append(ccounters_nanoseconds() - start)
        }
        return costs.sorted()[5000]
    }()

    init(_ durations: [UInt64]) {
        sorted = durations.sorted()
    }

    func percentile(_ part: Double) -> UInt64 {
        guard !sorted.isEmpty else { return 0 }
        let value = sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
        return value > Self.clockCost ? value - Self.clockCost : 0
    }

    var summary: String {
        "p50 \(percentile(0.5)) ns, p90 \(percentile(0.9)), p99 \(percentile(0.99)), p99.9 \(percentile(0.999)), "
            + "max \(percentile(1))"
    }

    static func of(_ count: Int, _ body: (Int) -> Void) -> Measurement {
        Measurement(durations(count, body))
    }

    /// Measures individual calls, in nanoseconds.
    static func durations(_ count: Int, _ body: (Int) -> Void) -> [UInt64] {
        var durations = [UInt64](repeating: 0, count: count)
        for index in 0..<count {
            let start = ccounters_nanoseconds()
            body(index)
            durations[index] = ccounters_nanoseconds() - start
        }
        return durations
    }
}
