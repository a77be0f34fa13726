// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension AttributeConvertible where Self: BinaryInteger {
    /// A whole number. Values beyond `Int64` become their decimal digits as text: such numbers are identities or
    /// hashes, and rounding them to a double would silently make different ones equal.
    @inlinable
    public var attributeValue: AttributeValue {
        if let exact = Int64(exactly: self) { return .integer(exact) }
        return .string(String(self))
    }
}

extension Int: AttributeConvertible {}
extension Int8: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int64: AttributeConvertible {}
extension UInt: AttributeConvertible {}
extension UInt8: AttributeConvertible {}
extension UInt16: AttributeConvertible {}
extension UInt32: AttributeConvertible {}
extension UInt64: AttributeConvertible {}
