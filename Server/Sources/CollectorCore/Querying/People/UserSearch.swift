// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A search for people, by attributes and ids, that requires a scan.
public struct UserSearch: Sendable, Hashable {
    /// The query for the people to scan, with start and limit.
    public var query: UserQuery
    /// The conditions on the person's attributes; all must hold.
    public var conditions: [QueryCondition]
    /// The strings that must occur in the person's ids or attribute values.
    ///
    /// ASCII case is ignored. The complete id of an installation matches the people who used it. There are at most
    /// ``QueryLimits/conditions`` strings of at most ``QueryLimits/nameBytes`` bytes each.
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
    /// - Returns: nil when neither is given, because the index alone can answer such a query.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init?(_ query: UserQuery, parameters: [(name: String, value: String)]) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        let words = try reader.words("text")
        let conditions = try reader.conditions("where")
        for field in conditions.flatMap(\.fields) {
            guard case .context(let path) = field else { continue }
            let name = path.joined(separator: ".")
            throw InvalidQueryError(
                "where",
                "“context.\(name.prefix(64))” applies to events, and users have only attributes: use an attribute, or "
                    + "write \"context.\(name.prefix(64))\" in quotes if that is an attribute's name."
            )
        }
        guard !words.isEmpty || !conditions.isEmpty else { return nil }
        self.init(query, conditions: conditions, words: words)
    }
}

/// A page of results of a search for people.
public struct UserSearchResult: Sendable, Hashable {
    /// The people, most recently seen first.
    public var users: [StoredUser]
    /// The number of people scanned.
    public var searched: Int
    /// The number of people in the index.
    public var total: UInt64
    /// The cursor for the next page; nil when all people were scanned.
    public var next: TimeCursor?

    /// Creates results.
    public init(users: [StoredUser], searched: Int, total: UInt64, next: TimeCursor?) {
        self.users = users
        self.searched = searched
        self.total = total
        self.next = next
    }

    /// Writes the response.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("users", users) { $0.write(to: &$1) }
        writer.member("searched", Int64(searched))
        writer.member("of", total)
        if let next { writer.member("next", next.description) }
        writer.endObject()
    }
}

extension QueryParameterReader {
    /// Parses the search strings in a parameter.
    func words(_ parameter: String) throws(InvalidQueryError) -> [String] {
        let words = all(parameter)
        try checkCount(words.count, parameter, QueryLimits.conditions)
        for word in words { _ = try limitedText(word, parameter, QueryLimits.nameBytes) }
        return words
    }
}
