// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An input read as a series of decisions; zeros when it is used up.
public struct InputBytes {
    private var rest: UnsafeRawBufferPointer.SubSequence

    /// The decisions of an input.
    public init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes[...]
    }

    /// True when the input is used up.
    public var isEmpty: Bool { rest.isEmpty }

    /// The next byte.
    public mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `bound`, from the next two bytes.
    public mutating func number(below bound: Int) -> Int {
        let value = Int(byte()) << 8 | Int(byte())
        return bound > 0 ? value % bound : 0
    }

    /// Everything that is left.
    public mutating func remainder() -> [UInt8] {
        defer { rest = rest[rest.endIndex...] }
        return Array(rest)
    }
}
