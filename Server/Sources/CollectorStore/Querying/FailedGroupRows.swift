// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Groups what was refused, and adds up what devices lost.
enum FailedGroupRows {
    /// After so many rows the clock is asked.
    private static let rowsBetweenLooks: Int64 = 512

    private struct Key: Hashable {
        let code: String
        let field: String
        let name: String?
        let version: String?
    }

    /// The answer.
    ///
    /// - Throws: ``StoreError`` when the budget is used up; what SQLite says.
    /// - Complexity: O(refused events of the time + ranges of the ledger); memory: ``FailedGroups/maxGroups`` · intervals.
    static func groups(
        in time: QuestionTime,
        budget: QuestionBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> FailedGroups {
        var answer = FailedGroups()
        let began = clock.now().monotonic
        func check(_ rows: Int64) throws(StoreError) {
            guard rows <= budget.events else {
                throw .overBudget("from", "it reads more than \(budget.events) refused events: choose a shorter time")
            }
            guard rows % rowsBetweenLooks == 0 else { return }
            guard began.duration(to: clock.now().monotonic) <= budget.time else {
                throw .overBudget("from", "it takes longer than \(budget.time): choose a shorter time")
            }
        }
        try addGroups(to: &answer, in: time, db, check)
        answer.losses = try losses(db, check)
        answer.reports = try reports(in: time, db)
        return answer
    }

    private static func addGroups(
        to answer: inout FailedGroups,
        in time: QuestionTime,
        _ db: Database,
        _ check: (Int64) throws -> Void
    ) throws {
        let statement = try RawStatement(
            db,
            """
            SELECT received, code, field, name, version, position FROM failed INDEXED BY failed_by_group
            WHERE received >= ? AND received < ?
            """
        )
        statement.bind(1, time.start.milliseconds)
        statement.bind(2, time.end.milliseconds)
        defer { statement.reset() }
        var indexes: [Key: Int] = [:]
        while try statement.step() {
            answer.count += 1
            try check(answer.count)
            let key = Key(
                code: statement.text(1),
                field: statement.text(2).cut(toBytes: FailedEvent.nameBytes),
                name: statement.optionalText(3),
                version: statement.optionalText(4)
            )
            let received = Timestamp(milliseconds: statement.integer(0))
            let position = EventPosition(rawValue: statement.integer(5))
            let index: Int
            if let known = indexes[key] {
                index = known
            } else {
                guard answer.groups.count < FailedGroups.maxGroups else { continue }
                index = answer.groups.count
                indexes[key] = index
                answer.groups.append(
                    FailedGroups.Group(
                        code: key.code,
                        field: key.field,
                        name: key.name,
                        version: key.version,
                        at: received,
                        sample: position,
                        intervals: time.count
                    )
                )
            }
            // Rows come in the order of arrival.
            answer.groups[index].count += 1
            answer.groups[index].last = received
            answer.groups[index].sample = max(answer.groups[index].sample, position)
            answer.groups[index].values[time.slot(of: received)] += 1
        }
        answer.groups.sort { left, right in
            if left.count != right.count { return left.count > right.count }
            return left.sample > right.sample
        }
    }

    /// Events that devices gave up, by reason. Reasons beyond those that are told apart are left out: our own clients have a
    /// handful.
    private static func losses(_ db: Database, _ check: (Int64) throws -> Void) throws -> [FailedGroups.Loss] {
        let statement = try RawStatement(db, "SELECT reason, first, last FROM ranges WHERE kind = ?")
        statement.bind(1, RangeKind.dropped.rawValue)
        defer { statement.reset() }
        var sums: [String: Int64] = [:]
        var rows: Int64 = 0
        while try statement.step() {
            rows += 1
            try check(rows)
            let reason = statement.text(0)
            guard sums[reason] != nil || sums.count < FailedGroups.maxReasons else { continue }
            let (first, last) = (statement.integer(1), statement.integer(2))
            // Whatever was claimed: a sum stays within its bounds.
            let length = max(0, last &- first &+ 1)
            let (sum, isOver) = sums[reason, default: 0].addingReportingOverflow(length)
            sums[reason] = isOver ? .max : sum
        }
        return sums.map { FailedGroups.Loss(reason: $0.key, events: $0.value) }
            .sorted { $0.events != $1.events ? $0.events > $1.events : $0.reason < $1.reason }
    }

    /// What clients say went wrong, by its code.
    private static func reports(in time: QuestionTime, _ db: Database) throws -> [FailedGroups.Report] {
        let statement = try RawStatement(
            db,
            "SELECT id, time, body FROM events WHERE name = ? AND time >= ? AND time < ? ORDER BY time DESC LIMIT ?"
        )
        statement.bind(1, CapturedName.clickstreamError)
        statement.bind(2, time.start.milliseconds)
        statement.bind(3, time.end.milliseconds)
        statement.bind(4, Int64(FailedGroups.maxErrors))
        defer { statement.reset() }
        var reports: [String: FailedGroups.Report] = [:]
        while try statement.step() {
            guard let id = statement.id(0, as: EventID.self) else { continue }  // Written by hand: not one of ours.
            let (code, message) = statement.withBytes(2) { error(in: $0) }
            let moment = Timestamp(milliseconds: statement.integer(1))
            if reports[code] == nil {
                guard reports.count < FailedGroups.maxReasons else { continue }
                reports[code] = FailedGroups.Report(
                    code: code,
                    events: 0,
                    first: moment,
                    last: moment,
                    message: message,
                    sample: id
                )
            }
            reports[code]?.events += 1
            reports[code]?.first = moment
        }
        return reports.values.sorted { $0.events != $1.events ? $0.events > $1.events : $0.code < $1.code }
    }

    /// The code and the message that an event about an error has; empty where it has none.
    private static func error(in body: UnsafeRawBufferPointer) -> (code: String, message: String) {
        // Admission checked the text: what cannot be read says nothing.
        guard let range = try? JSONScanner.member("attributes", of: body),
            let attributes = try? JSONValue.parse(UnsafeRawBufferPointer(rebasing: body[range]))
        else { return ("", "") }
        func text(_ key: String) -> String {
            guard let value = attributes[key], value != .null else { return "" }
            let text = value.string ?? String(decoding: value.json(), as: UTF8.self)
            return text.cut(toBytes: 2 * FailedEvent.nameBytes)
        }
        return (text(CapturedKey.errorCode), text(CapturedKey.errorMessage))
    }
}
