// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A statement about merged users in the index, with its outcome.
public struct StoredMerge: Sendable, Hashable {
    /// The statement.
    public var statement: MergeStatement
    /// The effect of the statement.
    public var outcome: MergeStatement.Outcome
    /// When the statement arrived, by the collector's clock.
    public var received: Timestamp
    /// The name of the key with which the statement arrived.
    public var key: String
    /// The installation of the event; nil for an operator's statement.
    public var installation: InstallationID?

    /// Creates a statement.
    public init(
        _ statement: MergeStatement,
        _ outcome: MergeStatement.Outcome,
        received: Timestamp,
        key: String,
        installation: InstallationID?
    ) {
        self.statement = statement
        self.outcome = outcome
        self.received = received
        self.key = key
        self.installation = installation
    }

    /// The maximum number of statements in one response.
    public static let maximumCount = 100

    /// Writes the statement as a JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("user", statement.user)
        writer.member("into", statement.target)
        writer.member("time", Timestamp(milliseconds: statement.time))
        writer.member("outcome", outcome.rawValue)
        writer.member("by", statement.author.rawValue)
        writer.member("key", key)
        writer.member("received", received)
        if let installation { writer.member("installation", installation) }
        writer.endObject()
    }
}

/// What merging two users would change.
public struct MergePreview: Sendable, Hashable {
    /// The user who would be merged.
    public var user: String
    /// The user with whom the other would be counted.
    public var target: String
    /// The outcome if the users were merged now.
    public var outcome: MergeStatement.Outcome
    /// The user with whom ``user`` would then be counted, at the end of a chain.
    public var person: String
    /// The other users who are counted as ``user``, and would then be counted as ``person``.
    public var merged: [String]
    /// The number of events that would then be counted as those of ``person``.
    public var events: UInt64

    /// Evaluates a merge.
    ///
    /// - Parameters:
    ///   - statements: The known statements that are connected with one of the users.
    ///   - profile: The person who is counted as `user`; nil for a user without events.
    public init(
        _ user: String,
        into target: String,
        _ statements: [StoredMerge],
        profile: StoredUser?
    ) {
        let merges = UserMerges(statements.map(\.statement))
        self.user = user
        self.target = target
        outcome = merges.outcome(ofMerging: user, into: target)
        person = merges.root(of: outcome == .merged ? target : user)
        let isSeparate = profile.map { ByteText($0.id ?? "") == ByteText(user) } ?? false
        merged = isSeparate ? profile?.mergedIDs ?? [] : []
        events = isSeparate ? profile?.events ?? 0 : 0
    }

    /// Writes the preview as a JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("user", user)
        writer.member("into", target)
        writer.member("outcome", outcome.rawValue)
        writer.member("person", person)
        writer.list("merged", merged) { $1.string($0) }
        writer.member("events", events)
        writer.endObject()
    }
}

extension [StoredMerge] {
    /// Returns the time of an operator's new statement, after all known ones of operators.
    ///
    /// The collector's clock may have been set back, and a statement must not precede the one that it undoes.
    public func nextTime(atLeast time: Timestamp) -> Timestamp {
        let last = map(\.statement).filter { $0.author == .operator }.map(\.time).max() ?? .min
        return Timestamp(milliseconds: Swift.max(time.milliseconds, last < .max ? last + 1 : last))
    }
}
