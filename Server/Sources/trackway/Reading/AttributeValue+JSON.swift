// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension AttributeValue {
    /// The attribute value of a JSON value; nil for `null`. A member or element that is `null` is left out, and a string
    /// of the 24-character form `2026-11-21T06:38:00.000Z` is a date.
    init?(_ json: JSONValue) {
        switch json {
        case .null: return nil
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = Timestamp(iso8601: value).map { .date($0) } ?? .string(value)
        case .array(let values): self = .array(values.compactMap { AttributeValue($0) })
        case .object(let object): self = .object(Attributes(object))
        }
    }
}

extension Attributes {
    /// The attributes of a JSON object; members that are `null` are left out.
    init(_ object: JSONValue.Object) {
        self.init(
            object.members.compactMap { member in
                AttributeValue(member.value).map { (key: member.key, value: $0) }
            }
        )
    }
}
