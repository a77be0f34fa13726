// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// Writes the sign-ins on each installation, and the visitors who became users.
///
/// The column `users.joined` of a visitor is null while no event of the visitor belongs to a user.
/// Otherwise it is the user's number, or ``JoinedVisitor/severalWithVisitor`` or ``JoinedVisitor/several``.
///
/// This table is flushed after people, events and runs, because flushing reads their tables.
final class SignInTable: IndexTable {
    /// The sign-ins of one installation in this transaction.
    final class Installation {
        fileprivate let number: Int64
        fileprivate let stored: SignInHistory
        fileprivate var history: SignInHistory
        /// The events that split another user's period.
        fileprivate var late: [SignInHistory.Period] = []

        fileprivate init(_ number: Int64, _ history: SignInHistory) {
            self.number = number
            stored = history
            self.history = history
        }

        /// Adds a new event that was recorded while a user was signed in.
        func add(_ event: SignInHistory.Period) {
            if !history.extend(event) { late.append(event) }
        }

        /// Reports that the app keeps the installation's anonymous events separate from users.
        func keepSeparate() {
            history.keepSeparate()
            late = []
        }
    }

    private let read: RawStatement
    private let write: RawStatement
    private let findVisitor: RawStatement
    private let join: RawStatement
    private let runs: RawStatement
    private let lastInRun: RawStatement
    private let addVisit: RawStatement
    private var installations: [Int64: Installation] = [:]
    /// The installations in order of first appearance, so that the order of writing is deterministic.
    private var changed: [Installation] = []

    init(_ db: Database) throws {
        read = try RawStatement(db, "SELECT periods FROM sign_ins WHERE installation = ?")
        write = try RawStatement(db, "INSERT OR REPLACE INTO sign_ins (installation, periods) VALUES (?, ?)")
        findVisitor = try RawStatement(
            db,
            "SELECT number, first, last, joined FROM users WHERE installation = ? AND id IS NULL"
        )
        join = try RawStatement(db, "UPDATE users SET joined = ? WHERE number = ?")
        runs = try RawStatement(
            db,
            """
            SELECT first, last, latest FROM runs INDEXED BY runs_by_person_time
            WHERE person = ?1 AND latest >= ?2 AND latest <= ?3 AND earliest <= ?4 AND installation = ?5 ORDER BY latest DESC
            """
        )
        addVisit = try RawStatement(
            db,
            """
            INSERT INTO visits (user, installation, session, first, last, events) SELECT ?1, ?2, 0, ?3, ?3, 0
            WHERE NOT EXISTS (SELECT 1 FROM visits WHERE user = ?1 AND installation = ?2)
            """
        )
        lastInRun = try RawStatement(
            db,
            "SELECT max(time) FROM events WHERE position >= ?1 AND position <= ?2 AND time >= ?3 AND time <= ?4"
        )
    }

    /// Returns the sign-ins of an installation that has new events.
    func installation(_ number: Int64) throws -> Installation {
        if let known = installations[number] { return known }
        let new = Installation(number, try history(of: number))
        installations[number] = new
        changed.append(new)
        return new
    }

    /// Returns the stored sign-ins of an installation.
    func history(of number: Int64) throws -> SignInHistory {
        read.bind(1, number)
        guard try read.step() else { return SignInHistory() }
        defer { read.reset() }
        return read.withBytes(0) { SignInHistory(bytes: $0) }
    }

    /// Adds a visit without events for each user in a history who has no visit on the installation.
    ///
    /// People are found through their visits.
    func addVisits(_ history: SignInHistory, of installation: Int64) throws {
        for period in history.periods {
            addVisit.bind(1, period.user)
            addVisit.bind(2, installation)
            addVisit.bind(3, period.last)
            try addVisit.run()
        }
    }

    /// Replaces the sign-ins of an installation.
    ///
    /// Must be called after a flush.
    func replace(_ history: SignInHistory, of number: Int64) throws { try installation(number).history = history }

    func flush() throws {
        for installation in changed {
            for event in installation.late {
                try installation.history.insert(event) { user, times in
                    try lastEvent(of: user, times, on: installation.number)
                }
            }
            let history = installation.history
            if history != installation.stored {
                write.bind(1, installation.number)
                write.bind(2, history.bytes)
                try write.run()
            }
            // Without sign-ins, the visitor is a separate person.
            if !history.isEmpty || !installation.stored.isEmpty { try joinVisitor(of: installation.number, history) }
        }
        installations = [:]
        changed = []
    }

    private func joinVisitor(of installation: Int64, _ history: SignInHistory) throws {
        findVisitor.bind(1, installation)
        guard try findVisitor.step() else { return }
        let number = findVisitor.integer(0)
        let (first, last) = (findVisitor.optionalInteger(1), findVisitor.optionalInteger(2))
        let stored = findVisitor.optionalInteger(3)
        findVisitor.reset()
        var joined: Int64?
        if let first, let last, first <= last { joined = JoinedVisitor.column(history.owner(of: first...last)) }
        guard joined != stored else { return }
        join.bind(1, joined)
        join.bind(2, number)
        try join.run()
    }

    /// Returns the time of a user's last event on an installation within a time range.
    ///
    /// - Complexity: O(the user's runs in the range and the day after it).
    private func lastEvent(of user: Int64, _ times: ClosedRange<Int64>, on installation: Int64) throws -> Int64? {
        let (end, isOver) = times.upperBound.addingReportingOverflow(RunTable.span)
        runs.bind(1, user)
        runs.bind(2, times.lowerBound)
        runs.bind(3, isOver ? .max : end)
        runs.bind(4, times.upperBound)
        runs.bind(5, installation)
        defer { runs.reset() }
        var found: Int64?
        while try runs.step() {
            if let found, runs.integer(2) <= found { break }
            lastInRun.bind(1, runs.integer(0))
            lastInRun.bind(2, runs.integer(1))
            lastInRun.bind(3, times.lowerBound)
            lastInRun.bind(4, times.upperBound)
            defer { lastInRun.reset() }
            if try lastInRun.step(), let time = lastInRun.optionalInteger(0) { found = max(found ?? time, time) }
        }
        return found
    }

    // MARK: IndexTable

    var tableNames: [String] { ["sign_ins"] }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try db.execute(sql: "DELETE FROM sign_ins WHERE installation = ?", arguments: [installation])
    }
}

/// Values of the column `users.joined`.
enum JoinedVisitor {
    /// The visitor's events belong to several people, possibly including the visitor.
    ///
    /// Events after the last sign-in belong to the visitor.
    static let severalWithVisitor: Int64 = 0
    /// The visitor's events belong to several users.
    static let several: Int64 = -1

    /// The condition on `users` (as `u`) for rows that are separate people.
    ///
    /// The partial index `users_by_last` has the same condition.
    static let personCondition = "(u.joined IS NULL OR u.joined = 0)"

    /// Returns the column's value for an owner.
    static func column(_ owner: SignInHistory.Owner) -> Int64? {
        switch owner {
        case .visitor: nil
        case .user(let number): number
        case .several(let includesVisitor): includesVisitor ? severalWithVisitor : several
        }
    }
}
