// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Computes statistics of events, one event at a time.
///
/// The tally's memory use is bounded, regardless of the events' content.
public struct DescriptionTally: Sendable {
    private struct Attribute {
        var description: AttributeDescription
        var values: [QueryValue: Int] = [:]
        /// The number of the last event with the attribute.
        ///
        /// This number ensures that each event counts only once.
        var latest = -1
    }

    private struct Key: Hashable {
        let name: [UInt8]
        let isGlobal: Bool
    }

    private let limits: EventDescription.Limits
    private var result: EventDescription
    private var numbers: [Key: Int] = [:]
    private var attributes: [Attribute] = []
    private var versions: [QueryValue: Int] = [:]
    private var platforms: [QueryValue: Int] = [:]
    private var keptBytes = 0

    /// Creates a tally without events.
    ///
    /// - Parameter description: The description to extend.
    public init(_ description: EventDescription, limits: EventDescription.Limits) {
        result = description
        self.limits = limits
    }

    /// The number of events read.
    public var read: Int { result.read }

    /// Adds an event.
    ///
    /// - Complexity: O(bytes).
    public mutating func add(_ body: UnsafeRawBufferPointer, received: Timestamp) {
        result.read += 1
        result.since = min(result.since ?? received, received)
        do throws(JSONError) {
            var scanner = try JSONScanner(body, limits: JSONLimits(bytes: body.count))
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                if scanner.text(key, equals: "attributes"), try scanner.peek() == .object {
                    try addAttributes(&scanner)
                } else if scanner.text(key, equals: "items"), try scanner.peek() == .array {
                    try addItems(&scanner)
                } else if scanner.text(key, equals: "time"), try scanner.peek() == .number {
                    if case .integer(let time) = try scanner.readNumber() {
                        add(time: Timestamp(milliseconds: time), received: received)
                    }
                } else {
                    let name = scanner.string(key)
                    if !EventMembers.known.contains(name) { add(unread: name) }
                    try scanner.skipValue()
                }
            }
        } catch {
            // Admission validated the text; a value that is not an object has no attributes.
        }
    }

    /// The maximum number of distinct unused members.
    private static let unreadMembers = 16

    private mutating func add(unread name: String) {
        guard result.unreadMembers[name] != nil || result.unreadMembers.count < Self.unreadMembers else { return }
        result.unreadMembers[name, default: 0] += 1
    }

    private mutating func add(time: Timestamp, received: Timestamp) {
        if time < EventTimes.earliest {
            result.earlyTimes += 1
        } else if received.duration(to: time) > EventTimes.aheadTolerance {
            result.lateTimes += 1
        }
    }

    /// Adds a context that applies to some of the events.
    public mutating func add(context: [UInt8], events: Int) {
        // Admission validated the text; a context that cannot be parsed is skipped.
        guard let context = try? JSONValue.parse(context, limits: JSONLimits(bytes: context.count)) else { return }
        if let version = context["app"]?["version"].flatMap(QueryValue.init) {
            count(version, events, in: \.versions)
        }
        if let platform = context["device"]?["platform"].flatMap(QueryValue.init) {
            count(platform, events, in: \.platforms)
        }
        for member in context["global"]?.object?.members ?? [] {
            add(
                QueryValue(member.value),
                kind(of: member.value),
                to: Key(name: Array(member.key.utf8), isGlobal: true),
                events
            )
        }
    }

    private mutating func addAttributes(_ scanner: inout JSONScanner) throws(JSONError) {
        var count = 0
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            count += 1
            let name = key.hasEscapes ? Array(scanner.string(key).utf8) : Array(scanner.bytes(key.range))
            let place = Key(name: name, isGlobal: false)
            switch try scanner.peek() {
            case .object:
                try scanner.skipValue()
                add(nil, .object, to: place, 1)
            case .array:
                try scanner.skipValue()
                add(nil, .list, to: place, 1)
            case .null:
                try scanner.readNull()
                add(nil, .null, to: place, 1)
            case .string, .number, .boolean:
                let value = try scanner.readValue()
                add(QueryValue(value), kind(of: value), to: place, 1)
            }
        }
        result.maximumAttributes = max(result.maximumAttributes, count)
    }

    private mutating func addItems(_ scanner: inout JSONScanner) throws(JSONError) {
        var count = 0
        try scanner.enterArray()
        while try scanner.nextElement() {
            try scanner.skipValue()
            count += 1
        }
        if count > 0 { result.itemEvents += 1 }
        result.maximumItems = max(result.maximumItems, count)
    }

    private func kind(of value: JSONValue) -> AttributeDescription.Kind {
        switch value {
        case .null: .null
        case .boolean: .boolean
        case .integer: .integer
        // A whole number that fits in `Int64` is an integer, regardless of its notation.
        case .double(let number): Int64(exactly: number) == nil ? .double : .integer
        case .string: .string
        case .array: .list
        case .object: .object
        }
    }

    private mutating func add(
        _ value: QueryValue?,
        _ kind: AttributeDescription.Kind,
        to key: Key,
        _ events: Int
    ) {
        guard let index = index(of: key) else {
            result.omitted += events
            return
        }
        attributes[index].description.kinds[kind, default: 0] += events
        guard kind != .null else { return }
        if key.isGlobal || attributes[index].latest != result.read {
            attributes[index].latest = result.read
            attributes[index].description.events += events
        }
        switch value {
        case .text(let bytes):
            if bytes.count > attributes[index].description.longestBytes {
                attributes[index].description.longestBytes = bytes.count
                attributes[index].description.longestUnits = String(decoding: bytes, as: UTF8.self).utf16.count
            }
            if value?.spelledNumber != nil { attributes[index].description.spelledNumbers += events }
            keep(.text(bytes), events, of: index)
        case .number(let number):
            widen(index, by: number)
            keep(.number(number), events, of: index)
        case .boolean(let flag): keep(.boolean(flag), events, of: index)
        case nil, .structure: attributes[index].description.hasMore = true
        }
    }

    private mutating func index(of key: Key) -> Int? {
        if let known = numbers[key] { return known }
        guard attributes.count < limits.attributes else { return nil }
        numbers[key] = attributes.count
        let name = String(decoding: key.name, as: UTF8.self)
        attributes.append(
            Attribute(description: AttributeDescription(name: name, scope: key.isGlobal ? .global : .event))
        )
        return attributes.count - 1
    }

    private mutating func widen(_ index: Int, by number: JSONNumber) {
        guard var known = attributes[index].description.numbers else {
            attributes[index].description.numbers = .init(least: number, greatest: number)
            return
        }
        if number.isLess(than: known.least) { known.least = number }
        if known.greatest.isLess(than: number) { known.greatest = number }
        attributes[index].description.numbers = known
    }

    private mutating func keep(_ value: QueryValue, _ events: Int, of index: Int) {
        if attributes[index].values[value] != nil {
            attributes[index].values[value, default: 0] += events
            return
        }
        let bytes = value.bytes
        guard attributes[index].values.count < limits.values, bytes <= 48 + limits.valueBytes,
            keptBytes + bytes <= limits.keptBytes
        else {
            attributes[index].description.hasMore = true
            return
        }
        keptBytes += bytes
        attributes[index].values[value] = events
    }

    private mutating func count(
        _ value: QueryValue,
        _ events: Int,
        in counts: WritableKeyPath<DescriptionTally, [QueryValue: Int]>
    ) {
        guard self[keyPath: counts][value] != nil || self[keyPath: counts].count < limits.values,
            value.bytes <= 48 + limits.valueBytes
        else { return }
        self[keyPath: counts][value, default: 0] += events
    }

    /// Returns the statistics of the events.
    ///
    /// - Complexity: O(n · log n) for n distinct values.
    public func description() -> EventDescription {
        var result = result
        result.attributes = attributes.map { attribute in
            var description = attribute.description
            description.distinct = attribute.values.count
            description.values = most(attribute.values)
            return description
        }
        // Names are ordered byte by byte, so two encodings of one character are different names.
        result.attributes.sort { left, right in
            if left.events != right.events { return left.events > right.events }
            if left.name.utf8.elementsEqual(right.name.utf8) { return left.scope == .event && right.scope == .global }
            return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
        result.versions = most(versions)
        result.platforms = most(platforms)
        return result
    }

    private func most(_ counts: [QueryValue: Int]) -> [ValueCount] {
        let ranked = counts.map { ValueCount(value: $0.key, events: $0.value) }.sorted { left, right in
            left.events != right.events
                ? left.events > right.events : text(left.value).lexicographicallyPrecedes(text(right.value))
        }
        return Array(ranked.prefix(limits.shown))
    }

    private func text(_ value: QueryValue) -> [UInt8] {
        var writer = JSONWriter()
        value.write(to: &writer)
        return writer.array()
    }
}
