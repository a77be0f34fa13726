// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Named typed values in the order in which they were added.
///
/// A literal takes values of any type that is ``AttributeConvertible``; a value that is nil is left out. A nested
/// object whose values have different types needs an explicit type:
///
/// ```swift
/// let sku = "A-1", price = 12.5, coupon: String? = nil
/// let attributes: Attributes = ["sku": sku, "price": price, "coupon": coupon, "size": ["eu": 38, "us": "7½"] as Attributes]
/// ```
/// A literal may contain a key twice; the last value wins when the event is recorded, and a ``Diagnostic`` reports the
/// duplicate. All other operations keep keys unique. Two values are equal when they hold the same pairs in the same
/// order.
///
/// A lookup scans the pairs, which is O(n), but faster than hashing for the number of attributes that events have.
public struct Attributes: Sendable, Hashable {
    /// The pairs, in order.
    @usableFromInline
    enum Storage: Sendable {
        /// Pairs with converted values.
        case values([(String, AttributeValue)])
        /// The array of a literal, as the compiler built it.
        ///
        /// The recording path writes it without conversion: a second array would cost as much as writing the whole
        /// event (decision 0001).
        case literal([(String, any AttributeConvertible)])
    }

    @usableFromInline
    var storage: Storage
    /// The values of a dictionary that have unsupported types.
    ///
    /// Nil in nearly all attributes.
    package var unsupported: Unsupported?

    /// No attributes.
    @inlinable
    public init() {
        storage = .values([])
    }

    /// Creates attributes from pairs without checking the keys.
    @usableFromInline
    init(pairs: [(String, AttributeValue)]) {
        storage = .values(pairs)
    }

    /// The pairs with converted values, without those that are nil.
    ///
    /// - Complexity: O(1), or O(n) for a literal.
    @usableFromInline
    var pairs: [(String, AttributeValue)] {
        get {
            switch storage {
            case .values(let pairs): pairs
            case .literal(let pairs): Self.converted(pairs)
            }
        }
        _modify {
            var pairs = pairs
            // The array has only one owner again, so changing the array does not copy it.
            storage = .values([])
            defer { storage = .values(pairs) }
            yield &pairs
        }
    }

    private static func converted(_ literal: [(String, any AttributeConvertible)]) -> [(String, AttributeValue)] {
        var pairs: [(String, AttributeValue)] = []
        pairs.reserveCapacity(literal.count)
        literal.withUnsafeBufferPointer {
            let literal = LiteralPairs($0)
            for index in 0..<literal.count {
                if let value = literal.value(index) { pairs.append((literal.key(index), value)) }
            }
        }
        return pairs
    }

    /// The same attributes with every value converted, including nested ones.
    ///
    /// Use this for attributes that are stored, or read while a lock is held, because conversion calls the app's code.
    ///
    /// - Complexity: O(size).
    package var converted: Attributes {
        var pairs = pairs
        for index in pairs.indices where pairs[index].1.isContainer { pairs[index].1 = pairs[index].1.converted }
        var converted = self
        converted.storage = .values(pairs)
        return converted
    }

    /// Creates attributes from pairs, in order.
    ///
    /// Among pairs with the same key, the last value wins, at the position of the first.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload  // A dictionary is such a sequence, too, but is sorted.
    @inlinable
    public init(_ pairs: some Sequence<(key: String, value: AttributeValue)>) {
        var list: [(String, AttributeValue)] = []
        list.reserveCapacity(pairs.underestimatedCount)
        for pair in pairs { list.append((pair.key, pair.value)) }
        self.init(uniquing: list)
    }

    /// The value of a key, or nil if it does not exist.
    ///
    /// If a literal contains the key twice, the last value counts. Setting nil removes the key.
    ///
    /// - Complexity: O(n).
    public subscript(key: String) -> AttributeValue? {
        get {
            switch storage {
            case .values(let pairs): pairs.last { $0.0 == key }?.1
            case .literal(let pairs): pairs.last { $0.0 == key && $0.1.attributeValue != nil }?.1.attributeValue
            }
        }
        set {
            var pairs = pairs
            // The array has only one owner again, so changing the array does not copy it.
            storage = .values([])
            Self.set(key, newValue, in: &pairs)
            storage = .values(pairs)
        }
    }

