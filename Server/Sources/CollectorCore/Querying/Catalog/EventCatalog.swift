// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A query for names in the event catalog.
public struct CatalogQuery: Sendable, Hashable {
    /// The sort order.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// By number of events, largest first.
        case events
        /// By time of the latest event, newest first, by the devices' clocks.
        case last
        /// By name, in byte order.
        case name
    }

    /// Text that the name must contain, ignoring ASCII case.
    public var search: String?
    /// The prefix that the name must have, matched exactly.
    public var prefix: String?
    /// The sort order.
    public var order: Order
    /// The cursor after which the results continue.
    public var after: CatalogCursor?
    /// The maximum number of names in one response.
    public var limit: Int
    /// The days that are counted separately, in addition to the totals.
    public var days: CatalogDays

    /// Creates a query for all names.
    public init(order: Order = .events, limit: Int = 50, days: CatalogDays) {
        self.order = order
        self.limit = limit
        self.days = days
    }
}

/// Today and the thirty days ending today, in a time zone.
public struct CatalogDays: Sendable, Hashable {
    /// The number of days in ``month``.
    public static let length = 30

    /// Today, from midnight to midnight.
    public let today: Range<Timestamp>
    /// Today and the preceding 29 days.
    public let month: Range<Timestamp>

    /// Creates the days for a point in time.
    ///
    /// - Parameters:
    ///   - now: A time within today.
    ///   - zone: The time zone of the days; its offsets must cover ``needed(around:)``.
    /// - Returns: Nil for a time outside the supported calendar range.
    public init?(around now: Timestamp, in zone: ZoneOffsets) {
        let range = Self.needed(around: now)
        guard let time = QueryTimeRange(from: range.lowerBound, to: range.upperBound, interval: .day, in: zone),
            let index = time.edges.lastIndex(where: { $0 <= now }), index >= Self.length, index + 1 < time.edges.count
        else { return nil }
        today = time.edges[index]..<time.edges[index + 1]
        month = time.edges[index + 1 - Self.length]..<time.edges[index + 1]
    }

    /// Returns the time range for which a zone's offsets are needed.
    public static func needed(around now: Timestamp) -> Range<Timestamp> {
        now.advanced(by: .seconds(-33 * 86_400))..<now.advanced(by: .seconds(3 * 86_400))
    }
}

/// A page cursor: the position of a name in a sort order.
public struct CatalogCursor: Sendable, Hashable, LosslessStringConvertible {
    /// The value by which the catalog is sorted.
    ///
    /// The number of events, or the time of the latest event in milliseconds; 0 when sorted by name.
    public var number: Int64
    /// The name.
    public var name: String

    /// Creates a cursor.
    public init(number: Int64, name: String) {
        self.number = number
        self.name = name
    }

    /// Parses a cursor such as `1204.purchase`.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]) else { return nil }
        self.init(number: number, name: String(parts[1]))
    }

    public var description: String { "\(number).\(name)" }
}

/// The names of events and their counts.
public struct EventCatalog: Sendable, Hashable {
    /// The maximum number of distinct names.
    ///
    /// Events with names beyond this limit are counted together.
    public static let maxNames = 10_000

    /// The requested names, in order.
    public var entries: [CatalogEntry]
    /// The total number of distinct names.
    public var names: Int
    /// The number of events with names beyond ``maxNames``.
    public var others: Int64

    /// Creates a catalog.
    public init(entries: [CatalogEntry], names: Int, others: Int64) {
        self.entries = entries
        self.names = names
        self.others = others
    }
}

/// A name in the catalog.
public struct CatalogEntry: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The number of events, excluding duplicates.
    public var events: Int64
    /// The device time of the earliest event.
    public var first: Timestamp
    /// The device time of the latest event.
    public var last: Timestamp
    /// The number of events that happened today.
    public var today: Int64
    /// The number of events that happened within the last 30 days.
    ///
    /// These days are today and the preceding 29 days.
    public var month: Int64

    /// Creates an entry.
    public init(name: String, events: Int64, first: Timestamp, last: Timestamp, today: Int64 = 0, month: Int64 = 0) {
        self.name = name
        self.events = events
        self.first = first
        self.last = last
        self.today = today
        self.month = month
    }

    /// Returns the entry's cursor for a sort order.
    public func place(in order: CatalogQuery.Order) -> CatalogCursor {
        switch order {
        case .events: CatalogCursor(number: events, name: name)
        case .last: CatalogCursor(number: last.milliseconds, name: name)
        case .name: CatalogCursor(number: 0, name: name)
        }
    }
}

extension CatalogEntry: BudgetedRow {
    public var responseBytes: Int { 1_024 + name.utf8.count }

    /// Writes the name and the counts as members of an open object.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("events", events)
        writer.member("first", first)
        writer.member("last", last)
        writer.member("today", today)
        writer.member("days_30", month)
    }
}

extension EventCatalog {
    /// Writes the response to a query.
    public func write(for query: CatalogQuery, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("events", entries) { entry, writer in
            writer.beginObject()
            entry.writeMembers(to: &writer)
            writer.list("remarks", FormatWarning.warnings(forEvent: entry.name)) { $0.write(to: &$1) }
            writer.endObject()
        }
        writer.writeNextCursor(after: entries, limit: query.limit) { $0.place(in: query.order).description }
        writer.member("names", Int64(names))
        writer.member("others", others)
        writer.endObject()
    }
}
