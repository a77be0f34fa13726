// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The constraints on a value.
///
/// The constraints are the subset of JSON Schema that plans support.
public struct PlanSchema: Sendable, Hashable {
    /// A kind of value, named as in JSON Schema.
    ///
    /// The order of the cases is the order in which kinds are written.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case string
        case integer
        case number
        case boolean
        case array
        case object
    }

    /// A bound of a range of numbers.
    public struct Bound: Sendable, Hashable {
        /// The number.
        public var number: JSONNumber
        /// Whether the number itself is excluded.
        public var isExclusive: Bool

        /// Creates a bound.
        public init(_ number: JSONNumber, isExclusive: Bool = false) {
            self.number = number
            self.isExclusive = isExclusive
        }
    }

    /// A property of an object.
    public struct Property: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The schema of its value.
        public var schema: PlanSchema
        /// Whether the property is required.
        public var isRequired: Bool

        /// Creates a property.
        public init(_ name: String, _ schema: PlanSchema, isRequired: Bool = false) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
        }
    }

    /// The members that an object may have in addition to its properties.
    public enum Additional: Sendable, Hashable {
        /// Any additional members.
        case allowed
        /// No additional members.
        case forbidden
        /// Additional members whose values match one schema, the only element of the array.
        case described([PlanSchema])
    }

    /// The allowed kinds; empty for any.
    public var kinds: Set<Kind>
    /// The allowed values, in the order of the file; nil for any.
    public var values: [QueryValue]?
    /// The minimum of a number.
    public var minimum: Bound?
    /// The maximum of a number.
    public var maximum: Bound?
    /// The minimum length of a string in Unicode scalars.
    public var minimumLength: Int?
    /// The maximum length of a string in Unicode scalars.
    public var maximumLength: Int?
    /// Whether a string must be an RFC 3339 date and time.
    public var isDateTime = false
    /// The minimum number of elements.
    public var minimumCount: Int?
    /// The maximum number of elements.
    public var maximumCount: Int?
    /// The schema of every element; the array contains at most one schema.
    public var elements: [PlanSchema] = []
    /// The properties, sorted by the bytes of their names.
    public var properties: [Property] = []
    /// The members that an object may have in addition to its properties.
    public var additional = Additional.allowed
    /// The meaning of the value.
    public var description: String?
    /// Whether the value is deprecated.
    public var isDeprecated = false

    /// Creates a schema for the given kinds; an empty set allows any.
    public init(kinds: Set<Kind> = []) {
        self.kinds = kinds
    }

    /// Whether the schema has no constraints, so that every value is valid.
    public var isFree: Bool {
        kinds.isEmpty && values == nil && minimum == nil && maximum == nil && minimumLength == nil
            && maximumLength == nil
            && !isDateTime && minimumCount == nil && maximumCount == nil && elements.isEmpty && properties.isEmpty
            && additional == .allowed
    }

    /// A short description for people, such as `number, at least 0`.
    public var summary: String {
        var parts = [kinds.isEmpty ? "any value" : sortedKinds.map(\.rawValue).joined(separator: " or ")]
        if isDateTime { parts.append("a date and time") }
        if let values {
            let shown = values.prefix(8).map { Self.text($0) }.joined(separator: ", ")
            parts.append("one of \(shown)\(values.count > 8 ? ", … (\(values.count))" : "")")
        }
        if let minimum {
            parts.append((minimum.isExclusive ? "more than " : "at least ") + Self.text(.number(minimum.number)))
        }
        if let maximum {
            parts.append((maximum.isExclusive ? "less than " : "at most ") + Self.text(.number(maximum.number)))
        }
        let limits: [(limit: Int?, words: String, unit: String)] = [
            (minimumLength, "at least", "characters"), (maximumLength, "at most", "characters"),
            (minimumCount, "at least", "elements"), (maximumCount, "at most", "elements"),
        ]
        for (limit, words, unit) in limits {
            if let limit { parts.append("\(words) \(limit) \(unit)") }
        }
        return parts.joined(separator: ", ").truncated(toUTF8Count: 512)
    }

    /// The kinds in the order in which they are written.
    public var sortedKinds: [Kind] { Kind.allCases.filter(kinds.contains) }

    private static func text(_ value: QueryValue) -> String {
        var writer = JSONWriter()
        value.write(to: &writer)
        return String(decoding: writer.array(), as: UTF8.self).truncated(toUTF8Count: 64)
    }
}

// MARK: As JSON

