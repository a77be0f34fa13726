// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The groups of a grouped query.
///
/// Groups are numbered in the order in which their values first occur. Normally, each value is its own group. When
/// values are read as text, values with the same text form one group. Two texts are the same if they are canonically
/// equivalent in Unicode: the composed and decomposed forms of `é` are one group.
struct QueryGroups: Sendable {
    private let readsValuesAsTexts: Bool
    /// Whether values are lists of values or buckets, which remain JSON when they are compared as texts.
    private let areStructures: Bool
    private var numbers: [QueryValue?: Int] = [:]
    /// The group number of each string.
    ///
    /// Strings are equal, and have equal hashes, when they are canonically equivalent.
    private var texts: [String: Int] = [:]
    /// The value of each group.
    private(set) var values: [QueryValue?] = []
    /// The approximate number of bytes of all values.
    private(set) var bytes = 0

    /// Creates an empty set of groups.
    init(_ grouping: TrendQuery.Grouping?) {
        readsValuesAsTexts = grouping?.readsValuesAsTexts ?? false
        areStructures = grouping.map { !$0.furtherFields.isEmpty || !$0.buckets.isEmpty } ?? false
    }

    /// Returns the number of a value's group, from 0.
    ///
    /// A new value may create a group.
    ///
    /// - Complexity: O(length of the value).
    mutating func number(of value: QueryValue?) -> Int {
        if let known = numbers[value] { return known }
        bytes += value?.bytes ?? 0
        let number = readsValuesAsTexts && value != nil ? textNumber(of: value) : append(value)
        numbers[value] = number
        return number
    }

    /// Returns the numbers of the groups that a point includes; nil for all.
    ///
    /// - Parameter top: returns the groups with a series of their own.
    func numbers(of wanted: PointGroup, top: () -> ArraySlice<Int>) -> Set<Int>? {
        switch wanted {
        case .all: return nil
        case .other: return Set(values.indices).subtracting(top())
        case .value(let value):
            if let known = numbers[value] { return [known] }
            guard readsValuesAsTexts, let bytes = value?.text else { return [] }
            return texts[String(decoding: bytes, as: UTF8.self)].map { [$0] } ?? []
        }
    }

    private mutating func append(_ value: QueryValue?) -> Int {
        values.append(value)
        return values.count - 1
    }

    private mutating func textNumber(of value: QueryValue?) -> Int {
        guard let bytes = value?.text else { return append(value) }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let known = texts[text] else {
            texts[text] = append(areStructures ? .structure(bytes) : .text(bytes))
            return values.count - 1
        }
        // Show the same form regardless of the order in which forms occur.
        if let shown = values[known]?.text, Self.isShorter(bytes, shown) {
            values[known] = areStructures ? .structure(bytes) : .text(bytes)
        }
        return known
    }

    private static func isShorter(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
    }
}