    private static func set(_ key: String, _ value: AttributeValue?, in pairs: inout [(String, AttributeValue)]) {
        let place = pairs.withUnsafeBufferPointer { firstIndex(of: key, in: $0) }
        guard let value else {
            if place != nil { pairs.removeAll { $0.0 == key } }
            return
        }
        guard let place else {
            // Growing from a capacity of one would move the first pairs several times.
            if pairs.isEmpty { pairs.reserveCapacity(8) }
            pairs.append((key, value))
            return
        }
        pairs[place].1 = value
        // Only a literal can contain a second pair with the key.
        if let other = pairs.lastIndex(where: { $0.0 == key }), other != place {
            pairs.removeAll { $0.0 == key }
            pairs.insert((key, value), at: place)
        }
    }

    /// The position of the first pair with the key.
    ///
    /// This function takes a buffer, because iterating over the array would copy each pair. The buffer's owner keeps
    /// it alive during the call.
    private static func firstIndex(of key: String, in pairs: UnsafeBufferPointer<(String, AttributeValue)>) -> Int? {
        for index in 0..<pairs.count where pairs[index].0 == key { return index }
        return nil
    }

    /// Sets a key to any convertible value: `attributes.set("count", cart.count)`.
    ///
    /// A value that is nil removes the key.
    public mutating func set(_ key: String, _ value: some AttributeConvertible) {
        self[key] = value.attributeValue
    }

    /// Adds every pair of `other`, whose values win.
    ///
    /// - Complexity: O(n · m).
    public mutating func merge(_ other: Attributes) {
        addUnsupported(of: other)
        if isEmpty {
            storage = other.storage
            return
        }
        for (key, value) in other.pairs { self[key] = value }
    }

    /// Returns these attributes merged with those of `other`, whose values win.
    public func merging(_ other: Attributes) -> Attributes {
        var merged = self
        merged.merge(other)
        return merged
    }

    /// The keys, in order.
    public var keys: [String] { pairs.map(\.0) }

    /// Whether both values contain the same pairs in the same order.
    @inline(never)  // The comparison of nested values is large, and many types compare attributes.
    public static func == (left: Attributes, right: Attributes) -> Bool {
        left.pairs.elementsEqual(right.pairs) { $0.0 == $1.0 && $0.1 == $1.1 }
    }

    /// Hashes the pairs in order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(pairs.count)
        for (key, value) in pairs {
            hasher.combine(key)
            hasher.combine(value)
        }
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    /// Creates attributes from a literal, without pairs whose value is nil.
    ///
    /// The order is preserved.
    @inlinable
    public init(dictionaryLiteral elements: (String, any AttributeConvertible)...) {
        storage = .literal(elements)
    }
}

extension Attributes: RandomAccessCollection {
    /// A pair: one named value.
    public typealias Element = (key: String, value: AttributeValue)

    /// The position of the first pair, which is always 0.
    @inlinable
    public var startIndex: Int { 0 }

    /// The number of pairs.
    @inlinable
    public var endIndex: Int { pairs.count }

    /// The pair at a position, which must be valid.
    ///
    /// - Complexity: O(1), or O(n) for a literal; iterating over all pairs is O(n) for both.
    @inlinable
    public subscript(position: Int) -> Element {
        let pair = pairs[position]
        return (key: pair.0, value: pair.1)
    }

    /// Returns an iterator over the pairs.
    public func makeIterator() -> Iterator {
        Iterator(pairs)
    }

    /// An iterator over the pairs of attributes.
    public struct Iterator: IteratorProtocol {
        private var pairs: IndexingIterator<[(String, AttributeValue)]>

        init(_ pairs: [(String, AttributeValue)]) {
            self.pairs = pairs.makeIterator()
        }

        /// Returns the next pair, or nil after the last.
        public mutating func next() -> Element? {
            pairs.next().map { (key: $0.0, value: $0.1) }
        }
    }

    /// Whether there may be pairs, without reading any value.
    ///
    /// The values of a literal may all be nil.
    var mayHavePairs: Bool {
        switch storage {
        case .values(let pairs): !pairs.isEmpty
        case .literal(let pairs): !pairs.isEmpty
        }
    }

