// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Converts values to the format's structures, and records what does not fit.
struct SiftTranslation {
    private let edition: SiftDestination.Edition
    /// The values that did not fit, in the order of detection.
    private(set) var warnings: [SiftWarning] = []

    init(edition: SiftDestination.Edition) {
        self.edition = edition
    }

    /// Adds a warning about a value that does not fit.
    mutating func note(_ code: SiftWarning.Code, at path: String, expected: String = "") {
        warnings.append(SiftWarning(code: code, path: path, expected: expected))
    }

    /// Returns the attributes as an object of members, in their order.
    ///
    /// Unknown values are left out. Members that the edition does not send are left out without a warning, because that
    /// is intended.
    ///
    /// - Parameter path: The keys that lead to the object, with a trailing dot.
    mutating func object(
        _ attributes: Attributes,
        _ members: [SiftMember],
        at path: String = ""
    ) -> JSONValue.Object {
        var values: [String: JSONValue] = [:]
        let known = Dictionary(members.map { ($0.name, $0.shape) }) { first, _ in first }
        for (key, value) in attributes {
            guard let shape = known[key] else {
                note(.keyUnknown, at: path + key)
                continue
            }
            values[key] = self.value(value, shape, at: path + key)
        }
        var object = JSONValue.Object()
        for member in members where edition == .legacy || member.isCurrent {
            guard let value = values[member.name], isSent(member, attributes, values) else { continue }
            object.members.append(.init(key: member.name, value: value))
        }
        return object
    }

    private func isSent(_ member: SiftMember, _ attributes: Attributes, _ values: [String: JSONValue]) -> Bool {
        switch member.condition {
        case .always: true
        case .unlessUnknown(let other): !(attributes[other]?.siftNumber?.isNegative ?? false)
        case .with(let other): values[other] != nil
        }
    }

    /// Converts a value to the format's type.
    ///
    /// Returns nil if the value means "unknown", or does not fit.
    mutating func value(_ value: AttributeValue, _ shape: SiftShape, at path: String) -> JSONValue? {
        switch (shape, value) {
        case (.string, _):
            if let text = value.siftText { return .string(text) }
        case (.strings, .array(let values)), (.nonEmptyStrings, .array(let values)):
            let texts = values.compactMap(\.siftText)
            guard texts.count == values.count else { break }
            return texts.isEmpty && shape == .nonEmptyStrings ? nil : .array(texts.map { .string($0) })
        case (.stringDictionary, .object(let attributes)):
            return .object(texts(attributes, at: path))
        case (.integer, _):
            if case .integer(let whole)? = value.siftNumber { return .integer(whole) }
        case (.number, _), (.measurement, _):
            guard let number = value.siftNumber else { break }
            return shape == .measurement && number.isNegative ? nil : number
        case (.boolean, .boolean(let flag)):
            return .boolean(flag)
        case (.time, .integer(let milliseconds)):
            return .integer(milliseconds)
        case (.time, .date(let date)):
            return .integer(date.milliseconds)
        case (.constant(let constants), .string(let name)):
            if let spelling = constants.spelling(of: name) { return .string(spelling) }
            if !constants.unsupported.contains(name) { note(.valueUnknown, at: path, expected: shape.summary) }
            return nil
        case (.object(let members), .object(let attributes)):
            return .object(object(attributes, members, at: "\(path)."))
        case (.objects(let members), .array(let values)):
            return objects(values, members, at: path)
        default:
            break
        }
        note(.valueType, at: path, expected: shape.summary)
        return nil
    }

    private mutating func objects(_ values: [AttributeValue], _ members: [SiftMember], at path: String) -> JSONValue? {
        var objects: [JSONValue] = []
        for value in values {
            guard case .object(let attributes) = value else {
                note(.valueType, at: path, expected: SiftShape.objects([]).summary)
                continue
            }
            objects.append(.object(object(attributes, members, at: "\(path).")))
        }
        return objects.isEmpty ? nil : .array(objects)
    }

    /// Returns an object of strings, excluding members of other types.
    private mutating func texts(_ attributes: Attributes, at path: String) -> JSONValue.Object {
        var object = JSONValue.Object()
        for (key, value) in attributes {
            if let text = value.siftText {
                object.members.append(.init(key: key, value: .string(text)))
            } else {
                note(.valueType, at: "\(path).\(key)", expected: SiftShape.string.summary)
            }
        }
        return object
    }
}

extension AttributeValue {
    /// The string, if the value is a string or a date.
    ///
    /// A string in the form of a date is read back from the journal as a date.
    var siftText: String? {
        switch self {
        case .string(let text): text
        case .date(let date): date.iso8601
        case .integer, .double, .boolean, .array, .object: nil
        }
    }

    /// The value as a JSON number; nil if it is not a number.
    ///
    /// An integral number is written without a point, as clients of this format do.
    fileprivate var siftNumber: JSONValue? {
        switch self {
        case .integer(let number): .integer(number)
        case .double(let number) where number.isFinite: Int64(exactly: number).map { .integer($0) } ?? .double(number)
        case .string, .double, .boolean, .date, .array, .object: nil
        }
    }
}

extension JSONValue {
    /// Whether the value is a number below zero.
    fileprivate var isNegative: Bool {
        switch self {
        case .integer(let number): number < 0
        case .double(let number): number < 0
        case .null, .boolean, .string, .array, .object: false
        }
    }
}

/// A part of an event that the format does not support.
///
/// It was left out.
struct SiftWarning: Sendable, Hashable {
    /// The kind of problem.
    enum Code: String, Sendable, Hashable, CaseIterable {
        /// The format does not support items.
        case itemsUnsupported = "items_unsupported"
        /// The format has no key of this name here.
        case keyUnknown = "key_unknown"
        /// The format requires a different type of value for this key.
        case valueType = "value_type"
        /// The key has a fixed set of values that does not include this one.
        case valueUnknown = "value_unknown"
    }

    /// The kind of problem.
    var code: Code
    /// The position: the keys from the event inward, such as `location.latitude`.
    var path: String
    /// The type that the format would accept; empty if none.
    var expected = ""

    /// A human-readable message.
    var message: String {
        let path = path.prefix(128)
        return switch code {
        case .itemsUnsupported: "The items were left out: the format does not support items."
        case .keyUnknown: "\(path) was left out: the format has no such key here. Record it in a separate event."
        case .valueType: "\(path) was left out: the format requires \(expected) there."
        case .valueUnknown: "\(path) was left out: the format requires one of \(expected) there."
        }
    }
}
