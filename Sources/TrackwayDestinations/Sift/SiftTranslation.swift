// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Writes values as the format's structures want them, and notes what does not fit.
struct SiftTranslation {
    private let edition: SiftDestination.Edition
    /// What did not fit, in the order it was found.
    private(set) var remarks: [SiftRemark] = []

    init(edition: SiftDestination.Edition) {
        self.edition = edition
    }

    /// Notes something that does not fit.
    mutating func note(_ code: SiftRemark.Code, at place: String, wanted: String = "") {
        remarks.append(SiftRemark(code: code, place: place, wanted: wanted))
    }

    /// The attributes as an object of these members, in the members' order. What is not known is absent; what the edition
    /// does not send stays behind without a remark, because that is what was asked for.
    ///
    /// - Parameter place: the keys that lead to the object, with a dot behind them.
    mutating func object(
        _ attributes: Attributes,
        _ members: [SiftMember],
        at place: String = ""
    ) -> JSONValue.Object {
        var values: [String: JSONValue] = [:]
        let known = Dictionary(members.map { ($0.name, $0.shape) }) { first, _ in first }
        for (key, value) in attributes {
            guard let shape = known[key] else {
                note(.keyUnknown, at: place + key)
                continue
            }
            values[key] = self.value(value, shape, at: place + key)
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

    /// A value in the shape the format wants; nil when it says that something is not known, or does not fit.
    mutating func value(_ value: AttributeValue, _ shape: SiftShape, at place: String) -> JSONValue? {
        switch (shape, value) {
        case (.text, _):
            if let text = value.siftText { return .string(text) }
        case (.texts, .array(let values)), (.someTexts, .array(let values)):
            let texts = values.compactMap(\.siftText)
            guard texts.count == values.count else { break }
            return texts.isEmpty && shape == .someTexts ? nil : .array(texts.map { .string($0) })
        case (.labelledTexts, .object(let attributes)):
            return .object(texts(attributes, at: place))
        case (.whole, _):
            if case .integer(let whole)? = value.siftNumber { return .integer(whole) }
        case (.number, _), (.measure, _):
            guard let number = value.siftNumber else { break }
            return shape == .measure && number.isNegative ? nil : number
        case (.truth, .boolean(let truth)):
            return .boolean(truth)
        case (.time, .integer(let milliseconds)):
            return .integer(milliseconds)
        case (.time, .date(let date)):
            return .integer(date.milliseconds)
        case (.constant(let constants), .string(let name)):
            if let spelling = constants.spelling(of: name) { return .string(spelling) }
            if !constants.unspoken.contains(name) { note(.valueUnknown, at: place, wanted: shape.summary) }
            return nil
        case (.object(let members), .object(let attributes)):
            return .object(object(attributes, members, at: "\(place)."))
        case (.objects(let members), .array(let values)):
            return objects(values, members, at: place)
        default:
            break
        }
        note(.valueType, at: place, wanted: shape.summary)
        return nil
    }

    private mutating func objects(_ values: [AttributeValue], _ members: [SiftMember], at place: String) -> JSONValue? {
        var objects: [JSONValue] = []
        for value in values {
            guard case .object(let attributes) = value else {
                note(.valueType, at: place, wanted: SiftShape.objects([]).summary)
                continue
            }
            objects.append(.object(object(attributes, members, at: "\(place).")))
        }
        return objects.isEmpty ? nil : .array(objects)
    }

    /// An object of texts; members that are none are left out.
    private mutating func texts(_ attributes: Attributes, at place: String) -> JSONValue.Object {
        var object = JSONValue.Object()
        for (key, value) in attributes {
            if let text = value.siftText {
                object.members.append(.init(key: key, value: .string(text)))
            } else {
                note(.valueType, at: "\(place).\(key)", wanted: SiftShape.text.summary)
            }
        }
        return object
    }
}

extension AttributeValue {
    /// The text, if the value is one. A text in the form of a date is read back as a date.
    var siftText: String? {
        switch self {
        case .string(let text): text
        case .date(let date): date.iso8601
        case .integer, .double, .boolean, .array, .object: nil
        }
    }

    /// The number, if the value is one; a whole one without a point, as clients of this format write it.
    fileprivate var siftNumber: JSONValue? {
        switch self {
        case .integer(let number): .integer(number)
        case .double(let number) where number.isFinite: Int64(exactly: number).map { .integer($0) } ?? .double(number)
        case .string, .double, .boolean, .date, .array, .object: nil
        }
    }
}

extension JSONValue {
    /// True for a number below zero.
    fileprivate var isNegative: Bool {
        switch self {
        case .integer(let number): number < 0
        case .double(let number): number < 0
        case .null, .boolean, .string, .array, .object: false
        }
    }
}

/// Something that was left out of an event because the format has no place for it.
struct SiftRemark: Sendable, Hashable {
    /// What stood in the way.
    enum Code: String, Sendable, Hashable, CaseIterable {
        /// The format has no place for items.
        case itemsUnsupported = "items_unsupported"
        /// The format has no key of this name in this place.
        case keyUnknown = "key_unknown"
        /// The format wants another type of value under this key.
        case valueType = "value_type"
        /// The key has a fixed set of values, and this is none of them.
        case valueUnknown = "value_unknown"
    }

    /// What stood in the way.
    var code: Code
    /// Where: the keys from the event inwards, such as `location.latitude`.
    var place: String
    /// What the format would have taken there; empty when nothing.
    var wanted = ""

    /// A sentence for humans.
    var message: String {
        let place = place.prefix(128)
        return switch code {
        case .itemsUnsupported: "The items were left out: the format has no place for them."
        case .keyUnknown: "\(place) was left out: the format has no such key here. Record it with an event of its own."
        case .valueType: "\(place) was left out: the format wants \(wanted) there."
        case .valueUnknown: "\(place) was left out: the format wants one of \(wanted) there."
        }
    }
}
