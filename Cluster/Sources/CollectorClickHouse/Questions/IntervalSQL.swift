// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// In which of several stretches of time, that follow each other, a moment lies: as an expression of SQL.
///
/// Neighbours of equal length are told apart by one division, so that the days of a year are one term, or three where the clocks
/// change twice.
struct IntervalSQL {
    /// Where each stretch begins.
    let beginnings: [Timestamp]
    private let end: Timestamp

    /// The stretches between edges, of which equal ones are one.
    init(_ edges: [Timestamp]) {
        var distinct: [Timestamp] = []
        for edge in edges where distinct.last.map({ $0 < edge }) ?? true { distinct.append(edge) }
        beginnings = Array(distinct.dropLast())
        end = distinct.last ?? Timestamp(milliseconds: .max)
    }

    /// The intervals of a question's time, and of the period before.
    init(_ time: QuestionTime) {
        self.init(time.edgesBefore + time.edges)
    }

    /// The number of the stretch, of type `Int32`, from 0. For moments outside of all of them it is any number.
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
