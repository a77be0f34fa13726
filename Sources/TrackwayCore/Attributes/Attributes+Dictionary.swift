// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Attributes {
    /// The values of a dictionary that have unsupported types.
    ///
    /// This is a class, so that attributes without such values (nearly all attributes) store only one pointer.
    package final class Unsupported: Sendable {
        /// The key and type of each value.
        package let values: [(key: String, type: String)]

        init(_ values: [(key: String, type: String)]) {
            self.values = values
        }
    }

    /// Creates attributes from a dictionary of any values, sorted by key.
    ///
    /// Nested dictionaries and arrays are converted, too. A value that is nil or null is left out. A value of a type
    /// that is not ``AttributeConvertible`` is left out, and a ``Diagnostic`` with the code `value_unsupported` names
    /// its key and type when the event is recorded.
    ///
    /// - Complexity: O(n log n).
    public init(_ dictionary: [String: Any]) {
        var pairs: [(String, AttributeValue)] = []
        pairs.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            guard let value = AttributeValue(common: value) else {
                self.init(anyValues: dictionary)
                return
            }
            pairs.append((key, value))
        }
        Self.sort(&pairs)
        self.init(pairs: pairs)
    }

    /// Converts a dictionary that contains values of less common types.
    private init(anyValues dictionary: [String: Any]) {
        var unsupported: [(key: String, type: String)] = []
        self.init(dictionary, at: "", unsupported: &unsupported)
        if !unsupported.isEmpty { self.unsupported = Unsupported(unsupported) }
    }

    fileprivate init(_ dictionary: [String: Any], at path: String, unsupported: inout [(key: String, type: String)]) {
        var pairs: [(String, AttributeValue)] = []
        pairs.reserveCapacity(dictionary.count)
        for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            let path = path.isEmpty ? key : "\(path).\(key)"
            if let value = AttributeValue(any: value, at: path, unsupported: &unsupported) {
                pairs.append((key, value))
            }
        }
        self.init(pairs: pairs)
    }
}

extension Attributes {
    /// Adds the unsupported values of `other`, to report them together.
    mutating func addUnsupported(of other: Attributes) {
        guard let more = other.unsupported else { return }
        unsupported = Unsupported((unsupported?.values ?? []) + more.values)
    }
}

/// An optional of any type, used to unwrap optionals inside `Any`.
private protocol AnyOptional {
    var anyWrapped: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var anyWrapped: Any? { map { $0 as Any } }
}

extension AttributeValue {
    /// Converts a value of one of the most common types.
    ///
    /// Returns nil for any other type. Comparing types takes one tenth of the time of a dynamic cast to a protocol.
    fileprivate init?(common value: Any) {
        guard let value = Self.ofCommonType(value) else { return nil }
        self = value
    }

    /// Converts a value of a common type by reading its memory.
    ///
    /// Each read is preceded by a comparison of the types, so the memory has the type that is read. A bit cast would
    /// first copy the value.
    private static func ofCommonType<Value>(_ value: Value) -> AttributeValue? {
        withUnsafePointer(to: value) { pointer in
            let memory = UnsafeRawPointer(pointer)
            if Value.self == String.self { return .string(memory.load(as: String.self)) }
            if Value.self == Int.self { return .integer(Int64(memory.load(as: Int.self))) }
            if Value.self == Double.self { return .double(memory.load(as: Double.self)) }
            if Value.self == Bool.self { return .boolean(memory.load(as: Bool.self)) }
            if Value.self == AttributeValue.self { return memory.load(as: AttributeValue.self) }
            return nil
        }
    }

    fileprivate init?(any value: Any, at path: String, unsupported: inout [(key: String, type: String)]) {
        if let common = AttributeValue(common: value) {
            self = common
        } else if let value = value as? any AttributeConvertible {
            guard let value = value.attributeValue else { return nil }
            self = value
        } else if let optional = value as? any AnyOptional {
            guard let wrapped = optional.anyWrapped else { return nil }
            self.init(any: wrapped, at: path, unsupported: &unsupported)
        } else if let text = value as? String {
            // On Apple platforms, a string from a JSON parser is a bridged object.
            self = .string(text)
        } else if let number = AttributeValue(foundationNumber: value) {
            self = number
        } else if let dictionary = value as? [String: Any] {
            self = .object(Attributes(dictionary, at: path, unsupported: &unsupported))
        } else if let array = value as? [Any] {
            self = .array(
                array.enumerated().compactMap {
                    AttributeValue(any: $0.element, at: "\(path)[\($0.offset)]", unsupported: &unsupported)
                }
            )
        } else {
            let type = "\(type(of: value))"
            // Foundation represents JSON null as NSNull.
            if type != "NSNull" { unsupported.append((path, type)) }
            return nil
        }
    }

    /// Converts a Foundation number object, as JSON parsers return it.
    ///
    /// This module does not import Foundation, so the class is recognized by its name. Booleans have a separate class,
    /// but can also be cast to a number.
    private init?(foundationNumber value: Any) {
        let type = "\(type(of: value))"
        guard type.hasPrefix("__NSCF") || type.hasPrefix("NSNumber") || type.hasPrefix("NSDecimalNumber") else {
            return nil
        }
        if type.hasSuffix("Boolean"), let truth = value as? Bool {
            self = .boolean(truth)
        } else if let number = value as? Int64 {
            self = .integer(number)
        } else if let number = value as? UInt64 {
            self = .string(String(number))
        } else if let number = value as? Double {
            self = .double(number)
        } else {
            return nil
        }
    }
}
