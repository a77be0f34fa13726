// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorSQLite

extension IndexEnvironment {
    /// Returns a retention of the log, and sets it.
    @discardableResult
    func setRetention(
        _ policy: RetentionPolicy,
        clock: ManualClock,
        eventsPerStep: Int = 3,
        onStatus: @escaping @Sendable (String) -> Void = { _ in }
    ) -> LogRetention {
        let retention = LogRetention(
            folder: folder + "/intake",
            policy: policy,
            clock: clock,
            eventsPerStep: eventsPerStep,
            completeSegment: { [log, indexer] in
                let end = try log.completeSegment(createsNext: true)
                indexer.markDurable(upTo: end)
                return end
            },
            removeSegments: { [log] in try log.removeSegments(before: $0) },
            onStatus: onStatus
        )
        indexer.setRetention(retention)
        return retention
    }

    /// The numbers of the log's segments.
    var segments: [UInt32] {
        get throws {
            try SegmentRewriter(folder: folder + "/intake").segments(before: LogPosition(segment: .max, offset: 0))
        }
    }

    /// Returns each way in which the tables contradict one another.
    func contradictions() throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        return try queue.read { db in
            func number(_ sql: String) throws -> Int64 { try Int64.fetchOne(db, sql: sql) ?? 0 }
            let events = try number("SELECT count(*) FROM events")
            let first = try number("SELECT first FROM retention")
            var found: [String] = []
            for (subject, sql, expected) in [
                ("progress", "SELECT events FROM progress", events),
                ("names", "SELECT sum(events) FROM names", events),
                ("days", "SELECT sum(events) FROM name_days", events),
                ("quarters", "SELECT sum(events) FROM name_quarters", events),
                ("activity", "SELECT sum(events) FROM activity", events),
                ("minutes", "SELECT sum(events) FROM minutes", events),
                (
                    "runs", "SELECT count(*) FROM runs JOIN events ON events.position BETWEEN runs.first AND runs.last",
                    events
                ),
                (
                    "own events", "SELECT count(*) FROM own_events",
                    try number("SELECT count(*) FROM events WHERE substr(name, 1, 1) <> '_'")
                ),
                (
                    "visits", "SELECT sum(events) FROM visits",
                    try number("SELECT count(*) FROM events WHERE person IS NOT NULL")
                ),
                (
                    "users", "SELECT sum(events) FROM users",
                    try number("SELECT count(*) FROM events WHERE person IS NOT NULL")
                ),
                (
                    "sessions", "SELECT sum(events) FROM sessions",
                    try number("SELECT count(*) FROM events WHERE session IS NOT NULL")
                ),
                (
                    "devices", "SELECT sum(events) FROM devices",
                    try number("SELECT count(*) FROM events WHERE installation IS NOT NULL")
                ),
                (
                    "rejected", "SELECT failed FROM progress", try number("SELECT count(*) FROM failed")
                ),
                (
                    "context",
                    "SELECT count(*) FROM events WHERE context IS NOT NULL AND context NOT IN (SELECT number FROM contexts)",
                    0
                ),
                (
                    "person",
                    "SELECT count(*) FROM events WHERE person IS NOT NULL AND person NOT IN (SELECT number FROM users)",
                    0
                ),
                (
                    "session",
                    "SELECT count(*) FROM events WHERE session IS NOT NULL AND session NOT IN (SELECT number FROM sessions)",
                    0
                ),
                ("old", "SELECT count(*) FROM events WHERE position < \(first)", 0),
                ("old screens", "SELECT count(*) FROM screens WHERE position < \(first)", 0),
                ("old rejected", "SELECT count(*) FROM failed WHERE position < \(first)", 0),
                (
                    "name ranges",
                    """
                    SELECT count(*) FROM events AS e WHERE NOT EXISTS (
                        SELECT 1 FROM name_runs AS r WHERE r.name = e.name AND e.position BETWEEN r.first AND r.last
                    )
                    """, 0
                ),
            ] {
                let actual = try number(sql)
                if actual != expected { found.append("\(subject): \(actual) instead of \(expected)") }
            }
            return found
        }
    }

    /// Returns the events of an index that is built from the log alone, without the retained state.
    func eventsOfNewIndex() async throws -> [StoredEvent] {
        let path = folder + "/other/index.sqlite"
        try FileManager.default.createDirectory(atPath: folder + "/other", withIntermediateDirectories: true)
        let store = try SQLiteEventStore(path: path, timeout: .zero)
        let indexer = Indexer(folder: folder + "/intake", store: store)
        indexer.markDurable(upTo: log.end)
        try await indexer.catchUp()
        let events = try await store.events(matching: EventQuery(order: .oldestFirst, limit: 100_000))
        try store.close()
        try FileManager.default.removeItem(atPath: folder + "/other")
        return events
    }
}
