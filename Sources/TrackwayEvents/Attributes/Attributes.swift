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
