// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation
internal import GRDB
internal import TrackwayEvents

/// Goes through people for those that hold what is searched for.
enum UserSearchRows {
    /// The people found before one of three is reached: the query's limit, an answer's size, or what one search may cost. Who
    /// wants more goes on at `next`.
    ///
    /// - Complexity: O(people gone through × their attributes).
    static func found(
        _ search: UserSearch,
        budget: QuestionBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> FoundUsers {
        let filter = UserFilter(search.query)
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT u.number, u.last, CAST(u.id AS BLOB), u.unique_id, u.anonymous_id, u.installation FROM users u
                WHERE \(filter.sql) ORDER BY u.last DESC, u.number DESC
                """,
            arguments: filter.arguments(limit: nil)
        )
        let total = try Int64.fetchOne(db, sql: "SELECT count(*) FROM users WHERE last IS NOT NULL") ?? 0
        var match = try UserMatch(search, SearchMeter(budget, clock: clock), db)
        var answer = FoundUsers(users: [], searched: 0, of: UInt64(clamping: total), next: nil)
        var bytes = 0
        while let row = try rows.next() {
            answer.searched += 1
            let number: Int64 = row[0]
            if try match.holds(row),
                let user = try UserRows.at(number, withAttributes: search.query.withAttributes, db)
            {
                answer.users.append(user)
                bytes += user.answerBytes
            }
            let isFull = bytes >= AnswerBudget.bytes || answer.users.count >= search.query.limit
            if match.isOver() || isFull {
                answer.next = TimedPlace(time: Timestamp(milliseconds: row[1]), number: number)
                break
            }
        }
        return answer
    }
}

/// Whether a person holds what is searched for.
private struct UserMatch {
    /// A word, and the installation whose id it is.
    private struct Word {
        let text: SearchWord
        let installation: Int64?
    }

    private let conditions: [(name: String, condition: QuestionCondition)]
    private let words: [Word]
    private let findAttribute: RawStatement
    private let listValues: RawStatement
    private let findVisit: RawStatement
    private let findID: RawStatement
    private var meter: SearchMeter
    private var isOverWithin = false

    init(_ search: UserSearch, _ meter: SearchMeter, _ db: Database) throws {
        // Conditions on a context were refused when the search was read.
        conditions = search.conditions.compactMap { condition in
            if case .attribute(let name) = condition.field { (name, condition) } else { nil }
        }
        let findInstallation = try RawStatement(db, "SELECT number FROM installations WHERE id = ?")
        words = try search.words.map { word in
            var number: Int64?
            if let id = InstallationID(word) {
                findInstallation.bind(1, id)
                if try findInstallation.step() { number = findInstallation.integer(0) }
                findInstallation.reset()
            }
            return Word(text: SearchWord(word), installation: number)
        }
        findAttribute = try RawStatement(db, "SELECT value FROM user_attributes WHERE user = ? AND name = ?")
        listValues = try RawStatement(db, "SELECT value FROM user_attributes WHERE user = ?")
        findVisit = try RawStatement(db, "SELECT 1 FROM visits WHERE user = ? AND installation = ? LIMIT 1")
        findID = try RawStatement(db, "SELECT id FROM installations WHERE number = ?")
        self.meter = meter
    }

    /// One more person was looked at; whether it was the last one that may be.
    mutating func isOver() -> Bool { meter.isOver() || isOverWithin }

    /// Takes a row of number, time and the ids.
    mutating func holds(_ row: Row) throws -> Bool {
        let number: Int64 = row[0]
        for (name, condition) in conditions {
            findAttribute.bind(1, number)
            findAttribute.bind(2, name)
            // Written here; what cannot be read counts as absent.
            let value = try findAttribute.step() ? try? JSONValue.parse(findAttribute.bytes(0)) : nil
            findAttribute.reset()
            guard condition.holds(of: value.flatMap(QuestionValue.init)) else { return false }
        }
        guard !words.isEmpty else { return true }
        let id = UserRows.text(row[2])
        var ids: [String?] = [id, row[3], row[4]]
        if id == nil { ids.append(try visitor(row[5])) }
        for word in words where !ids.contains(where: { word.text.occurs(in: $0) }) {
            if let installation = word.installation, try used(installation, by: number) { continue }
            guard try isSaid(word.text, of: number) else { return false }
        }
        return true
    }

    /// The id of the installation whose visitor somebody is.
    private func visitor(_ installation: Int64?) throws -> String? {
        guard let installation else { return nil }
        findID.bind(1, installation)
        defer { findID.reset() }
        return try findID.step() ? findID.id(0, as: InstallationID.self)?.description : nil
    }

    private func used(_ installation: Int64, by number: Int64) throws -> Bool {
        findVisit.bind(1, number)
        findVisit.bind(2, installation)
        defer { findVisit.reset() }
        return try findVisit.step()
    }

    /// Whether a word occurs in the value of one of a person's attributes.
    private mutating func isSaid(_ word: SearchWord, of number: Int64) throws -> Bool {
        listValues.bind(1, number)
        defer { listValues.reset() }
        while try listValues.step() {
            if listValues.withBytes(0, { word.occurs(in: $0) }) { return true }
            // Whoever has ten thousand of them is looked at to the end, and is the last one in the answer.
            if meter.isOver() { isOverWithin = true }
        }
        return false
    }
}
