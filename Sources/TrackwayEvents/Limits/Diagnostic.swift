// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A user's mistake, told so that it can be mended: which field, which value, what to do.
public struct Diagnostic: Sendable, Hashable {
    /// A kind of mistake, by its stable name. More may be added; compare with the ones you know.
    public struct Code: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
        /// The stable name, lower case with underscores.
        public var rawValue: String

        /// A kind of mistake by its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// The event has no name; it is recorded as `_unnamed`.
        public static let nameEmpty = Code(rawValue: "name_empty")
        /// The event's name was cut to the limit.
        public static let nameTooLong = Code(rawValue: "name_too_long")
        /// Control characters in the event's name became `_`.
        public static let nameInvalid = Code(rawValue: "name_invalid")
        /// A key was empty; the attribute was left out.
        public static let keyEmpty = Code(rawValue: "key_empty")
        /// A key was longer than the limit; the attribute was left out.
        public static let keyTooLong = Code(rawValue: "key_too_long")
        /// A key was given twice; the last value was kept.
        public static let keyDuplicate = Code(rawValue: "key_duplicate")
        /// A text was longer than the limit; it was left out.
        public static let valueTooLong = Code(rawValue: "value_too_long")
        /// A number was infinite or not a number; it was left out.
        public static let numberNotFinite = Code(rawValue: "number_not_finite")
        /// A dictionary contained a value of an unsupported type; it was left out.
        public static let valueUnsupported = Code(rawValue: "value_unsupported")
        /// A date was outside the years 0000 to 9999; it was left out.
        public static let dateOutOfRange = Code(rawValue: "date_out_of_range")
        /// A value nested deeper than the limit; it was left out.
        public static let tooDeep = Code(rawValue: "too_deep")
        /// There were more attributes than the limit; the last ones were left out.
        public static let tooManyAttributes = Code(rawValue: "too_many_attributes")
        /// There were more items than the limit; the last ones were left out.
        public static let tooManyItems = Code(rawValue: "too_many_items")
        /// An item had an empty id or one longer than the limit; the item was left out.
        public static let itemInvalid = Code(rawValue: "item_invalid")
        /// The event was larger than the limit; what did not fit was left out.
        public static let eventTooLarge = Code(rawValue: "event_too_large")
        /// A typed event could not be encoded.
        public static let notEncodable = Code(rawValue: "not_encodable")
        /// A text that should hold an event is not valid JSON.
        public static let malformed = Code(rawValue: "malformed")
        /// A required field is missing.
        public static let fieldMissing = Code(rawValue: "field_missing")
        /// A field holds a value of another type than expected.
        public static let fieldInvalid = Code(rawValue: "field_invalid")
        /// A field occurs twice.
        public static let fieldDuplicate = Code(rawValue: "field_duplicate")
    }

    /// What kind of mistake it is.
    public var code: Code
    /// The field it is about, as a path such as `attributes.address.zip` or `items[3].id`.
    public var field: String
    /// The value at fault, cut to ``maximumValueBytes``.
    public var value: String
    /// What to do about it, as a sentence.
    public var remedy: String

    /// The longest ``value``, in bytes.
    public static let maximumValueBytes = 128

    /// A diagnostic. A long value is cut.
    public init(code: Code, field: String, value: String, remedy: String) {
        self.code = code
        self.field = field
        self.value = value.cut(toBytes: Self.maximumValueBytes)
        self.remedy = remedy
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The whole message in one line.
    public var description: String {
        value.isEmpty
            ? "\(field): \(code.rawValue). \(remedy)"
            : "\(field): \(code.rawValue) (value: \(value)). \(remedy)"
    }
}
