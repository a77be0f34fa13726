// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Named typed values in the order they were given.
///
/// A literal takes values of any type that is ``AttributeConvertible``; a value that is nil is left out. An object inside a literal whose
/// values have different types needs its type:
///
/// ```swift
/// let sku = "A-1", price = 12.5, coupon: String? = nil
/// let attributes: Attributes = ["sku": sku, "price": price, "coupon": coupon, "size": ["eu": 38, "us": "7½"] as Attributes]
/// ```
/// A literal may name a key twice; the last value wins when the event is recorded, and a ``Diagnostic`` reports it. Everything else here
/// keeps keys unique. Two are equal when they hold the same pairs in the same order.
///
/// A look-up walks the pairs: O(n), and faster than hashing for the sizes that events have.
public struct Attributes: Sendable, Hashable {
    /// The pairs, in order.
    @usableFromInline
    enum Storage: Sendable {
        /// Pairs with converted values.
        case values([(String, AttributeValue)])
        /// The array of a literal as the compiler made it. The recording path writes it as it is: a second array would cost as much
        /// as writing the whole event (decision 0001).
        case literal([(String, any AttributeConvertible)])
    }

    @usableFromInline
    var storage: Storage
    /// The values of a dictionary that are no attribute values; nil in nearly all attributes.
    package var unsupported: Unsupported?

    /// No attributes.
    @inlinable
    public init() {
        storage = .values([])
    }

    /// The pairs as they are, without a look at the keys.
    @usableFromInline
    init(pairs: [(String, AttributeValue)]) {
        storage = .values(pairs)
    }

    /// The pairs with their values, without those that have none.
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
            // The array has one owner again, so a change copies nothing.
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

    /// The same with every value converted, nested ones too.
    ///
    /// For attributes that are kept, or read while a lock is held: converting calls code of the app.
    ///
    /// - Complexity: O(size).
    package var converted: Attributes {
        var pairs = pairs
        for index in pairs.indices where pairs[index].1.hasParts { pairs[index].1 = pairs[index].1.converted }
        var converted = self
        converted.storage = .values(pairs)
        return converted
    }

    /// The pairs in their order; of several with the same key the last wins, in the place of the first.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload  // A dictionary, which is such a sequence, too, is sorted.
    @inlinable
    public init(_ pairs: some Sequence<(key: String, value: AttributeValue)>) {
        var list: [(String, AttributeValue)] = []
        list.reserveCapacity(pairs.underestimatedCount)
        for pair in pairs { list.append((pair.key, pair.value)) }
        self.init(uniquing: list)
    }

    /// The value of a key, the last one if a literal named the key twice; nil when there is none. Setting nil removes.
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
            // The array has one owner again, so a change copies nothing.
            storage = .values([])
            Self.set(key, newValue, in: &pairs)
            storage = .values(pairs)
        }
    }

    private static func set(_ key: String, _ value: AttributeValue?, in pairs: inout [(String, AttributeValue)]) {
        let place = pairs.withUnsafeBufferPointer { firstPlace(of: key, in: $0) }
        guard let value else {
            if place != nil { pairs.removeAll { $0.0 == key } }
            return
        }
        guard let place else {
            // Growing from one on would move the first pairs several times.
            if pairs.isEmpty { pairs.reserveCapacity(8) }
            pairs.append((key, value))
            return
        }
        pairs[place].1 = value
        // Only a literal can have left a second one.
        if let other = pairs.lastIndex(where: { $0.0 == key }), other != place {
            pairs.removeAll { $0.0 == key }
            pairs.insert((key, value), at: place)
        }
    }

    /// The first pair with the key.
    ///
    /// A buffer, because iterating over the array would copy each pair; its owner keeps it alive during the call.
    private static func firstPlace(of key: String, in pairs: UnsafeBufferPointer<(String, AttributeValue)>) -> Int? {
        for index in 0..<pairs.count where pairs[index].0 == key { return index }
        return nil
    }

    /// Sets a key to anything that has an attribute value: `attributes.set("count", cart.count)`. A value that is nil removes the key.
    public mutating func set(_ key: String, _ value: some AttributeConvertible) {
        self[key] = value.attributeValue
    }

    /// Takes over every pair of `other`; its values win.
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

    /// These attributes and those of `other`, whose values win.
    public func merging(_ other: Attributes) -> Attributes {
        var merged = self
        merged.merge(other)
        return merged
    }

    /// The keys, in order.
    public var keys: [String] { pairs.map(\.0) }

    /// True when both hold the same pairs in the same order.
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
    /// The pairs of the literal, in order; those whose value is nil are left out.
    @inlinable
    public init(dictionaryLiteral elements: (String, any AttributeConvertible)...) {
        storage = .literal(elements)
    }
}

