// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The pairs of attributes, converted or not, as the encoder reads them.
protocol EncodedPairs {
    var count: Int { get }
    func key(_ index: Int) -> String
    /// Returns the value of a pair, or nil to leave it out.
    func value(_ index: Int) -> AttributeValue?
}

extension EncodedPairs {
    /// Returns the keys of the first `limit` pairs.
    func keys(_ limit: Int) -> [String] { (0..<min(count, limit)).map(key) }
}

/// Pairs with converted values.
struct ConvertedPairs: EncodedPairs {
    let pairs: UnsafeBufferPointer<(String, AttributeValue)>

    var count: Int { pairs.count }

    @inline(__always)
    func key(_ index: Int) -> String { pairs[index].0 }

    @inline(__always)
    func value(_ index: Int) -> AttributeValue? { pairs[index].1 }
}

/// The pairs of a literal.
///
/// The struct uses unsafe pointers, because the compiler copies an existential whenever an element is read, which would
/// double the recording time. Memory that is bound to a tuple is bound to the types of its elements, each at its
/// offset, so it is valid to create and read a pointer to an element. The array outlives the pointers, because they are
/// used only inside `withUnsafeBufferPointer`. Nothing is written, so several threads may read one array.
struct LiteralPairs: EncodedPairs {
    private typealias Pair = (String, any AttributeConvertible)

    let count: Int
    private let start: UnsafeRawPointer?
    private let valueOffset: Int

    @inline(__always)
    init(_ pairs: UnsafeBufferPointer<(String, any AttributeConvertible)>) {
        count = pairs.count
        start = UnsafeRawPointer(pairs.baseAddress)
        valueOffset = Self.valueOffset
    }

    @inline(__always)
    func key(_ index: Int) -> String {
        guard let start else { return "" }
        return start.advanced(by: index * MemoryLayout<Pair>.stride).assumingMemoryBound(to: String.self).pointee
    }

    @inline(__always)
    func value(_ index: Int) -> AttributeValue? {
        guard let start else { return nil }
        let value = start.advanced(by: index * MemoryLayout<Pair>.stride + valueOffset)
        return Self.read(value.assumingMemoryBound(to: (any AttributeConvertible).self).pointee)
    }

    @inline(never)
    private static func read(_ value: borrowing any AttributeConvertible) -> AttributeValue? {
        value.attributeValue
    }

    /// The offset of a pair's value: after the string, pointer-aligned.
    private static var valueOffset: Int {
        let alignment = MemoryLayout<any AttributeConvertible>.alignment
        return (MemoryLayout<String>.size + alignment - 1) / alignment * alignment
    }
}
