// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// People by what is known about them: they have to be gone through.
public struct UserSearch: Sendable, Hashable {
    /// Which people are gone through, from where, and how many are wanted.
    public var query: UserQuery
    /// What must hold of the person's attributes, all of it.
    public var conditions: [QuestionCondition]
    /// What must occur in one of the person's ids or in the value of an attribute; A–Z and a–z are the same. The whole id of an
    /// installation finds who used it. At most ``QuestionLimits/conditions``, each of at most ``QuestionLimits/nameBytes``.
    public var words: [String]

    /// A search.
    public init(_ query: UserQuery, conditions: [QuestionCondition] = [], words: [String] = []) {
        self.query = query
        self.conditions = conditions
        self.words = words
    }

    /// Reads what is searched for from the parameters of an address: `where` and `text`, each several times.
    ///
    /// - Returns: nil when neither is given, and the index alone has the answer.
    /// - Throws: ``QuestionError`` with the parameter, its value, and what helps.
    public init?(_ query: UserQuery, parameters: [(name: String, value: String)]) throws(QuestionError) {
        let reader = QuestionParameters(parameters)
        let words = try reader.words("text")
        let conditions = try reader.conditions("where")
        for condition in conditions {
            guard case .context(let path) = condition.field else { continue }
            let name = path.joined(separator: ".")
            throw QuestionError(
                "where",
                "“context.\(name.prefix(64))” is of events, and people have attributes only: name one of those, or "
                    + "write \"context.\(name.prefix(64))\" in quotes if it is called so."
            )
        }
        guard !words.isEmpty || !conditions.isEmpty else { return nil }
        self.init(query, conditions: conditions, words: words)
    }
}

/// The people that a search found so far.
public struct FoundUsers: Sendable, Hashable {
    /// The people, those seen last first.
    public var users: [StoredUser]
    /// How many people were gone through.
    public var searched: Int
    /// How many people the index has.
    public var of: UInt64
    /// Where to go on; nil when all were gone through.
    public var next: TimedPlace?

    /// What was found.
    public init(users: [StoredUser], searched: Int, of: UInt64, next: TimedPlace?) {
        self.users = users
        self.searched = searched
        self.of = of
        self.next = next
    }

    /// Writes the answer.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("users", users) { $0.write(to: &$1) }
        writer.member("searched", Int64(searched))
        writer.member("of", of)
        if let next { writer.member("next", next.description) }
        writer.endObject()
    }
}

extension QuestionParameters {
    /// Texts that are looked for, as a parameter gives them.
    func words(_ parameter: String) throws(QuestionError) -> [String] {
        let words = all(parameter)
        try few(words.count, parameter, QuestionLimits.conditions)
        for word in words { _ = try short(word, parameter, QuestionLimits.nameBytes) }
        return words
    }
}
