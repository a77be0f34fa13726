// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Something that happened, immutable once recorded.
public struct Event: Sendable, Hashable, Identifiable {
    /// Its identity, the same everywhere and for ever.
    public var id: EventID
    /// What happened.
    public var name: String
    /// When, by the device's wall clock.
    public var time: Timestamp
    /// When, since the device's boot.
    public var monotonic: MonotonicTime
    /// Its attributes, in order.
    public var attributes: Attributes
    /// What it is about, in order.
    public var items: [Item]

    /// An event of these parts, taken as they are.
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

/// Something an event is about: a product, an article, a seat.
public struct Item: Sendable, Hashable {
    /// What the app calls it.
    public var id: String
    /// What people call it.
    public var name: String?
    /// Its own attributes.
    public var attributes: Attributes

    /// An item.
    ///
    /// - Parameters:
    ///   - id: What the app calls it.
    ///   - name: What people call it.
    ///   - attributes: Its own attributes.
    public init(id: String, name: String? = nil, _ attributes: Attributes = [:]) {
        self.id = id
        self.name = name
        self.attributes = attributes
    }
}

extension Event {
    /// The longest text and deepest nesting of an event by default: what ``EventLimits`` allow to be recorded, with room.
    public static let jsonLimits = JSONLimits(bytes: 1024 * 1024, depth: JSONLimits.maximumDepth)

    /// Reads the canonical JSON form, with the members in any order and white space allowed.
    ///
    /// A text of exactly the form `2026-11-21T06:38:00.000Z` becomes a date; whole numbers beyond `Int64` become the
    /// nearest double; attributes that are null are absent. Unknown members are passed over: a newer version may have
    /// written them.
    ///
    /// - Throws: What is wrong and where.
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

    /// Reads the canonical JSON form.
    ///
    /// - Throws: What is wrong and where.
    public init(json: [UInt8], limits: JSONLimits = Event.jsonLimits) throws(JSONError) {
        self = try json.withUnsafeBufferPointer { (bytes) throws(JSONError) -> Event in
            try Event(json: UnsafeRawBufferPointer(bytes), limits: limits)
        }
    }

    /// The canonical JSON form.
    ///
    /// - Parameters:
    ///   - limits: What exceeds them is left out, as it is when recording.
    ///   - report: Told of everything that was left out or repaired.
    public func json(limits: EventLimits = EventLimits(), report: (Diagnostic) -> Void = { _ in }) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            EventEncoder.encode(
                id: id,
                name: name,
                moment: Moment(wall: time, monotonic: monotonic),
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
