// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A person examined by a search.
public protocol SearchedPerson {
    /// Returns the person's ids.
    func ids() throws -> [String?]
    /// Returns an attribute's value as JSON; nil if it is not set.
    func value(of attribute: String) throws -> [UInt8]?
    /// Returns a value of the person that is not an attribute, such as the first app version; nil if it has none.
    func value(of field: QueryField) throws -> QueryValue?
    /// Calls `body` with the value of each attribute.
    ///
    /// The store chooses the order. Stops when `body` returns true.
    func forEachValue(_ body: (UnsafeRawBufferPointer) -> Bool) throws
    /// Whether the person has events on an installation.
    func hasUsed(_ installation: InstallationID) throws -> Bool
}

extension SearchedPerson {
    /// The default for a store that reads only attributes of people.
    public func value(of field: QueryField) throws -> QueryValue? { nil }
}

/// Decides whether a person matches a search, and when a search ends.
public struct UserMatch: Sendable {
    private struct Word {
        let text: SearchWord
        /// The installation with this id, if the word is an installation id.
        let installation: InstallationID?
    }

    private let conditions: [QueryCondition]
    private let words: [Word]
    private var meter: SearchMeter
    private var isOverWithin = false

    /// Creates a matcher for a search.
    public init(_ search: UserSearch, _ meter: SearchMeter) {
        conditions = search.conditions
        words = search.words.map { Word(text: SearchWord($0), installation: InstallationID($0)) }
        self.meter = meter
    }

    /// Counts one more person, and returns whether the search must end.
    public mutating func isOver() -> Bool { meter.isOver() || isOverWithin }

    /// Whether a person matches the search.
    ///
    /// - Throws: Any error thrown by `person`.
    /// - Complexity: O(bytes of the attributes × words).
    public mutating func matches(_ person: some SearchedPerson) throws -> Bool {
        for condition in conditions {
            let holds = try condition.holds { field in
                let name: String
                switch field {
                case .attribute(let attribute), .person(.attribute(let attribute)): name = attribute
                case .person(.first), .cohort: return try person.value(of: field)
                // The parser of the search already rejected conditions on the context.
                case .context: return nil
                }
                // The store wrote this value as JSON; if it cannot be parsed, it counts as absent.
                let value = try person.value(of: name).flatMap { try? JSONValue.parse($0) }
                return value.flatMap(QueryValue.init)
            }
            guard holds else { return false }
        }
        guard !words.isEmpty else { return true }
        let ids = try person.ids()
        for word in words where !ids.contains(where: { word.text.occurs(in: $0) }) {
            if let installation = word.installation, try person.hasUsed(installation) { continue }
            guard try matches(word.text, of: person) else { return false }
        }
        return true
    }

    /// Whether a word occurs in one of a person's attribute values.
    private mutating func matches(_ word: SearchWord, of person: some SearchedPerson) throws -> Bool {
        var isFound = false
        var (meter, isOver) = (meter, isOverWithin)
        try person.forEachValue { value in
            isFound = word.occurs(in: value)
            // When the budget is exhausted, the current person is still scanned to the end, even with ten thousand
            // values; that person is the last one in the response.
            if !isFound, meter.isOver() { isOver = true }
            return isFound
        }
        (self.meter, isOverWithin) = (meter, isOver)
        return isFound
    }
}
