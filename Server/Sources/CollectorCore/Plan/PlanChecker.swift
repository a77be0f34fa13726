// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The ways in which an event can violate the plan.
public enum PlanCode: String, Sendable, Hashable, CaseIterable {
    /// The plan does not name the event.
    case unplanned
    /// A required value is missing.
    case missing
    /// A value is present that the plan does not allow.
    case unexpected
    /// The value has the wrong type.
    case type
    /// The value is not one of the listed values.
    case value = "enum"
    /// The number is too small.
    case minimum
    /// The number is too large.
    case maximum
    /// The string is too short.
    case minimumLength = "min_length"
    /// The string is too long.
    case maximumLength = "max_length"
    /// The string is not a date and time.
    case dateTime = "date_time"
    /// There are too few elements.
    case minimumCount = "min_items"
    /// There are too many elements.
    case maximumCount = "max_items"
    /// The event has more violations than are reported for one event.
    case more
    /// Violations counted together because there are too many groups.
    ///
    /// Used only in groups.
    case others
}

/// One violation in an event.
///
/// An event has each violation at most once.
public struct PlanFinding: Sendable, Hashable {
    /// The number of the violated schema in the checker.
    public var schema: Int32
    /// The kind of violation.
    public var code: PlanCode
    /// The name that the plan does not allow; empty for other codes.
    public var name: String

    /// Creates a finding.
    public init(schema: Int32, code: PlanCode, name: String = "") {
        self.schema = schema
        self.code = code
        self.name = name
    }
}

/// A plan compiled for checking many events.
///
/// Everything is stored in flat arrays and addressed by number; names are bytes in search order.
public struct PlanChecker: Sendable {
    /// An event's schemas.
    struct Event {
        let attributes: Int32
        /// The number of the items' schema; -1 if the plan does not describe items.
        let items: Int32
    }

    /// A property of an object.
    struct Property {
        let name: Range<Int>
        let schema: Int32
        let isRequired: Bool
    }

    /// The members that an object may have in addition to its properties.
    enum Additional {
        case allowed
        case forbidden
        case schema(Int32)
    }

    /// One schema.
    struct Schema {
        let path: String
        let kinds: Kinds
        let isFree: Bool
        let isDateTime: Bool
        /// Whether names that clients add automatically are allowed.
        let isRoot: Bool
        /// Whether only listed values are allowed.
        ///
        /// The listed values are the strings (by number), numbers, and Booleans below.
        var isListed = false
        var texts: Range<Int> = 0..<0
        var numbers: [JSONNumber] = []
        var truths: [Bool] = []
        let minimum: PlanSchema.Bound?
        let maximum: PlanSchema.Bound?
        let minimumLength: Int?
        let maximumLength: Int?
        let minimumCount: Int?
        let maximumCount: Int?
        /// The number of the elements' schema; -1 if any elements are allowed.
        var elements: Int32 = -1
        var properties: Range<Int> = 0..<0
        var required = 0
        var additional = Additional.allowed
    }

    /// A set of kinds.
    struct Kinds: OptionSet {
        let rawValue: UInt8

