// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// An SQL expression for the number of the interval containing a time.
///
/// One division handles consecutive intervals of equal length, so the days of a year take one term, or three if the
/// clocks change twice.
struct IntervalSQL {
    /// The beginning of each interval.
    let beginnings: [Timestamp]
    private let end: Timestamp

    /// Creates the intervals between edges; equal edges count as one.
    init(_ edges: [Timestamp]) {
        var distinct: [Timestamp] = []
        for edge in edges where distinct.last.map({ $0 < edge }) ?? true { distinct.append(edge) }
        beginnings = Array(distinct.dropLast())
        end = distinct.last ?? Timestamp(milliseconds: .max)
    }

    /// Creates the intervals of a query's time range, and of the period before it.
    init(_ time: QueryTimeRange) {
        self.init(time.edgesBefore + time.edges)
    }

    /// Returns an SQL expression for the number of the interval, an `Int32` that starts at 0.
    ///
    /// For times outside all intervals, the number is arbitrary.
    func sql(_ column: String = "time") -> String {
        let edges = beginnings + [end]
        var terms: [String] = []
        var first = 0
        while first < beginnings.count {
            let length = edges[first + 1].milliseconds - edges[first].milliseconds
            var next = first + 1
            while next < beginnings.count,
                edges[next + 1].milliseconds - edges[next].milliseconds == length
            { next += 1 }
            let number =
                next == first + 1
                ? "toInt32(\(first))"
                : "toInt32(\(first) + intDiv(\(column) - \(edges[first].milliseconds), \(length)))"
            terms.append(next < beginnings.count ? "\(column) < \(edges[next].milliseconds), \(number)" : number)
            first = next
        }
        return terms.count > 1 ? "multiIf(\(terms.joined(separator: ", ")))" : terms.first ?? "toInt32(0)"
    }
}
