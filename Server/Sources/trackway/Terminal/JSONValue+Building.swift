// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension JSONValue {
    /// An object of these members, in this order.
    static func members(_ members: (String, JSONValue)...) -> JSONValue {
        .object(Object(members.map { Object.Member(key: $0.0, value: $0.1) }))
    }

    /// A count; beyond the range of `Int64` it stays at its end.
    static func count(_ value: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: value)) }
}
