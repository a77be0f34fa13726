// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Statistics of the latest events with one name.
public struct EventDescription: Sendable, Hashable {
    /// The limits on the work for one description.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of events to read, latest arrival first.
        public var events = 10_000
        /// The maximum number of bytes of events to read.
        ///
        /// The same limit applies separately to the bytes of their contexts.
        public var bytes = 64 << 20
        /// The maximum duration.
        public var time = Duration.seconds(5)
        /// The maximum number of distinct attributes.
        ///
        /// Attributes beyond this limit are not described; only their values are counted.
        public var attributes = 1_000
        /// The maximum number of distinct values per attribute.
        ///
        /// The values encountered first are kept.
        public var values = 1_000
        /// The maximum size of a distinct value in bytes.
        public var valueBytes = 256
        /// The maximum total number of bytes of all distinct values.
        public var keptBytes = 16 << 20
        /// The number of most frequent values shown per attribute.
        public var shown = 10

        /// Creates the default limits.
        public init() {}
    }

    /// The catalog entry of the event's name.
    ///
    /// Nil when the catalog does not list the name separately, because there are too many names.
    public var entry: CatalogEntry?
    /// The event's name.
    public var name: String
    /// The number of events read, starting with the latest arrival.
    public var read: Int
    /// The earliest arrival time of the events read; nil for none.
    public var since: Timestamp?
    /// The attributes, most common first.
    public var attributes: [AttributeDescription]
    /// The number of values of attributes beyond the limit.
    public var omitted: Int
    /// The largest number of attributes in any one event.
    public var maximumAttributes: Int
    /// The number of events with items.
    public var itemEvents: Int
    /// The largest number of items in any one event.
    public var maximumItems: Int
    /// The number of events with each unused member, by member name.
    public var unreadMembers: [String: Int]
    /// The number of events with a device time before ``EventTimes/earliest``.
    public var earlyTimes: Int
    /// The number of events with a device time in the future.
    ///
    /// That is, a time more than ``EventTimes/aheadTolerance`` after arrival.
    public var lateTimes: Int
    /// The app versions that sent the events, most frequent first.
    public var versions: [ValueCount]
    /// The platforms of the events, most frequent first.
    public var platforms: [ValueCount]

    /// Creates a description without events.
    public init(name: String, entry: CatalogEntry? = nil) {
        self.name = name
        self.entry = entry
        read = 0
        attributes = []
        omitted = 0
        maximumAttributes = 0
        itemEvents = 0
        maximumItems = 0
        unreadMembers = [:]
        earlyTimes = 0
        lateTimes = 0
        versions = []
        platforms = []
    }
}

/// A value and the number of events that have it.
public struct ValueCount: Sendable, Hashable {
    /// The value.
    public var value: QueryValue
    /// The number of events with this value.
    public var events: Int

    /// Creates a count.
    public init(value: QueryValue, events: Int) {
        self.value = value
        self.events = events
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("value")
        value.write(to: &writer)
        writer.member("events", Int64(events))
        writer.endObject()
    }
}

/// Statistics of the values of an attribute.
public struct AttributeDescription: Sendable, Hashable {
    /// Where the attribute is set.
    public enum Scope: String, Sendable, Hashable {
        /// On the event.
        case event
        /// In the context's `global` object, for all events.
        case global
    }

