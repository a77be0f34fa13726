// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A statement that a user ID belongs to another user, or the withdrawal of such a statement.
///
/// Apps make statements with the event `_alias`, and operators with ``UserMergeRecord``.
public struct MergeStatement: Sendable, Hashable {
    /// The effect of a statement, given all other statements.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The user is counted as the other user.
        case merged
        /// The statement had an effect until it was undone.
        case undone
        /// The statement withdraws an earlier one.
        case undoes
        /// The statement repeats one that has an effect.
        case repeated
        /// The user was already merged into another user.
        case conflict
        /// The other user is already counted as this user.
        case cycle
        /// The statement withdraws a merge that does not exist.
        case nothing
        /// One of the user IDs is a placeholder, empty or too long, or both are the same.
        case invalid

        /// Whether the statement has no effect although its author expected one.
        public var isWarning: Bool { [.conflict, .cycle, .invalid].contains(self) }
    }

    /// The user ID that the statement is about.
    public var user: String
    /// The user ID with which events of ``user`` are counted; nil for a withdrawal.
    public var target: String?
    /// The time of the statement, in milliseconds since 1970.
    public var time: Int64

    /// Creates a statement.
    public init(_ user: String, into target: String?, at time: Int64) {
        self.user = user
        self.target = target
        self.time = time
    }

    /// Reads an `_alias` event; nil for every other event.
    ///
    /// A missing ID is an empty one.
    public init?(_ event: ReceivedEvent, at time: Int64) {
        if let name = event.plainName {
            guard name.elementsEqual(CapturedName.alias.utf8) else { return nil }
        } else {
            // An event whose name cannot be decoded is not an alias.
            guard (try? event.name()) == CapturedName.alias else { return nil }
        }
        self.init(attributes: CapturedKind.values(event.attributes), at: time)
    }

    /// Reads the attributes of an `_alias` event.
    ///
    /// A missing ID is an empty one.
    public init(attributes: JSONValue.Object, at time: Int64) {
        user = attributes[CapturedKey.aliasFrom]?.string ?? ""
        target = attributes[CapturedKey.aliasTo]?.string ?? ""
        self.time = time
    }

    /// The maximum length of a user ID in a statement, in UTF-8 bytes.
    public static let maximumIDBytes = 4_096

    /// Whether the IDs can identify two users.
    public var isValid: Bool {
        func isID(_ id: String) -> Bool { id.utf8.count <= Self.maximumIDBytes && !PlaceholderUserID.contains(id) }
        guard let target else { return isID(user) }
        return isID(user) && isID(target) && ByteText(user) != ByteText(target)
    }

    /// Whether the statement is evaluated before another one.
    ///
    /// The order depends on the statements only, not on their order of arrival. At equal times, merges precede
    /// withdrawals.
    fileprivate func precedes(_ other: MergeStatement) -> Bool {
        if time != other.time { return time < other.time }
        if (target == nil) != (other.target == nil) { return target != nil }
        let (left, right) = (ByteText(user), ByteText(other.user))
        return left == right ? ByteText(target ?? "") < ByteText(other.target ?? "") : left < right
    }
}

/// The result of evaluating statements about users.
///
/// Evaluated are all statements that are connected through their IDs, in the order of their times. A user is merged at
/// most once at a time, and never into a user who is counted as the same one. The result therefore depends on the set
/// of statements only.
public struct UserMerges: Sendable, Hashable {
    /// The outcomes, in the order of the statements passed to ``init(_:)``.
    public private(set) var outcomes: [MergeStatement.Outcome]
    /// The user at the end of each merged user's chain.
    private var roots: [ByteText: ByteText] = [:]

    /// Evaluates statements.
    ///
    /// - Complexity: O(n log n), and O(n) more for each withdrawal.
    public init(_ statements: [MergeStatement]) {
        outcomes = Array(repeating: .invalid, count: statements.count)
        var inForce: [ByteText: [Int]] = [:]
        var targets: [ByteText: ByteText] = [:]
        var chains = Chains()
        let order = statements.indices.sorted { statements[$0].precedes(statements[$1]) }
        for index in order where statements[index].isValid {
            let user = ByteText(statements[index].user)
            guard let target = statements[index].target.map(ByteText.init) else {
                guard let undone = inForce.removeValue(forKey: user) else {
                    outcomes[index] = .nothing
                    continue
                }
                for other in undone { outcomes[other] = .undone }
                targets[user] = nil
                chains = Chains()
                outcomes[index] = .undoes
                continue
            }
            if let known = targets[user] {
                outcomes[index] = known == target ? .repeated : .conflict
                if known == target { inForce[user]?.append(index) }
            } else if chains.end(of: target, targets) == user {
                outcomes[index] = .cycle
            } else {
                targets[user] = target
                inForce[user] = [index]
                outcomes[index] = .merged
            }
        }
        for user in targets.keys { roots[user] = chains.end(of: user, targets) }
    }

    /// Returns the user ID with which the events of a user are counted.
    ///
    /// - Complexity: O(1).
    public func root(of user: String) -> String { roots[ByteText(user)]?.text ?? user }

    /// Finds the ends of chains, and remembers a later user of each chain.
    private struct Chains {
        private var later: [ByteText: ByteText] = [:]

        mutating func end(of user: ByteText, _ targets: [ByteText: ByteText]) -> ByteText {
            var passed: [ByteText] = []
            var end = user
            while let next = later[end] ?? targets[end] {
                passed.append(end)
                end = next
            }
            for user in passed { later[user] = end }
            return end
        }
    }
}
