// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Which names of the catalogue a reader wants, and in which order.
public struct CatalogueQuery: Sendable, Hashable {
    /// What comes first.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// The name with most events.
        case events
        /// The name whose latest event is the latest, by the devices' clocks.
        case last
        /// The alphabet, byte by byte.
        case name
    }

    /// A text that the name contains; letters of ASCII in either case.
    public var search: String?
    /// What the name begins with, exactly.
    public var prefix: String?
    /// What comes first.
    public var order: Order
    /// The place already seen; the answer continues behind it.
    public var after: CataloguePlace?
    /// The most names in one answer.
    public var limit: Int
    /// The days that are counted beside the whole.
    public var days: CatalogueDays

    /// A query for everything.
    public init(order: Order = .events, limit: Int = 50, days: CatalogueDays) {
        self.order = order
        self.limit = limit
        self.days = days
    }
}

/// Today and the thirty days that end with it, in some zone.
public struct CatalogueDays: Sendable, Hashable {
    /// How many days ``month`` has.
    public static let length = 30

    /// From midnight to midnight.
    public let today: Range<Timestamp>
    /// Today and the 29 days before.
    public let month: Range<Timestamp>

    /// The days around a moment.
    ///
    /// - Parameters:
    ///   - now: A moment of today.
    ///   - zone: Whose midnights count; it has to be known from ``needed(around:)``.
    /// - Returns: Nil for moments that no calendar has.
    public init?(around now: Timestamp, in zone: ZoneOffsets) {
        let range = Self.needed(around: now)
        guard let time = QuestionTime(from: range.lowerBound, to: range.upperBound, interval: .day, in: zone),
            let index = time.edges.lastIndex(where: { $0 <= now }), index >= Self.length, index + 1 < time.edges.count
        else { return nil }
        today = time.edges[index]..<time.edges[index + 1]
        month = time.edges[index + 1 - Self.length]..<time.edges[index + 1]
    }

    /// The time over which a zone has to be known.
    public static func needed(around now: Timestamp) -> Range<Timestamp> {
        now.advanced(by: .seconds(-33 * 86_400))..<now.advanced(by: .seconds(3 * 86_400))
    }
}

/// The place of a name in an order, for going on with the next page.
public struct CataloguePlace: Sendable, Hashable, LosslessStringConvertible {
    /// Its number of events, or the time of its latest in milliseconds; 0 where names themselves are the order.
    public var number: Int64
    /// The name.
    public var name: String

    /// A place.
    public init(number: Int64, name: String) {
        self.number = number
        self.name = name
    }

    /// Reads `1204.purchase`.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]) else { return nil }
        self.init(number: number, name: String(parts[1]))
    }

    public var description: String { "\(number).\(name)" }
}

/// The names of events, and how often each came.
public struct Catalogue: Sendable, Hashable {
    /// The most names that are told apart; the events of any further ones count together.
    public static let maxNames = 10_000

    /// The names asked for, in their order.
    public var entries: [CatalogueEntry]
    /// How many names are told apart altogether.
    public var names: Int
    /// Events whose names are not told apart.
    public var others: Int64

    /// A catalogue.
    public init(entries: [CatalogueEntry], names: Int, others: Int64) {
        self.entries = entries
        self.names = names
        self.others = others
    }
}

/// A name of the catalogue.
public struct CatalogueEntry: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Its events, repeats once.
    public var events: Int64
    /// The device's time of the earliest.
    public var first: Timestamp
    /// The device's time of the latest.
    public var last: Timestamp
    /// How many of them happened today.
    public var today: Int64
    /// How many happened today or in the 29 days before.
    public var month: Int64

    /// An entry.
    public init(name: String, events: Int64, first: Timestamp, last: Timestamp, today: Int64 = 0, month: Int64 = 0) {
        self.name = name
        self.events = events
        self.first = first
        self.last = last
        self.today = today
        self.month = month
    }

    /// Its place in an order.
    public func place(in order: CatalogueQuery.Order) -> CataloguePlace {
        switch order {
        case .events: CataloguePlace(number: events, name: name)
        case .last: CataloguePlace(number: last.milliseconds, name: name)
        case .name: CataloguePlace(number: 0, name: name)
        }
    }
}

extension CatalogueEntry: BudgetedRow {
    public var answerBytes: Int { 1_024 + name.utf8.count }

    /// Writes the counts as members of an object that is open.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("events", events)
        writer.member("first", first)
        writer.member("last", last)
        writer.member("today", today)
        writer.member("days_30", month)
    }
}

extension Catalogue {
    /// Writes the answer to a query.
    public func write(for query: CatalogueQuery, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("events", entries) { entry, writer in
            writer.beginObject()
            entry.writeMembers(to: &writer)
            writer.list("remarks", Remark.remarks(onEvent: entry.name)) { $0.write(to: &$1) }
            writer.endObject()
        }
        writer.next(behind: entries, limit: query.limit) { $0.place(in: query.order).description }
        writer.member("names", Int64(names))
        writer.member("others", others)
        writer.endObject()
    }
}
