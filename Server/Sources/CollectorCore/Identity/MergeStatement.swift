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
        /// An operator undid a merge of the user, and later statements of apps about that user have no effect.
        case overruled
        /// One of the user IDs is a placeholder, empty or too long, or both are the same.
        case invalid

        /// Whether the statement has no effect although its author expected one.
        public var isWarning: Bool { [.conflict, .cycle, .invalid, .overruled].contains(self) }
    }

    /// Who made a statement.
    public enum Author: String, Sendable, Hashable, CaseIterable {
        /// An app, with the event `_alias` and any key that can send events.
        case app
        /// An operator, with a key that can merge users.
        case `operator`
    }

    /// The user ID that the statement is about.
    public var user: String
    /// The user ID with which events of ``user`` are counted; nil for a withdrawal.
    public var target: String?
    /// The time of the statement, in milliseconds since 1970.
    public var time: Int64
    /// Who made the statement.
    ///
    /// Operators' statements are evaluated first, because the time in an app's event can be any time.
    public var author: Author

    /// Creates a statement.
    public init(_ user: String, into target: String?, at time: Int64, by author: Author) {
        self.user = user
        self.target = target
        self.time = time
        self.author = author
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
        author = .app
    }

    /// The maximum length of a user ID in a statement, in UTF-8 bytes.
    public static let maximumIDBytes = 4_096

    /// The maximum number of statements of apps that are connected through their IDs.
    ///
    /// Without a limit, an app that merges all users into one would make each later statement as expensive as all
    /// earlier ones. Statements of operators are not limited.
    public static let maximumConnected = 200

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
        if author != other.author { return author == .operator }
        if time != other.time { return time < other.time }
        if (target == nil) != (other.target == nil) { return target != nil }
        let (left, right) = (ByteText(user), ByteText(other.user))
        return left == right ? ByteText(target ?? "") < ByteText(other.target ?? "") : left < right
    }
}

/// The result of evaluating statements about users.
///
/// Evaluated are all statements that are connected through their IDs: those of operators first, then those of apps,
/// both in the order of their times. A user is merged at most once at a time, and never into a user who is counted as
/// the same one. Once an operator has made a statement about a user, statements of apps about that user have no effect.
/// An operator's withdrawal also withdraws the statements of apps about the user, earlier and later ones.
/// The result therefore depends on the set of statements only.
public struct UserMerges: Sendable, Hashable {
    /// The outcomes, in the order of the statements passed to ``init(_:)``.
    public private(set) var outcomes: [MergeStatement.Outcome]
    /// The target of each merged user.
    private var targets: [ByteText: ByteText] = [:]
    /// The user at the end of each merged user's chain.
    private var roots: [ByteText: ByteText] = [:]

    /// Evaluates statements.
    ///
    /// - Complexity: O(n log n), and O(n) more for each withdrawal.
    public init(_ statements: [MergeStatement]) {
        outcomes = Array(repeating: .invalid, count: statements.count)
        var inForce: [ByteText: [Int]] = [:]
        var ofApps: [ByteText: [Int]] = [:]
        var decided: Set<ByteText> = []
        var chains = Chains()
        let order = statements.indices.filter { statements[$0].isValid }
            .sorted { statements[$0].precedes(statements[$1]) }
        for index in order where statements[index].author == .app {
            ofApps[ByteText(statements[index].user), default: []].append(index)
        }
        for index in order {
            let statement = statements[index]
            let user = ByteText(statement.user)
            if statement.author == .operator {
                decided.insert(user)
            } else if decided.contains(user) {
                if outcomes[index] == .invalid { outcomes[index] = outcome(of: statement) }
                continue
            }
            guard let target = statement.target.map(ByteText.init) else {
                let undone = (inForce.removeValue(forKey: user) ?? []) + (ofApps.removeValue(forKey: user) ?? [])
                outcomes[index] = undone.isEmpty ? .nothing : .undoes
                for other in undone {
                    let isLater = statements[other].author == .app && statements[other].time > statement.time
                    outcomes[other] = isLater ? .overruled : .undone
                }
                if targets.removeValue(forKey: user) != nil { chains = Chains() }
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

    /// Returns the outcome of an app's statement about a user about whom an operator decided.
    private func outcome(of statement: MergeStatement) -> MergeStatement.Outcome {
        guard let known = targets[ByteText(statement.user)] else { return .overruled }
        return known == statement.target.map(ByteText.init) ? .repeated : .conflict
    }

    /// Returns the outcome that a new merge by an operator may have.
    ///
    /// A merge that contradicts the merges in force is refused, including those of apps: they must be undone first.
    public func outcome(ofMerging user: String, into target: String) -> MergeStatement.Outcome {
        guard MergeStatement(user, into: target, at: 0, by: .operator).isValid else { return .invalid }
        if let known = targets[ByteText(user)] { return known == ByteText(target) ? .repeated : .conflict }
        return ByteText(root(of: target)) == ByteText(user) ? .cycle : .merged
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