    /// Whether the attributes are empty.
    public var isEmpty: Bool {
        switch storage {
        case .values(let pairs): pairs.isEmpty
        case .literal(let pairs): pairs.allSatisfy { $0.1.attributeValue == nil }
        }
    }
}

extension Attributes {
    /// Creates attributes from pairs, keeping each key once.
    ///
    /// The last value wins, at the position of the first. Keys are different when their bytes differ.
    ///
    /// - Complexity: O(n).
    @usableFromInline
    package init(uniquing pairs: [(String, AttributeValue)]) {
        guard pairs.withUnsafeBufferPointer(Self.hasDuplicate) else {
            self.init(pairs: pairs)
            return
        }
        var places: [[UInt8]: Int] = [:]
        var unique: [(String, AttributeValue)] = []
        for pair in pairs {
            let bytes = Array(pair.0.utf8)
            if let place = places[bytes] {
                unique[place].1 = pair.1
            } else {
                places[bytes] = unique.count
                unique.append(pair)
            }
        }
        self.init(pairs: unique)
    }

    /// Whether a key occurs twice.
    ///
    /// This function takes a buffer, because iterating over the array would copy each pair. The buffer's owner keeps
    /// it alive during the call.
    private static func hasDuplicate(_ pairs: UnsafeBufferPointer<(String, AttributeValue)>) -> Bool {
        var filter = KeyFilter()
        for index in 0..<pairs.count where filter.mayHaveSeen(pairs[index].0) {
            // With many keys, the filter often reports possible matches; hashing all keys is then cheaper than
            // searching for each.
            if index > 64 { return true }
            for before in 0..<index where pairs[before].0.utf8.elementsEqual(pairs[index].0.utf8) { return true }
        }
        return false
    }

    /// Sorts pairs by their keys.
    ///
    /// Takes the array itself, because a parameter of an initializer would be a copy.
    ///
    /// - Complexity: O(n log n).
    @usableFromInline
    static func sort(_ pairs: inout [(String, AttributeValue)]) {
        pairs.withUnsafeMutableBufferPointer { sort(buffer: &$0) }
    }

    /// Sorts pairs by their keys.
    ///
    /// Up to 16 pairs are sorted by insertion, and moved without reference counting. Each move leaves a gap that is
    /// filled before it can be read, and comparing keys neither throws nor calls the app's code.
    private static func sort(buffer pairs: inout UnsafeMutableBufferPointer<(String, AttributeValue)>) {
        guard let start = pairs.baseAddress, pairs.count <= 16 else {
            pairs.sort { $0.0 < $1.0 }
            return
        }
        for index in 1..<Swift.max(1, pairs.count) where start[index].0 < start[index - 1].0 {
            let pair = (start + index).move()
            var gap = index
            repeat {
                (start + gap).moveInitialize(from: start + gap - 1, count: 1)
                gap -= 1
            } while gap > 0 && pair.0 < start[gap - 1].0
            (start + gap).initialize(to: pair)
        }
    }
}

extension AttributeValue {
    /// Whether the value contains other values.
    fileprivate var isContainer: Bool {
        switch self {
        case .array, .object: true
        case .string, .integer, .double, .boolean, .date: false
        }
    }

    /// The same value with every nested value converted.
    fileprivate var converted: AttributeValue {
        switch self {
        case .array(let values): .array(values.map(\.converted))
        case .object(let attributes): .object(attributes.converted)
        case .string, .integer, .double, .boolean, .date: self
        }
    }
}

extension Attributes: CustomStringConvertible {
    /// The attributes as a literal: `["sku": "A-1", "price": 12.5]`.
    ///
    /// The description is for tests and logs; its format is not stable.
    public var description: String {
        isEmpty ? "[:]" : "[\(map { "\(Self.quoted($0.key)): \(Self.text($0.value))" }.joined(separator: ", "))]"
    }

    private static func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer(let number): number.description
        case .double(let number): number.description
        case .boolean(let truth): truth.description
        case .date(let date): date.description
        case .array(let values): "[\(values.map(text).joined(separator: ", "))]"
        case .object(let attributes): attributes.description
        }
    }

    private static func quoted(_ text: String) -> String { text.debugDescription }
}