    /// A kind of value.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Text.
        case string
        /// A whole number.
        case integer
        /// Any other number.
        case double
        /// True or false.
        case boolean
        /// A list.
        case list
        /// An object.
        case object
        /// Null, which counts as absent.
        case null
    }

    /// The name.
    public var name: String
    /// Where the attribute is set.
    public var scope: Scope
    /// The number of events with a non-null value of the attribute.
    public var events: Int
    /// The number of values of each kind.
    public var kinds: [Kind: Int]
    /// The minimum and maximum of numeric values; nil without numeric values.
    public var numbers: ClosedNumbers?
    /// The most frequent distinct values.
    public var values: [ValueCount]
    /// The number of distinct values.
    public var distinct: Int
    /// Whether some values are not counted among the distinct values.
    ///
    /// Such values are too long, are lists or objects, or occurred after a limit was reached.
    public var hasMore: Bool
    /// The length of the longest string in UTF-8 bytes; 0 without strings.
    public var longestBytes: Int
    /// The length of the longest string in UTF-16 code units.
    ///
    /// The longest string is the one with the most UTF-8 bytes.
    public var longestUnits: Int
    /// The number of strings that spell a number, such as "12.50".
    public var spelledNumbers: Int

    /// The minimum and maximum of a set of numbers.
    public struct ClosedNumbers: Sendable, Hashable {
        /// The minimum.
        public var least: JSONNumber
        /// The maximum.
        public var greatest: JSONNumber

        /// Creates a range from its minimum and maximum.
        public init(least: JSONNumber, greatest: JSONNumber) {
            self.least = least
            self.greatest = greatest
        }
    }

    /// Creates an attribute without values.
    public init(name: String, scope: Scope) {
        self.name = name
        self.scope = scope
        events = 0
        kinds = [:]
        values = []
        distinct = 0
        hasMore = false
        longestBytes = 0
        longestUnits = 0
        spelledNumbers = 0
    }

    /// Whether the attribute has values of several kinds.
    ///
    /// Integers and other numbers count as one kind.
    public var isConflicting: Bool {
        var found = Set(kinds.keys).subtracting([.null])
        if found.contains(.double) { found.remove(.integer) }
        return found.count > 1
    }
}

extension EventDescription {
    /// Writes the description.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let entry { entry.writeMembers(to: &writer) } else { writer.member("name", name) }
        writer.member("read", Int64(read))
        writer.key("since")
        if let since { writer.integer(since.milliseconds) } else { writer.null() }
        writer.list("attributes", attributes) { $0.write(of: name, read: read, to: &$1) }
        writer.member("omitted", Int64(omitted))
        writer.member("max_attributes", Int64(maximumAttributes))
        writer.object("items") { writer in
            writer.member("events", Int64(itemEvents))
            writer.member("max", Int64(maximumItems))
        }
        writer.list("app_versions", versions) { $0.write(to: &$1) }
        writer.list("platforms", platforms) { $0.write(to: &$1) }
        let warnings =
            FormatWarning.warnings(forEvent: name)
            + FormatWarning.warnings(attributes: maximumAttributes, items: maximumItems)
            + FormatWarning.warnings(unread: unreadMembers, early: earlyTimes, late: lateTimes)
        writer.list("remarks", warnings) { $0.write(to: &$1) }
        writer.endObject()
    }
}

extension AttributeDescription {
    fileprivate func write(of event: String, read: Int, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("scope", scope.rawValue)
        writer.member("events", Int64(events))
        writer.member("fill", read > 0 ? min(1, Double(events) / Double(read)) : 0)
        writer.object("types") { writer in
            for kind in Kind.allCases { if let count = kinds[kind] { writer.member(kind.rawValue, Int64(count)) } }
        }
        writer.member("conflict", isConflicting)
        if let numbers {
            writer.key("min")
            numbers.least.write(to: &writer)
            writer.key("max")
            numbers.greatest.write(to: &writer)
        }
        writer.list("values", values) { $0.write(to: &$1) }
        writer.member("distinct", Int64(distinct))
        writer.member("more", hasMore)
        if longestBytes > 0 { writer.member("longest", Int64(longestBytes)) }
        var warnings = FormatWarning.warnings(forAttribute: name, of: event)
        warnings += FormatWarning.warnings(forTextBytes: longestBytes, units: longestUnits)
        if isConflicting {
            warnings.append(
                FormatWarning(
                    .trackway,
                    "type_conflict",
                    "Values have several types; a column in another system accepts only one."
                )
            )
        }
        let texts = kinds[.string] ?? 0
        if texts > 0, spelledNumbers == texts { warnings.append(FormatWarning.numberAsText(texts)) }
        writer.list("remarks", warnings) { $0.write(to: &$1) }
        writer.endObject()
    }
}
