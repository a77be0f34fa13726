// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension AttributeValue {
    /// The value as JSON; dates become their text.
    public var json: JSONValue {
        switch self {
        case .string(let value): .string(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .boolean(let value): .boolean(value)
        case .date(let value): .string(value.description)
        case .array(let values): .array(values.map(\.json))
        case .object(let attributes): .object(attributes.json)
        }
    }

    /// The value from JSON; nil for null. Text in the exact form of a date becomes a date, as everywhere.
    public init?(_ json: JSONValue) {
        switch json {
        case .null: return nil
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = Timestamp(value).map { .date($0) } ?? .string(value)
        case .array(let values): self = .array(values.compactMap { AttributeValue($0) })
        case .object(let object): self = .object(Attributes(object))
        }
    }
}

extension Attributes {
    /// The attributes as a JSON object.
    public var json: JSONValue.Object {
        JSONValue.Object(map { JSONValue.Object.Member(key: $0.key, value: $0.value.json) })
    }

    /// The attributes from a JSON object; members that are null are left out.
    public init(_ object: JSONValue.Object) {
        self.init()
        for member in object.members { self[member.key] = AttributeValue(member.value) }
    }
}
