// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Records that were removed although others before or behind them stay: a place in a log moves forward only.
///
/// They are those of these places whose dates lie within these bounds. Records stored later are at other places, whatever date
/// they have.
package struct RemovedRange: Sendable, Hashable, Codable {
    /// The earliest date, in seconds since 2001; nil for none.
    var from: Double?
    /// The latest date; nil for none.
    var through: Double?
    /// The places, by the process that recorded.
    private(set) var places: [String: ClosedRange<UInt64>] = [:]

    /// No places yet.
    package init(from: Double? = nil, through: Double? = nil) {
        self.from = from
        self.through = through
    }

    /// Whether there is anything in it.
    package var isEmpty: Bool { places.isEmpty }

    /// Whether a date lies within the bounds.
    package func holds(date: Double) -> Bool {
        date >= from ?? -.infinity && date <= through ?? .infinity
    }

    /// Whether everything in it lies at or before a place of its writer.
    package func ends(by last: [WriterID: UInt64]) -> Bool {
        let known = Dictionary(last.map { ($0.key.description, $0.value) }) { $1 }
        return places.allSatisfy { writer, range in known[writer].map { range.upperBound <= $0 } ?? false }
    }

    /// Takes a record in. All records between the places that are taken in belong to it, too, as far as their dates do.
    package mutating func add(_ place: UsagePlace) {
        add(place.sequence...place.sequence, of: place.writer)
    }

    /// Takes in all records of a writer between two places.
    package mutating func add(_ sequences: ClosedRange<UInt64>, of writer: WriterID) {
        let writer = writer.description
        let known = places[writer] ?? sequences
        places[writer] = min(known.lowerBound, sequences.lowerBound)...max(known.upperBound, sequences.upperBound)
    }

    /// Whether a record belongs to it.
    package func holds(_ place: UsagePlace, date: Double) -> Bool {
        guard let range = places[place.writer.description] else { return false }
        return range.contains(place.sequence) && holds(date: date)
    }

    /// Whether everything of another range belongs to it.
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

/// Where a record lies in its store.
package struct UsagePlace: Sendable, Hashable {
    /// The process that recorded.
    let writer: WriterID
    /// Its place among everything that process recorded.
    let sequence: UInt64

    /// A place.
    package init(writer: WriterID, sequence: UInt64) {
        self.writer = writer
        self.sequence = sequence
    }
}