        static let string = Kinds(rawValue: 1)
        static let integer = Kinds(rawValue: 2)
        static let number = Kinds(rawValue: 4)
        static let boolean = Kinds(rawValue: 8)
        static let array = Kinds(rawValue: 16)
        static let object = Kinds(rawValue: 32)
        static let all = Kinds(rawValue: 63)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ kinds: Set<PlanSchema.Kind>) {
            var found: Kinds = kinds.isEmpty ? .all : []
            for kind in kinds {
                switch kind {
                case .string: found.insert(.string)
                case .integer: found.insert(.integer)
                case .number: found.formUnion([.integer, .number])
                case .boolean: found.insert(.boolean)
                case .array: found.insert(.array)
                case .object: found.insert(.object)
                }
            }
            self = found
        }
    }

    /// The plan.
    public let plan: TrackingPlan
    /// A digest that identifies the plan's rules.
    public let digest: String
    private let numbers: [String: Int]
    private(set) var events: [Event] = []
    private(set) var schemas: [Schema] = []
    private(set) var properties: [Property] = []
    /// Listed strings, in search order.
    private(set) var texts: [Range<Int>] = []
    /// The bytes of names and strings.
    private(set) var bytes: [UInt8] = []

    /// Creates a checker for a plan.
    ///
    /// - Complexity: O(size of the plan · log).
    public init(_ plan: TrackingPlan) {
        self.plan = plan
        digest = plan.digest
        numbers = Dictionary(plan.events.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for event in plan.events {
            let attributes = add(event.attributes, path: "attributes", isRoot: true)
            let items = event.items.map { add($0, path: "items", isRoot: false) }
            events.append(Event(attributes: attributes, items: items ?? -1))
        }
    }

    /// Returns the number of a planned event; nil for an unplanned name.
    public func number(of name: String) -> Int? { numbers[name] }

    /// Whether clients record events of this name automatically.
    ///
    /// A plan does not need to name them.
    public static func isCaptured(_ name: String) -> Bool {
        guard let first = name.utf8.first, first == UInt8(ascii: "_") || first == UInt8(ascii: "$") else {
            return false
        }
        return FormatWarning.isCaptured(event: name)
    }

    /// Returns the path of a finding, such as `attributes.total`, `items[].attributes.price`.
    ///
    /// The path is empty for the event itself.
    public func path(of finding: PlanFinding) -> String {
        guard finding.code != .more else { return "" }
        let path = schemas[Int(finding.schema)].path
        return (finding.code == .unexpected ? PlanPath.joined(path, finding.name) : path).truncated(
            toUTF8Count: PlanLimits.pathBytes
        )
    }

    /// Returns a short description of the value expected at a path.
    ///
    /// Nil if the plan does not describe the path.
    ///
    /// - Complexity: O(schemas of the event).
    public func expectation(of name: String, at path: String) -> String? {
        guard let number = number(of: name), !path.isEmpty else { return nil }
        let event = plan.events[number]
        return Self.find(path, "attributes", event.attributes)
            ?? event.items.flatMap { Self.find(path, "items", $0) }
    }

    private static func find(_ wanted: String, _ path: String, _ schema: PlanSchema) -> String? {
        guard wanted.hasPrefix(path.truncated(toUTF8Count: PlanLimits.pathBytes)) else { return nil }
        if wanted == path.truncated(toUTF8Count: PlanLimits.pathBytes) { return schema.summary }
        for property in schema.properties {
            if let found = find(wanted, PlanPath.joined(path, property.name), property.schema) { return found }
        }
        if case .described(let schemas) = schema.additional, let other = schemas.first,
            let found = find(wanted, path + ".*", other)
        {
            return found
        }
        return schema.elements.first.flatMap { find(wanted, path + "[]", $0) }
    }

    // MARK: Compiling

    private mutating func add(_ source: PlanSchema, path: String, isRoot: Bool) -> Int32 {
        let number = schemas.count
        schemas.append(
            Schema(
                path: path,
                kinds: Kinds(source.kinds),
                isFree: source.isFree,
                isDateTime: source.isDateTime,
                isRoot: isRoot,
                minimum: source.minimum,
                maximum: source.maximum,
                minimumLength: source.minimumLength,
                maximumLength: source.maximumLength,
                minimumCount: source.minimumCount,
                maximumCount: source.maximumCount
            )
        )
        if let values = source.values { list(values, number) }
        if let elements = source.elements.first {
            schemas[number].elements = add(elements, path: path + "[]", isRoot: false)
        }
        if case .described(let described) = source.additional, let schema = described.first {
            schemas[number].additional = .schema(add(schema, path: path + ".*", isRoot: false))
        } else if source.additional == .forbidden {
            schemas[number].additional = .forbidden
        }
        let list = source.properties.map { property in
            (
                property: property,
                schema: add(property.schema, path: PlanPath.joined(path, property.name), isRoot: false)
            )
        }.sorted { Self.precedes(Array($0.property.name.utf8), Array($1.property.name.utf8)) }
        let first = properties.count
        for (property, schema) in list {
            properties.append(
                Property(name: keep(Array(property.name.utf8)), schema: schema, isRequired: property.isRequired)
            )
        }
        schemas[number].properties = first..<properties.count
        schemas[number].required = list.count { $0.property.isRequired }
        return Int32(number)
    }

    private mutating func list(_ values: [QueryValue], _ number: Int) {
        schemas[number].isListed = true
        var found: [[UInt8]] = []
        for value in values {
            switch value {
            case .text(let bytes): found.append(bytes)
            case .number(let value): schemas[number].numbers.append(value)
            case .boolean(let value): schemas[number].truths.append(value)
            case .structure: break
            }
        }
        let first = texts.count
        for text in found.sorted(by: Self.precedes) { texts.append(keep(text)) }
        schemas[number].texts = first..<texts.count
    }

    private mutating func keep(_ text: [UInt8]) -> Range<Int> {
        bytes += text
        return bytes.count - text.count..<bytes.count
    }

    /// Orders names by length first, which usually avoids comparing bytes.
    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right)
    }

    /// Compares stored bytes with other bytes in search order.
    ///
    /// - Returns: A number below 0, 0, or a number above 0.
    @inline(__always)
    func order(_ kept: Range<Int>, _ other: UnsafeRawBufferPointer) -> Int {
        if kept.count != other.count { return kept.count &- other.count }
        for index in 0..<other.count {
            let byte = bytes[kept.lowerBound &+ index]
            if byte != other[index] { return Int(byte) &- Int(other[index]) }
        }
        return 0
    }

    /// Returns the property with this name; nil when the object has none.
    ///
    /// - Complexity: O(log properties).
    @inline(__always)
    func property(_ name: UnsafeRawBufferPointer, in range: Range<Int>) -> Int? {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low &+ (high &- low) / 2
            let order = order(properties[middle].name, name)
            if order == 0 { return middle }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return nil
    }

    /// Whether a string is one of the listed strings.
    ///
    /// - Complexity: O(log strings).
    @inline(__always)
    func isListed(_ text: UnsafeRawBufferPointer, in range: Range<Int>) -> Bool {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low &+ (high &- low) / 2
            let order = order(texts[middle], text)
            if order == 0 { return true }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return false
    }
}
