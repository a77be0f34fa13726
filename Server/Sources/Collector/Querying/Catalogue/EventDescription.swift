// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What the latest events of a name look like.
public struct EventDescription: Sendable, Hashable {
    /// How much one description may look at.
    public struct Limits: Sendable, Hashable {
        /// The latest events by arrival.
        public var events = 10_000
        /// Bytes of them, and as many of their contexts.
        public var bytes = 64 << 20
        /// How long it may take.
        public var time = Duration.seconds(5)
        /// Attributes that are told apart; of others only their values are counted.
        public var attributes = 1_000
        /// Values of one attribute that are told apart: those that are met first.
        public var values = 1_000
        /// Bytes of a value beyond which it is not told apart.
        public var valueBytes = 256
        /// Bytes of all values that are told apart.
        public var keptBytes = 16 << 20
        /// Values of each attribute that are shown: the most frequent.
        public var shown = 10

        /// The usual limits.
        public init() {}
    }

    /// Its counts; nil where the name is not told apart from others, of which there are too many.
    public var entry: CatalogueEntry?
    /// Its name.
    public var name: String
    /// How many events were looked at: the latest by arrival.
    public var read: Int
    /// When the earliest of those arrived; nil when none was read.
    public var since: Timestamp?
    /// Its attributes, those that most events have first.
    public var attributes: [AttributeDescription]
    /// Values of attributes that are not told apart.
    public var omitted: Int
    /// The most attributes that one of the events has.
    public var maximumAttributes: Int
    /// How many of the events have items.
    public var itemEvents: Int
    /// The most items that one has.
    public var maximumItems: Int
    /// Members of the events that nothing reads, and how many events have them.
    public var unreadMembers: [String: Int]
    /// How many of the events have a device time before ``EventTimes/earliest``.
    public var earlyTimes: Int
    /// How many of the events have a device time more than ``EventTimes/ahead`` after they arrived.
    public var lateTimes: Int
    /// The versions of the app that sent them, the most frequent first.
    public var versions: [ValueCount]
    /// The platforms they came from.
    public var platforms: [ValueCount]

    /// A description of nothing yet.
    public init(name: String, entry: CatalogueEntry? = nil) {
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

/// A value and how many events have it.
public struct ValueCount: Sendable, Hashable {
    /// The value.
    public var value: QuestionValue
    /// How many events have it.
    public var events: Int

    /// A count.
    public init(value: QuestionValue, events: Int) {
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

/// What the values of an attribute look like.
public struct AttributeDescription: Sendable, Hashable {
    /// Whose attribute it is.
    public enum Scope: String, Sendable, Hashable {
        /// The event's own.
        case event
        /// One of all events, from the context.
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

    /// Its name.
    public var name: String
    /// Whose it is.
    public var scope: Scope
    /// How many events have it, with any value but null.
    public var events: Int
    /// How many values there are of each kind.
    public var kinds: [Kind: Int]
    /// The least and the greatest number; nil where there is none.
    public var numbers: ClosedNumbers?
    /// The most frequent values among those told apart.
    public var values: [ValueCount]
    /// How many values are told apart.
    public var distinct: Int
    /// Whether there are more than those: long ones, lists and objects, or those met after too many.
    public var hasMore: Bool
    /// The longest text, in bytes of UTF-8; 0 where there is none.
    public var longestBytes: Int
    /// The longest text, in units of UTF-16.
    public var longestUnits: Int
    /// How many texts spell a number, such as "12.50".
    public var spelledNumbers: Int

    /// The least and the greatest of some numbers.
    public struct ClosedNumbers: Sendable, Hashable {
        /// The least.
        public var least: JSONNumber
        /// The greatest.
        public var greatest: JSONNumber

        /// The bounds of some numbers.
        public init(least: JSONNumber, greatest: JSONNumber) {
            self.least = least
            self.greatest = greatest
        }
    }

    /// An attribute without values yet.
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

    /// Whether values of several kinds occur. Whole numbers and others are one kind.
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
        let remarks =
            Remark.remarks(onEvent: name) + Remark.remarks(attributes: maximumAttributes, items: maximumItems)
            + Remark.remarks(unread: unreadMembers, early: earlyTimes, late: lateTimes)
        writer.list("remarks", remarks) { $0.write(to: &$1) }
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
        var remarks = Remark.remarks(onAttribute: name, of: event)
        remarks += Remark.remarks(onText: longestBytes, units: longestUnits)
        if isConflicting {
            remarks.append(
                Remark(.trackway, "type_conflict", "Values of several types: a table of another engine takes one only.")
            )
        }
        let texts = kinds[.string] ?? 0
        if texts > 0, spelledNumbers == texts { remarks.append(Remark.numberAsText(texts)) }
        writer.list("remarks", remarks) { $0.write(to: &$1) }
        writer.endObject()
    }
}
