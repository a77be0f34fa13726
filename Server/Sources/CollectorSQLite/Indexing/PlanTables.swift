// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore
internal import TrackwayJournal

/// The `plans`, `plan_days`, `violations` and `violation_days` tables.
struct PlanTables: IndexTable {
    /// The counts of the current plan; nil without a plan.
    let sums: PlanCounter?

    var tableNames: [String] { ["plans", "plan_days", "violations", "violation_days"] }

    func flush() throws {
        try sums?.flush()
    }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        if let sums {
            try sums.take(installation: installation)
        } else {
            try forget(installation, db)
        }
    }

    func finishErasures(in db: Database) throws {
        try PlanCounter.forgetSamples(db)
    }

    /// Deletes an earlier plan's counts, if they include the installation.
    ///
    /// No current plan updates these counts, and they may contain names that only the installation used.
    private func forget(_ installation: Int64, _ db: Database) throws {
        let isCounted = try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM runs WHERE installation = ? AND last >= (SELECT began FROM plans ORDER BY number DESC LIMIT 1)
                )
                """,
            arguments: [installation]
        )
        guard isCounted == true else { return }
        try db.execute(sql: "DELETE FROM violations; DELETE FROM violation_days; DELETE FROM plan_days;")
    }
}

/// Counts violations of the current plan, for one transaction.
///
/// No event is dropped or changed because of a violation.
///
/// Counts belong to a range of the log (an era) in which one plan's rules applied without a gap. Another plan, or the
/// same plan after an interruption, begins a new era; only the totals of the previous era remain.
final class PlanCounter {
    private struct Key: Hashable {
        /// The event's number in the plan; -1 for an unplanned event.
        let event: Int32
        let schema: Int32
        let code: PlanCode
        /// The name of an unplanned event, or of an unplanned member.
        let name: String
        let version: Int32
    }

    /// The counts of one group or one day.
    private struct Count {
        var events: Int64 = 0
        var faulty: Int64 = 0
        var first = Int64.max
        var last = Int64.min
        var sample: Int64 = 0
    }

    private struct EventDay: Hashable {
        let event: Int32
        let day: Int64
    }

    private struct GroupDay: Hashable {
        let slot: Int32
        let day: Int64
    }

    /// The maximum number of groups counted separately in one transaction.
    ///
    /// Further violations are counted in one catch-all group per event in the plan, and in one for all other events.
    private static let maxSlots = 20_000

    private let checker: PlanChecker
    private var inspection: PlanInspection
    private let table: ViolationTable
    private let db: Database
    private let era: Int64
    private let began: Int64
    private var slots: [Key: Int32] = [:]
    private var counts: [(key: Key, count: Count)] = []
    private var groupDays: [GroupDay: Int64] = [:]
    private var eventDays: [EventDay: Count] = [:]
    private var total = Count()
    private var violations: Int64 = 0
    private var unplanned: Int64 = 0
    private var versions = [""]
    private var versionNumbers: [String: Int32] = ["": 0]
    private var version: Int32 = 0

    /// Creates a counter for the current plan.
    ///
    /// - Parameter cursor: The position from which the log is read. Earlier counts are continued if they end exactly at
    ///   this position.
    init(_ db: Database, _ checker: PlanChecker, at cursor: LogPosition) throws {
        self.db = db
        self.checker = checker
        inspection = PlanInspection(checker)
        table = try ViolationTable(db)
        (era, began) = try Self.era(db, checker, cursor)
    }

    private static func era(
        _ db: Database,
        _ checker: PlanChecker,
        _ cursor: LogPosition
    ) throws -> (number: Int64, began: Int64) {
        let find = try RawStatement(
            db,
            "SELECT number, began, digest, segment, offset FROM plans ORDER BY number DESC LIMIT 1"
        )
        defer { find.reset() }
        var last: Int64 = 0
        if try find.step() {
            last = find.integer(0)
            if find.text(2) == checker.digest, find.integer(3) == Int64(cursor.segment),
                find.integer(4) == Int64(cursor.offset)
            {
                return (last, find.integer(1))
            }
        }
        find.reset()
        try db.execute(sql: "DELETE FROM violations; DELETE FROM violation_days; DELETE FROM plan_days;")
        try db.execute(sql: "DELETE FROM plans WHERE number <= ?", arguments: [last - Int64(PlanLimits.previousEras)])
        let began = EventPosition(segment: cursor.segment, offset: cursor.offset).rawValue
        try db.execute(
            sql: """
                INSERT INTO plans (number, digest, title, began, segment, offset, events, faulty, violations, unplanned)
                VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0)
                """,
            arguments: [
                last + 1, checker.digest, (checker.plan.title ?? "").truncated(toUTF8Count: 256), began,
                Int64(cursor.segment),
                Int64(cursor.offset),
            ]
        )
        return (last + 1, began)
    }

    /// Sets the app version of the events that follow; nil if unknown.
    func follow(version text: String?) {
        let text = (text ?? "").truncated(toUTF8Count: PlanLimits.versionBytes)
        if let known = versionNumbers[text] {
            version = known
            return
        }
        version = Int32(versions.count)
        versions.append(text)
        versionNumbers[text] = version
    }

    /// Counts an event that was indexed for the first time.
    ///
    /// Events before the era, which are indexed again after an erasure, do not count.
    func count(_ name: String, _ event: ReceivedEvent, received: Int64, at position: Int64) {
        guard position >= began else { return }
        guard let number = checker.number(of: name) else {
            count(unplanned: name, received, position)
            return
        }
        inspection.inspect(number, attributes: event.attributes, items: event.items)
        count(number, received, position)
    }

    private func count(unplanned name: String, _ received: Int64, _ position: Int64) {
        guard checker.plan.unplanned == .count, !PlanChecker.isCaptured(name) else { return }
        unplanned += 1
        Self.widen(&total, received)
        add(Key(event: -1, schema: 0, code: .unplanned, name: name, version: version), received, position)
    }

    private func count(_ number: Int, _ received: Int64, _ position: Int64) {
        let event = Int32(number)
        let isFaulty = !inspection.findings.isEmpty
        let day = EventDay(event: event, day: CatalogTable.day(of: received))
        eventDays[day, default: Count()].events += 1
        total.events += 1
        Self.widen(&total, received)
        guard isFaulty else { return }
        eventDays[day, default: Count()].faulty += 1
        total.faulty += 1
        violations += Int64(inspection.findings.count)
        for finding in inspection.findings {
            let schema = finding.code == .more ? 0 : finding.schema
            let key = Key(event: event, schema: schema, code: finding.code, name: finding.name, version: version)
            add(key, received, position)
        }
    }

    private static func widen(_ count: inout Count, _ received: Int64) {
        count.first = min(count.first, received)
        count.last = max(count.last, received)
    }

    private func add(_ key: Key, _ received: Int64, _ position: Int64) {
        let slot = slot(of: key)
        let index = Int(slot)
        counts[index].count.events += 1
        Self.widen(&counts[index].count, received)
        counts[index].count.sample = max(counts[index].count.sample, position)
        groupDays[GroupDay(slot: slot, day: CatalogTable.day(of: received)), default: 0] += 1
    }

    private func slot(of key: Key) -> Int32 {
        if let known = slots[key] { return known }
        guard counts.count < Self.maxSlots || key.code == .others || (key.event < 0 && key.name.isEmpty) else {
            // Catch-all groups have no limit, because the plan contains few enough names.
            return slot(
                of: key.event < 0
                    ? Key(event: -1, schema: 0, code: .unplanned, name: "", version: 0)
                    : Key(event: key.event, schema: 0, code: .others, name: "", version: 0)
            )
        }
        let slot = Int32(counts.count)
        counts.append((key, Count()))
        slots[key] = slot
        return slot
    }

    // MARK: Writing

    /// Writes the sums.
    func flush() throws {
        try write(sign: 1)
    }

    /// Writes the position up to which events were counted.
    ///
    /// The sums must already be written.
    func finish(at cursor: LogPosition) throws {
        try db.execute(
            sql: "UPDATE plans SET segment = ?, offset = ? WHERE number = ?",
            arguments: [Int64(cursor.segment), Int64(cursor.offset), era]
        )
    }

    /// Subtracts an installation's events from the counts.
    ///
    /// Call this before the events are deleted. The installation's events are also removed from the samples.
    ///
    /// All counts must already be written.
    ///
    /// - Complexity: O(bytes of the installation's events that were checked).
    func take(installation: Int64) throws {
        let events = try RawStatement(
            db,
            """
            SELECT position, name, received, body, context FROM runs INDEXED BY runs_by_installation
            CROSS JOIN events ON position BETWEEN first AND last WHERE runs.installation = ? AND position >= ?
            """
        )
        let contexts = try RawStatement(db, "SELECT content FROM contexts WHERE number = ?")
        events.bind(1, installation)
        events.bind(2, began)
        var known: Int64?
        follow(version: nil)
        while try events.step() {
            let context = events.optionalInteger(4)
            if context != known {
                known = context
                follow(version: try version(context, contexts))
            }
            let (position, name, received) = (events.integer(0), events.text(1), events.integer(2))
            guard let number = checker.number(of: name) else {
                count(unplanned: name, received, position)
                continue
            }
            events.withBytes(3) { inspection.inspect(number, event: $0) }
            count(number, received, position)
        }
        try write(sign: -1)
    }

    private func version(_ context: Int64?, _ contexts: RawStatement) throws -> String? {
        guard let context else { return nil }
        contexts.bind(1, context)
        defer { contexts.reset() }
        guard try contexts.step() else { return nil }
        return contexts.withBytes(0) { ContextFacts(context: $0).version }
    }

    /// Clears the samples of violations whose sample event was removed.
    ///
    /// - Complexity: O(groups of violations × log).
    static func forgetSamples(_ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE violations SET sample = NULL
                WHERE sample IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events WHERE position = sample)
                """
        )
    }

    private func write(sign: Int64) throws {
        for (index, entry) in counts.enumerated() {
            let name = entry.key.event < 0 ? entry.key.name : checker.plan.events[Int(entry.key.event)].name
            let finding = PlanFinding(schema: entry.key.schema, code: entry.key.code, name: entry.key.name)
            let isWhole = entry.key.event < 0 || entry.key.code == .others
            let group = ViolationTable.Group(
                name: name,
                path: isWhole ? "" : checker.path(of: finding),
                code: entry.key.code,
                version: versions[Int(entry.key.version)]
            )
            let number =
                try sign > 0
                ? table.add(group, entry.count.events, entry.count.first, entry.count.last, entry.count.sample)
                : table.take(entry.count.events, from: group)
            if let number { rows[Int32(index)] = number }
        }
        for (day, events) in groupDays {
            if let row = rows[day.slot] { try table.add(sign * events, to: row, on: day.day) }
        }
        for (day, count) in eventDays {
            let name = checker.plan.events[Int(day.event)].name
            try table.add(sign * count.events, faulty: sign * count.faulty, of: name, on: day.day)
        }
        if sign < 0 { try table.removeEmpty() }
        if total.last >= total.first {
            try db.execute(
                sql: """
                    UPDATE plans SET first = min(coalesce(first, :first), :first), last = max(coalesce(last, :last), :last),
                    events = events + :events, faulty = faulty + :faulty, violations = violations + :violations,
                    unplanned = unplanned + :unplanned WHERE number = :number
                    """,
                arguments: [
                    "first": total.first, "last": total.last, "events": sign * total.events,
                    "faulty": sign * total.faulty, "violations": sign * violations, "unplanned": sign * unplanned,
                    "number": era,
                ]
            )
        }
        rows.removeAll(keepingCapacity: true)
        slots.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        groupDays.removeAll(keepingCapacity: true)
        eventDays.removeAll(keepingCapacity: true)
        total = Count()
        violations = 0
        unplanned = 0
    }

    /// The row numbers of the groups being written.
    private var rows: [Int32: Int64] = [:]
}
