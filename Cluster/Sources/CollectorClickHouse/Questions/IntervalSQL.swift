// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// The interval that contains a time, among consecutive ones, as an SQL expression.
///
/// One division distinguishes neighbors of equal length, so the days of a year are one term, or three if the clocks
/// change twice.
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

    /// Creates the intervals of a query's time range, and of the period before.
    init(_ time: QueryTimeRange) {
        self.init(time.edgesBefore + time.edges)
    }

    /// Returns the number of the interval, of type `Int32`, from 0.
    ///
    /// For times outside of all intervals, it is arbitrary.
    func sql(_ column: String = "time") -> String {
        let edges = beginnings + [end]
        var terms: [String] = []
        var first = 0
        while first < beginnings.count {
            let length = edges[first + 1].milliseconds - edges[first].milliseconds
            var behind = first + 1
            while behind < beginnings.count,
                edges[behind + 1].milliseconds - edges[behind].milliseconds == length
            { behind += 1 }
            let number =
                behind == first + 1
                ? "toInt32(\(first))"
                : "toInt32(\(first) + intDiv(\(column) - \(edges[first].milliseconds), \(length)))"
            terms.append(behind < beginnings.count ? "\(column) < \(edges[behind].milliseconds), \(number)" : number)
            first = behind
        }
        return terms.count > 1 ? "multiIf(\(terms.joined(separator: ", ")))" : terms.first ?? "toInt32(0)"
    }
}
