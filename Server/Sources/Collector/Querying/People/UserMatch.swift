// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A person as a search looks at them.
public protocol SearchedPerson {
    /// The ids by which the person is known.
    func ids() throws -> [String?]
    /// The value of an attribute as JSON; nil when there is none.
    func value(of attribute: String) throws -> [UInt8]?
    /// Calls `body` with the values of all attributes, in the order of their names, until it says that it has seen enough.
    func eachValue(_ body: (UnsafeRawBufferPointer) -> Bool) throws
    /// Whether the person has events of an installation.
    func used(_ installation: InstallationID) throws -> Bool
}

/// Whether a person holds what is searched for, and how far a search goes.
public struct UserMatch: Sendable {
    private struct Word {
        let text: SearchWord
        /// The installation whose id it is.
        let installation: InstallationID?
    }

    private let conditions: [(name: String, condition: QuestionCondition)]
    private let words: [Word]
    private var meter: SearchMeter
    private var isOverWithin = false

    /// What is searched for.
    public init(_ search: UserSearch, _ meter: SearchMeter) {
        // Conditions on a context were refused when the search was read.
        conditions = search.conditions.compactMap { condition in
            if case .attribute(let name) = condition.field { (name, condition) } else { nil }
        }
        words = search.words.map { Word(text: SearchWord($0), installation: InstallationID($0)) }
        self.meter = meter
    }

    /// One more person was looked at; whether it was the last one that may be.
    public mutating func isOver() -> Bool { meter.isOver() || isOverWithin }

    /// Looks at a person.
    ///
    /// - Throws: What the person throws.
    /// - Complexity: O(bytes of the attributes × words).
    public mutating func holds(_ person: some SearchedPerson) throws -> Bool {
        for (name, condition) in conditions {
            // Stores write it; what cannot be read counts as absent.
            let value = try person.value(of: name).flatMap { try? JSONValue.parse($0) }
            guard condition.holds(of: value.flatMap(QuestionValue.init)) else { return false }
        }
        guard !words.isEmpty else { return true }
        let ids = try person.ids()
        for word in words where !ids.contains(where: { word.text.occurs(in: $0) }) {
            if let installation = word.installation, try person.used(installation) { continue }
            guard try isSaid(word.text, of: person) else { return false }
        }
        return true
    }

    /// Whether a word occurs in the value of one of a person's attributes.
    private mutating func isSaid(_ word: SearchWord, of person: some SearchedPerson) throws -> Bool {
        var isFound = false
        var (meter, isOver) = (meter, isOverWithin)
        try person.eachValue { value in
            isFound = word.occurs(in: value)
            // Whoever has ten thousand of them is looked at to the end, and is the last one in the answer.
            if !isFound, meter.isOver() { isOver = true }
            return isFound
        }
        (self.meter, isOverWithin) = (meter, isOver)
        return isFound
    }
}
