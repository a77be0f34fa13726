// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A range of removed records with remaining records before or after it.
///
/// A log position only advances, so such removals are saved as ranges. A range covers the records at its positions
/// whose dates are within its bounds. Records stored later are at other positions, regardless of their dates.
package struct RemovedRange: Sendable, Hashable, Codable {
    /// The earliest date, in seconds since 2001; nil for no lower bound.
    var from: Double?
    /// The latest date, in seconds since 2001; nil for no upper bound.
    var through: Double?
    /// The positions, by the writer that recorded them.
    private(set) var places: [String: ClosedRange<UInt64>] = [:]

    /// Creates a range without positions.
    package init(from: Double? = nil, through: Double? = nil) {
        self.from = from
        self.through = through
    }

    /// Whether the range has no positions.
    package var isEmpty: Bool { places.isEmpty }

    /// Whether a date is within the bounds.
    package func contains(date: Double) -> Bool {
        date >= from ?? -.infinity && date <= through ?? .infinity
    }

    /// Whether all positions are at or before their writers' given positions.
    package func ends(atOrBefore last: [WriterID: UInt64]) -> Bool {
        let known = Dictionary(last.map { ($0.key.description, $0.value) }) { $1 }
        return places.allSatisfy { writer, range in known[writer].map { range.upperBound <= $0 } ?? false }
    }

    /// Adds a record.
    ///
    /// The range then includes every record between the added positions whose date is within the bounds.
    package mutating func add(_ position: UsagePosition) {
        add(position.sequence...position.sequence, of: position.writer)
    }

    /// Adds all of a writer's records between two positions.
    package mutating func add(_ sequences: ClosedRange<UInt64>, of writer: WriterID) {
        let writer = writer.description
        let known = places[writer] ?? sequences
        places[writer] = min(known.lowerBound, sequences.lowerBound)...max(known.upperBound, sequences.upperBound)
    }

    /// Whether the range includes a record.
    package func contains(_ position: UsagePosition, date: Double) -> Bool {
        guard let range = places[position.writer.description] else { return false }
        return range.contains(position.sequence) && contains(date: date)
    }

    /// Whether the range includes all of another range.
    package func covers(_ other: RemovedRange) -> Bool {
        guard (from ?? -.infinity) <= (other.from ?? -.infinity),
            (through ?? .infinity) >= (other.through ?? .infinity)
        else { return false }
        return other.places.allSatisfy { writer, range in
            guard let own = places[writer] else { return false }
            return own.lowerBound <= range.lowerBound && own.upperBound >= range.upperBound
        }
    }
}

/// The position of a record in its store.
package struct UsagePosition: Sendable, Hashable {
    /// The writer that recorded the record.
    let writer: WriterID
    /// The sequence number in that writer's log.
    let sequence: UInt64

    /// Creates a position.
    package init(writer: WriterID, sequence: UInt64) {
        self.writer = writer
        self.sequence = sequence
    }
}