extension PlanSchema {
    /// Returns the schema as JSON, as in a plan file.
    ///
    /// - Parameter isAnnotated: Whether to include members that are for people only.
    public func json(isAnnotated: Bool) -> JSONValue {
        var members: [JSONValue.Object.Member] = []
        func add(_ key: String, _ value: JSONValue?) {
            if let value { members.append(.init(key: key, value: value)) }
        }
        let names = sortedKinds.map { JSONValue.string($0.rawValue) }
        add("type", names.count > 1 ? .array(names) : names.first)
        if isAnnotated {
            add("description", description.map { .string($0) })
            add("deprecated", isDeprecated ? .boolean(true) : nil)
        }
        add("format", isDateTime ? .string("date-time") : nil)
        add("enum", values.map { .array($0.map(Self.json)) })
        add(
            minimum?.isExclusive == true ? "exclusiveMinimum" : "minimum",
            minimum.map { Self.json(.number($0.number)) }
        )
        add(
            maximum?.isExclusive == true ? "exclusiveMaximum" : "maximum",
            maximum.map { Self.json(.number($0.number)) }
        )
        for (key, limit) in [
            ("minLength", minimumLength), ("maxLength", maximumLength), ("minItems", minimumCount),
            ("maxItems", maximumCount),
        ] {
            add(key, limit.map { .integer(Int64($0)) })
        }
        add("items", elements.first?.json(isAnnotated: isAnnotated))
        if !properties.isEmpty {
            let list = properties.map {
                JSONValue.Object.Member(key: $0.name, value: $0.schema.json(isAnnotated: isAnnotated))
            }
            add("properties", .object(JSONValue.Object(list)))
            let required = properties.filter(\.isRequired).map { JSONValue.string($0.name) }
            add("required", required.isEmpty ? nil : .array(required))
        }
        switch additional {
        case .allowed: break
        case .forbidden: add("additionalProperties", .boolean(false))
        case .described(let schemas): add("additionalProperties", schemas.first?.json(isAnnotated: isAnnotated))
        }
        return .object(JSONValue.Object(members))
    }

    private static func json(_ value: QueryValue) -> JSONValue {
        switch value {
        case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .number(.integer(let number)): .integer(number)
        case .number(.double(let number)): .double(number)
        case .boolean(let flag): .boolean(flag)
        case .structure: .null
        }
    }
}

extension PlannedEvent {
    /// Returns the event as JSON, as in a plan file.
    public func json(isAnnotated: Bool) -> JSONValue {
        var members: [JSONValue.Object.Member] = []
        if isAnnotated {
            if let description { members.append(.init(key: "description", value: .string(description))) }
            if let owner { members.append(.init(key: "owner", value: .string(owner))) }
            if isDeprecated { members.append(.init(key: "deprecated", value: .boolean(true))) }
        }
        members.append(.init(key: "attributes", value: attributes.json(isAnnotated: isAnnotated)))
        if let items { members.append(.init(key: "items", value: items.json(isAnnotated: isAnnotated))) }
        return .object(JSONValue.Object(members))
    }
}

extension TrackingPlan {
    /// Returns the plan as JSON, as in its file.
    ///
    /// - Parameter isAnnotated: Whether to include members that are for people only.
    public func json(isAnnotated: Bool) -> JSONValue {
        var members: [JSONValue.Object.Member] = [.init(key: "version", value: .integer(1))]
        if isAnnotated {
            if let title { members.append(.init(key: "title", value: .string(title))) }
            if let description { members.append(.init(key: "description", value: .string(description))) }
        }
        members.append(.init(key: "unplanned", value: .string(unplanned.rawValue)))
        let list = events.map { JSONValue.Object.Member(key: $0.name, value: $0.json(isAnnotated: isAnnotated)) }
        members.append(.init(key: "events", value: .object(JSONValue.Object(list))))
        return .object(JSONValue.Object(members))
    }

    /// Returns the plan formatted for editing, with one member per line.
    public func text() -> String {
        var lines = ""
        Self.write(json(isAnnotated: true), indented: 0, into: &lines)
        return lines + "\n"
    }

    private static func write(_ value: JSONValue, indented depth: Int, into text: inout String) {
        let inner = String(repeating: "  ", count: depth + 1)
        switch value {
        case .object(let object) where !object.members.isEmpty:
            text += "{"
            for (index, member) in object.members.enumerated() {
                text += (index == 0 ? "\n" : ",\n") + inner
                text += String(decoding: JSONValue.string(member.key).json(), as: UTF8.self) + ": "
                write(member.value, indented: depth + 1, into: &text)
            }
            text += "\n" + String(repeating: "  ", count: depth) + "}"
        case .array(let values) where !values.isEmpty:
            text += "["
            for (index, element) in values.enumerated() {
                if index > 0 { text += ", " }
                write(element, indented: depth + 1, into: &text)
            }
            text += "]"
        default: text += String(decoding: value.json(), as: UTF8.self)
        }
    }
}