extension Attributes: RandomAccessCollection {
    /// One named value.
    public typealias Element = (key: String, value: AttributeValue)

    /// Always 0.
    @inlinable
    public var startIndex: Int { 0 }

    /// The number of pairs.
    @inlinable
    public var endIndex: Int { pairs.count }

    /// The pair at a place. The place must be valid.
    ///
    /// - Complexity: O(1), or O(n) for a literal; a loop over all pairs is O(n) for either.
    @inlinable
    public subscript(position: Int) -> Element {
        let pair = pairs[position]
        return (key: pair.0, value: pair.1)
    }

    /// An iterator over the pairs.
    public func makeIterator() -> Iterator {
        Iterator(pairs)
    }

    /// An iterator over the pairs of attributes.
    public struct Iterator: IteratorProtocol {
        private var pairs: IndexingIterator<[(String, AttributeValue)]>

        init(_ pairs: [(String, AttributeValue)]) {
            self.pairs = pairs.makeIterator()
        }

        /// The next pair; nil after the last.
        public mutating func next() -> Element? {
            pairs.next().map { (key: $0.0, value: $0.1) }
        }
    }

    /// Whether there are pairs, or a literal whose values may all be nil. Reads no value.
    var mayHavePairs: Bool {
        switch storage {
        case .values(let pairs): !pairs.isEmpty
        case .literal(let pairs): !pairs.isEmpty
        }
    }

    /// True when there are no pairs.
    public var isEmpty: Bool {
        switch storage {
        case .values(let pairs): pairs.isEmpty
        case .literal(let pairs): pairs.allSatisfy { $0.1.attributeValue == nil }
        }
    }
}

extension Attributes {
    /// The pairs with each key once: the last value, in the place of the first. Keys differ when their bytes differ.
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

    /// A buffer, because iterating over the array would copy each pair; its owner keeps it alive during the call.
    private static func hasDuplicate(_ pairs: UnsafeBufferPointer<(String, AttributeValue)>) -> Bool {
        var filter = KeyFilter()
        for index in 0..<pairs.count where filter.mayHaveSeen(pairs[index].0) {
            // Many keys make the filter guess often; hashing them all is then cheaper than looking each one up.
            if index > 64 { return true }
            for before in 0..<index where pairs[before].0.utf8.elementsEqual(pairs[index].0.utf8) { return true }
        }
        return false
    }

    /// The pairs of a dictionary, in the order of their keys.
    ///
    /// - Complexity: O(n log n).
    @usableFromInline
    init(sorting pairs: [(String, AttributeValue)]) {
        var pairs = pairs
        pairs.withUnsafeMutableBufferPointer(Self.sort)
        self.init(pairs: pairs)
    }

    /// Sorts pairs by their keys.
    ///
    /// Up to 16 are sorted by insertion, and moved without counting references: each element that is moved away leaves a gap, which is
    /// filled before anything else may read it, and comparing keys neither throws nor calls code of the app.
    private static func sort(_ pairs: inout UnsafeMutableBufferPointer<(String, AttributeValue)>) {
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
    /// Whether the value consists of others.
    fileprivate var hasParts: Bool {
        switch self {
        case .array, .object: true
        case .string, .integer, .double, .boolean, .date: false
        }
    }

    /// The same with every value in it converted.
    fileprivate var converted: AttributeValue {
        switch self {
        case .array(let values): .array(values.map(\.converted))
        case .object(let attributes): .object(attributes.converted)
        case .string, .integer, .double, .boolean, .date: self
        }
    }
}

extension Attributes: CustomStringConvertible {
    /// The attributes as one would write them down: `["sku": "A-1", "price": 12.5]`. For people who read tests and logs; not
    /// a format.
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
