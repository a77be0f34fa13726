// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An input that is read as a series of decisions.
///
/// Returns zeros when it is used up.
public struct InputBytes {
    private var rest: UnsafeRawBufferPointer.SubSequence

    /// Creates the series of decisions of an input.
    public init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes[...]
    }

    /// Whether the input is used up.
    public var isEmpty: Bool { rest.isEmpty }

    /// Returns the next byte.
    public mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Returns a number below `bound` from the next two bytes.
    public mutating func number(below bound: Int) -> Int {
        let value = Int(byte()) << 8 | Int(byte())
        return bound > 0 ? value % bound : 0
    }

    /// Returns all remaining bytes.
    public mutating func remainder() -> [UInt8] {
        defer { rest = rest[rest.endIndex...] }
        return Array(rest)
    }
}
