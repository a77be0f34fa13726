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

    /// Takes a record in. All records between the places that are taken in belong to it, too, as far as their dates do.
    package mutating func add(_ place: UsagePlace) {
        let writer = place.writer.description
        let known = places[writer] ?? place.sequence...place.sequence
        places[writer] = min(known.lowerBound, place.sequence)...max(known.upperBound, place.sequence)
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

/// What a store remembers beside its records.
struct UsageStoreContent: Sendable, Hashable, Codable {
    /// When the store was first used, in seconds since 2001.
    var created: Double
    /// Every target that something was stored for.
    var targets: [String] = []
    /// What was removed from the midst, by target.
    var removed: [String: [RemovedRange]] = [:]
    /// The targets whose last session is being stored for a person at this moment, or was when the process died.
    var leaving: Set<String> = []

    /// Remembers a removal, and forgets those that are part of it.
    mutating func remove(_ range: RemovedRange, of target: String) {
        var ranges = removed[target, default: []]
        guard !range.isEmpty, !ranges.contains(where: { $0.covers(range) }) else { return }
        ranges.removeAll { range.covers($0) }
        removed[target] = ranges + [range]
    }

    /// Forgets removals of which nothing is left.
    mutating func forget(_ ranges: [RemovedRange], of target: String) {
        removed[target]?.removeAll { ranges.contains($0) }
        if removed[target]?.isEmpty == true { removed[target] = nil }
    }
}
