// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The groups of a grouped query, numbered in the order in which their values are met.
///
/// A value is its own group. When values are read as texts, values with the same text are one group, and texts are the same when
/// they are canonically equivalent in Unicode: `é` is one group in its composed and its decomposed form.
struct QuestionGroups: Sendable {
    private let readsValuesAsTexts: Bool
    private var numbers: [QuestionValue?: Int] = [:]
    /// The groups of texts. Strings are equal, and hash alike, when they are canonically equivalent.
    private var texts: [String: Int] = [:]
    /// The value of each group.
    private(set) var values: [QuestionValue?] = []
    /// Bytes of the values met, roughly.
    private(set) var bytes = 0

    /// No groups yet.
    init(_ grouping: Question.Grouping?) {
        readsValuesAsTexts = grouping?.readsValuesAsTexts ?? false
    }

    /// Returns the number of a value's group, from 0; a new value may begin a group.
    ///
    /// - Complexity: O(length of the value).
    mutating func number(of value: QuestionValue?) -> Int {
        if let known = numbers[value] { return known }
        bytes += value?.bytes ?? 0
        let number = readsValuesAsTexts && value != nil ? textNumber(of: value) : append(value)
        numbers[value] = number
        return number
    }

    private mutating func append(_ value: QuestionValue?) -> Int {
        values.append(value)
        return values.count - 1
    }

    private mutating func textNumber(of value: QuestionValue?) -> Int {
        guard let bytes = value?.text else { return append(value) }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let known = texts[text] else {
            texts[text] = append(.text(bytes))
            return values.count - 1
        }
        // The same form is shown in whatever order the forms are met.
        if case .text(let shown)? = values[known], Self.isShorter(bytes, shown) { values[known] = .text(bytes) }
        return known
    }

    private static func isShorter(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
    }
}
