// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A search for people by attributes and ids that requires a scan.
public struct UserSearch: Sendable, Hashable {
    /// The people to scan, the start, and the number of results.
    public var query: UserQuery
    /// The conditions on the person's attributes; all must hold.
    public var conditions: [QueryCondition]
    /// The strings that must occur in the person's ids or attribute values.
    ///
    /// ASCII case is ignored. The whole id of an installation finds the people who used it. At most
    /// ``QueryLimits/conditions``, each of at most ``QueryLimits/nameBytes``.
    public var words: [String]

    /// Creates a search.
    public init(_ query: UserQuery, conditions: [QueryCondition] = [], words: [String] = []) {
        self.query = query
        self.conditions = conditions
        self.words = words
    }

    /// Parses a search from URL parameters.
    ///
    /// `where` and `text` may each occur several times.
    ///
    /// - Returns: nil when neither is given, so the index alone can answer.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init?(_ query: UserQuery, parameters: [(name: String, value: String)]) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        let words = try reader.words("text")
        let conditions = try reader.conditions("where")
        for condition in conditions {
            guard case .context(let path) = condition.field else { continue }
            let name = path.joined(separator: ".")
            throw InvalidQueryError(
                "where",
                "“context.\(name.prefix(64))” applies to events, and people have only attributes: use an attribute, or "
                    + "write \"context.\(name.prefix(64))\" in quotes if that is its name."
            )
        }
        guard !words.isEmpty || !conditions.isEmpty else { return nil }
        self.init(query, conditions: conditions, words: words)
    }
}

/// The results of a search for people so far.
public struct UserSearchResult: Sendable, Hashable {
    /// The people, the most recently seen first.
    public var users: [StoredUser]
    /// The number of people scanned.
    public var searched: Int
    /// The number of people in the index.
    public var of: UInt64
    /// Where the next page continues; nil when all people were scanned.
    public var next: TimeCursor?

    /// Creates results.
    public init(users: [StoredUser], searched: Int, of: UInt64, next: TimeCursor?) {
        self.users = users
        self.searched = searched
        self.of = of
        self.next = next
    }

    /// Writes the response.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("users", users) { $0.write(to: &$1) }
        writer.member("searched", Int64(searched))
        writer.member("of", of)
        if let next { writer.member("next", next.description) }
        writer.endObject()
    }
}

extension QueryParameterReader {
    /// Returns the search strings of a parameter.
    func words(_ parameter: String) throws(InvalidQueryError) -> [String] {
        let words = all(parameter)
        try few(words.count, parameter, QueryLimits.conditions)
        for word in words { _ = try short(word, parameter, QueryLimits.nameBytes) }
        return words
    }
}
