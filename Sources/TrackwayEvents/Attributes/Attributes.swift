// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Named typed values in the order they were given.
///
/// Building one from a dictionary literal keeps the literal's array as it is: nothing is hashed or copied. That is why a
/// literal may name a key twice; the last value wins when the event is recorded, and a ``Diagnostic`` tells of it.
/// Everything else here keeps keys unique. Two are equal when they hold the same pairs in the same order.
///
/// Looking a key up walks the pairs: O(n), and faster than hashing for the sizes events have.
public struct Attributes: Sendable, Hashable {
    /// The pairs, in order.
    @usableFromInline
    var pairs: [(String, AttributeValue)]

    /// No attributes.
    @inlinable
    public init() {
        pairs = []
    }

    /// The pairs as they are, without a look at the keys.
    @usableFromInline
    init(pairs: [(String, AttributeValue)]) {
        self.pairs = pairs
    }

    /// The pairs in their order; of several with the same key the last wins, in the place of the first.
    ///
    /// - Complexity: O(n).
    public init(_ pairs: some Sequence<(key: String, value: AttributeValue)>) {
        self.init(uniquing: pairs.map { ($0.key, $0.value) })
    }

    /// The value of a key, the last one if a literal named the key twice; nil when there is none. Setting nil removes.
    ///
    /// - Complexity: O(n).
    public subscript(key: String) -> AttributeValue? {
        get {
            pairs.last { $0.0 == key }?.1
        }
        set {
            guard let newValue else {
                pairs.removeAll { $0.0 == key }
                return
            }
            guard let place = pairs.firstIndex(where: { $0.0 == key }) else {
                pairs.append((key, newValue))
                return
            }
            pairs[place].1 = newValue
            // Only a literal can have left a second one.
            if let other = pairs.lastIndex(where: { $0.0 == key }), other != place {
                pairs.removeAll { $0.0 == key }
                pairs.insert((key, newValue), at: place)
            }
        }
    }

    /// Sets a key to anything that has an attribute value: `attributes.set("count", cart.count)`.
    public mutating func set(_ key: String, _ value: some AttributeConvertible) {
        self[key] = value.attributeValue
    }

    /// Takes over every pair of `other`; its values win.
    ///
    /// - Complexity: O(n · m).
    public mutating func merge(_ other: Attributes) {
        if pairs.isEmpty {
            pairs = other.pairs
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
    /// The literal's pairs, in order.
    @inlinable
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self.init(pairs: elements)
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
    @inlinable
    public subscript(position: Int) -> Element {
        let pair = pairs[position]
        return (key: pair.0, value: pair.1)
    }
}

extension Attributes {
    /// The pairs with each key once: the last value, in the place of the first. Keys differ when their bytes differ.
    ///
    /// - Complexity: O(n).
    package init(uniquing pairs: [(String, AttributeValue)]) {
        guard Self.hasDuplicate(pairs) else {
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

    private static func hasDuplicate(_ pairs: [(String, AttributeValue)]) -> Bool {
        var filter = KeyFilter()
        for (index, pair) in pairs.enumerated() where filter.mayHaveSeen(pair.0) {
            // Many keys make the filter guess often; hashing them all is then cheaper than looking each one up.
            if index > 64 || pairs[..<index].contains(where: { $0.0.utf8.elementsEqual(pair.0.utf8) }) { return true }
        }
        return false
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
