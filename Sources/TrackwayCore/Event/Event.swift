// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A recorded occurrence, immutable once recorded.
public struct Event: Sendable, Hashable, Identifiable {
    /// The event's id, permanent and the same on every system.
    public var id: EventID
    /// The event's name.
    public var name: String
    /// The time of the event, by the device's wall clock.
    public var time: Timestamp
    /// The time of the event, since the device's boot.
    public var monotonic: MonotonicTime
    /// The event's attributes, in order.
    public var attributes: Attributes
    /// The items that the event refers to, in order.
    public var items: [Item]

    /// Creates an event without checking its parts.
    public init(
        id: EventID,
        name: String,
        time: Timestamp,
        monotonic: MonotonicTime,
        attributes: Attributes = [:],
        items: [Item] = []
    ) {
        self.id = id
        self.name = name
        self.time = time
        self.monotonic = monotonic
        self.attributes = attributes
        self.items = items
    }
}

/// An object that an event refers to.
///
/// For example, a product, an article or a seat.
public struct Item: Sendable, Hashable {
    /// The item's id in the app.
    public var id: String
    /// The item's display name.
    public var name: String?
    /// The item's attributes.
    public var attributes: Attributes

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - id: The item's id in the app.
    ///   - name: The item's display name.
    ///   - attributes: The item's attributes.
    public init(id: String, name: String? = nil, _ attributes: Attributes = [:]) {
        self.id = id
        self.name = name
        self.attributes = attributes
    }
}

extension Event {
    /// The default limits for parsing an event.
    ///
    /// They exceed the size and depth that ``EventLimits`` allow by default during recording.
    public static let jsonLimits = JSONLimits(bytes: 1024 * 1024, depth: JSONLimits.maximumDepth)

    /// Parses the canonical JSON form.
    ///
    /// Members may be in any order, with whitespace.
    ///
    /// A string of exactly the form `2026-11-21T06:38:00.000Z` becomes a date. Integers beyond `Int64` become strings
    /// of their digits. Attributes that are null are left out. Unknown members are skipped, because a newer version may
    /// have written them.
    ///
    /// - Throws: `JSONError` with the kind and the position of the problem.
    public init(json: UnsafeRawBufferPointer, limits: JSONLimits = Event.jsonLimits) throws(JSONError) {
        var scanner = try JSONScanner(json, limits: limits)
        var id: EventID?
        var name: String?
        var time: Int64?
        var monotonic: Int64?
        var attributes: Attributes?
        var items: [Item]?
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let place = key.range.lowerBound - 1
            if scanner.text(key, equals: "id") {
                guard id == nil else { throw JSONError(.memberDuplicate, at: place) }
                let text = try scanner.readText()
                guard let value = EventID(utf8: scanner.bytes(text.range)) else {
                    throw JSONError(.memberInvalid, at: text.range.lowerBound - 1)
                }
                id = value
            } else if scanner.text(key, equals: "name") {
                guard name == nil else { throw JSONError(.memberDuplicate, at: place) }
                name = scanner.string(try scanner.readText())
            } else if scanner.text(key, equals: "time") {
                guard time == nil else { throw JSONError(.memberDuplicate, at: place) }
                time = try scanner.readInteger()
            } else if scanner.text(key, equals: "mono") {
                guard monotonic == nil else { throw JSONError(.memberDuplicate, at: place) }
                monotonic = try scanner.readInteger()
            } else if scanner.text(key, equals: "attributes") {
                guard attributes == nil else { throw JSONError(.memberDuplicate, at: place) }
                attributes = try scanner.readAttributes()
            } else if scanner.text(key, equals: "items") {
                guard items == nil else { throw JSONError(.memberDuplicate, at: place) }
                items = try scanner.readItems()
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
        guard let id, let name, let time, let monotonic else {
            throw JSONError(.memberMissing, at: scanner.offset)
        }
        self.init(
            id: id,
            name: name,
            time: Timestamp(milliseconds: time),
            monotonic: MonotonicTime(milliseconds: monotonic),
            attributes: attributes ?? [:],
            items: items ?? []
        )
    }

    /// Parses the canonical JSON form.
    ///
    /// - Throws: `JSONError` with the kind and the position of the problem.
    public init(json: [UInt8], limits: JSONLimits = Event.jsonLimits) throws(JSONError) {
        self = try json.withUnsafeBufferPointer { (bytes) throws(JSONError) -> Event in
            try Event(json: UnsafeRawBufferPointer(bytes), limits: limits)
        }
    }

    /// Returns the canonical JSON form.
    ///
    /// - Parameters:
    ///   - limits: The limits of the event. Parts that exceed them are left out, as during recording.
    ///   - report: Called for everything that was left out or repaired.
    public func json(limits: EventLimits = EventLimits(), report: (Diagnostic) -> Void = { _ in }) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            EventEncoder.encode(
                id: id,
                name: name,
                moment: DualTimestamp(wall: time, monotonic: monotonic),
                attributes: attributes,
                items: items,
                limits: limits,
                into: &writer,
                report: report
            )
            return writer.array()
        }
    }
}
