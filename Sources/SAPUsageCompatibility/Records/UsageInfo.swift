// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// The additional information of a record: any values that JSON can represent.
public typealias UsageInfo = [String: Any]

/// A value that JSON cannot represent, and its path.
package struct UsageInfoFault: Sendable, Hashable {
    /// The keys and positions that lead to the value, joined with periods.
    package let path: String
    /// A description of the value.
    package let value: String
}

/// Converts info dictionaries to JSON.
///
/// A value that JSON cannot represent is omitted and listed in ``faults``.
///
/// An object that contains itself is truncated at ``maximumDepth``, or at ``maximumValues`` if it branches.
struct UsageInfoReader {
    /// The maximum nesting depth; deeper values are omitted.
    static let maximumDepth = 40
    /// The maximum number of values in a record; further values are omitted.
    static let maximumValues = 20_000

    /// The omitted values, up to a limit.
    private(set) var faults: [UsageInfoFault] = []
    private var remainingValues = maximumValues

    /// Returns the dictionary as a JSON object, with members in alphabetical order.
    mutating func object(_ info: UsageInfo) -> JSONValue.Object {
        object(info.map { ($0.key, $0.value) }, path: [], depth: 1)
    }

    private mutating func object(_ entries: [(String, Any)], path: [String], depth: Int) -> JSONValue.Object {
        var object = JSONValue.Object()
        for (key, value) in entries.sorted(by: { $0.0 < $1.0 }) {
            guard remainingValues > 0 else { break }
            guard let value = self.value(value, path: path + [key], depth: depth) else { continue }
            object.members.append(.init(key: key, value: value))
        }
        return object
    }

    private mutating func value(_ any: Any, path: [String], depth: Int) -> JSONValue? {
        guard remainingValues > 0, depth <= Self.maximumDepth else {
            return omit(path, remainingValues > 0 ? "nested too deeply" : "too many values")
        }
        remainingValues -= 1
        if remainingValues == 0 { return omit(path, "more than \(Self.maximumValues) values") }
        // Check the exact type: where objects are bridged, a cast would also convert the numbers 0 and 1 to Booleans.
        if type(of: any) == Bool.self, let boolean = any as? Bool { return .boolean(boolean) }
        if any is NSNull { return .null }
        if let integer = any as? any BinaryInteger {
            return Int64(exactly: integer).map { .integer($0) } ?? .string("\(integer)")
        }
        if let number = any as? any BinaryFloatingPoint { return self.number(Double(number), path) }
        if let decimal = any as? Decimal { return self.decimal(decimal, path) }
        if let text = any as? String { return .string(text) }
        if let text = any as? Substring { return .string(String(text)) }
        if let number = any as? NSNumber { return self.number(number, path) }
        if Mirror(reflecting: any).displayStyle == .optional {
            guard let some = Mirror(reflecting: any).children.first?.value else { return .null }
            return value(some, path: path, depth: depth)
        }
        if Self.isUnreadable(any) { return omit(path, "\(type(of: any)): use a Swift array or dictionary") }
        if let values = any as? [Any] {
            var array: [JSONValue] = []
            for (index, value) in values.enumerated() {
                guard remainingValues > 0 else { break }
                if let value = self.value(value, path: path + ["\(index)"], depth: depth + 1) { array.append(value) }
            }
            return .array(array)
        }
        if let entries = any as? [AnyHashable: Any] {
            var named: [(String, Any)] = []
            for (key, value) in entries {
                if let name = key.base as? String {
                    named.append((name, value))
                } else {
                    _ = omit(path, "a key that is not a string: \(type(of: key.base))")
                }
            }
            return .object(object(named, path: path, depth: depth + 1))
        }
        return omit(path, "\(type(of: any))")
    }

    /// Whether a value is a collection object of the open-source Foundation.
    ///
    /// This is the Foundation used on Linux. Such a collection returns an element only together with all of the
    /// element's contents. If the collection contains itself, this never ends, and there is no way to check
    /// beforehand.
    private static func isUnreadable(_ any: Any) -> Bool {
        isSwiftFoundation && type(of: any) is AnyObject.Type && (any is NSArray || any is NSDictionary)
    }

    private static let isSwiftFoundation = String(reflecting: NSMutableArray.self).hasPrefix("Foundation.")

    private mutating func number(_ value: Double, _ path: [String]) -> JSONValue? {
        value.isFinite ? .double(value) : omit(path, "\(value)")
    }

    private mutating func decimal(_ value: Decimal, _ path: [String]) -> JSONValue? {
        switch AttributeValue(decimal: value.description) {
        case .integer(let whole): .integer(whole)
        case .string(let digits): .string(digits)
        default: number(Double(value.description) ?? .nan, path)
        }
    }

    private mutating func number(_ value: NSNumber, _ path: [String]) -> JSONValue? {
        switch String(cString: value.objCType) {
        case "B": return .boolean(value.boolValue)
        // Booleans also have this type, as do 8-bit numbers that are 0 or 1.
        case "c" where value.intValue == 0 || value.intValue == 1: return .boolean(value.boolValue)
        case "f", "d": return number(value.doubleValue, path)
        case "Q" where value.uint64Value > UInt64(Int64.max): return .string(value.stringValue)
        default:
            if let decimal = value as? NSDecimalNumber { return self.decimal(decimal.decimalValue, path) }
            return .integer(value.int64Value)
        }
    }

    private mutating func omit(_ path: [String], _ value: String) -> JSONValue? {
        // One record may have thousands of faults.
        if faults.count < 8 {
            faults.append(UsageInfoFault(path: path.prefix(8).joined(separator: "."), value: value))
        }
        return nil
    }
}

extension JSONValue {
    /// The value in the form that Foundation's JSON decoding returns.
    var foundation: Any {
        switch self {
        case .null: NSNull()
        case .boolean(let boolean): boolean
        case .integer(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .string(let text): text
        case .array(let values): values.map(\.foundation)
        case .object(let object): object.foundation
        }
    }
}

extension JSONValue.Object {
    /// The members as a dictionary.
    ///
    /// If several members have the same key, the last member is used.
    var foundation: UsageInfo {
        UsageInfo(members.map { ($0.key, $0.value.foundation) }) { $1 }
    }
}
