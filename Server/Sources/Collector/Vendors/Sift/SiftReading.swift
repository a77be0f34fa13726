// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// One walk over a snapshot of the Sift format, checking every value against the format.
struct SiftReading {
    /// The places of what is no number where one belongs.
    private(set) var omitted: [String] = []

    /// The value in our spelling; nil when it is to be left out.
    ///
    /// - Throws: ``VendorFault`` naming the place of a value of another kind.
    mutating func read(
        _ value: JSONValue,
        as shape: SiftShape,
        at place: String
    ) throws(VendorFault) -> JSONValue? {
        switch shape {
        case .text(let prefix):
            guard let text = value.string else { throw .invalid(place, "text", value) }
            return .string(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
        case .truth:
            guard value.boolean != nil else { throw .invalid(place, "true or false", value) }
            return value
        case .number:
            if let text = value.string, Self.isNoNumber(text) {
                omitted.append(place)
                return nil
            }
            // Asked of the case, not of `double`: a whole number may be too large to be held as one.
            switch value {
            case .integer, .double: return value
            case .null, .boolean, .string, .array, .object: throw .invalid(place, "a number", value)
            }
        case .property:
            guard Self.isProperty(value) else {
                throw .invalid(place, "text, a number, true or false, or a list of texts", value)
            }
            return value
        case .list(let element): return try list(value, of: element, at: place)
        case .object(let shapes, let others): return try object(value, shapes, others, at: place)
        }
    }

    private mutating func list(
        _ value: JSONValue,
        of shape: SiftShape,
        at place: String
    ) throws(VendorFault) -> JSONValue {
        guard let values = value.array else { throw .invalid(place, "a list", value) }
        var kept: [JSONValue] = []
        for (index, value) in values.enumerated() {
            if let value = try read(value, as: shape, at: "\(place)[\(index)]") { kept.append(value) }
        }
        return .array(kept)
    }

    private mutating func object(
        _ value: JSONValue,
        _ shapes: [String: SiftShape],
        _ others: SiftShape?,
        at place: String
    ) throws(VendorFault) -> JSONValue {
        guard let object = value.object else { throw .invalid(place, "an object", value) }
        var kept = JSONValue.Object()
        for member in object.withoutNulls.members {
            guard let shape = shapes[member.key] ?? others else {
                // A newer client may know more; it is kept as it is.
                kept.members.append(member)
                continue
            }
            kept.put(member.key, try read(member.value, as: shape, at: "\(place).\(member.key)"))
        }
        return .object(kept)
    }

    private static func isProperty(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .integer, .double, .boolean: true
        case .array(let values): values.allSatisfy { $0.string != nil }
        case .null, .object: false
        }
    }

    /// How programs write down what is infinite or not a number; JSON itself has no word for it.
    private static func isNoNumber(_ text: String) -> Bool {
        let word = text.lowercased()
        let unsigned = word.hasPrefix("-") || word.hasPrefix("+") ? String(word.dropFirst()) : word
        return ["nan", "inf", "infinity"].contains(unsigned)
    }
}
