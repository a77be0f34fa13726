// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// Writes the screens of one transaction with their engagement times.
///
/// A later event, usually recorded shortly after the screen, reports the engagement time. Screens are collected until
/// the transaction ends, so each screen is written once and only sessions that began earlier are looked up.
final class ScreenSums {
    private struct Screen {
        let position: Int64
        let installation: Int64
        let session: Int64
        let time: Int64
        let name: String
        let id: String?
        let uniqueID: String?
        var engagement: Int64 = 0
    }

    private let insert: GroupedInsert
    private let last: RawStatement
    private let addEngagement: RawStatement
    /// This transaction's screens by session.
    ///
    /// Session 0, for screens outside every session, contains screens of many installations.
    private var screens: [Int64: [Screen]] = [:]
    /// The sessions in the order of their first screen, so that the order of writing is deterministic.
    private var touchedSessions: [Int64] = []
    /// Sessions that began in this transaction and therefore have no stored screens.
    private var begun: Set<Int64> = []

    /// Creates an empty collection.
    init(_ db: Database) throws {
        insert = try GroupedInsert(
            db,
            "INSERT OR IGNORE INTO screens (position, installation, session, time, name, id, unique_id, engagement)",
            columns: 8
        )
        last = try RawStatement(
            db,
            """
            SELECT position, engagement, time FROM screens
            WHERE session = ?1 AND time <= ?2 AND installation = ?3 AND (?4 IS NULL OR name = ?4)
            ORDER BY time DESC, position DESC LIMIT 1
            """
        )
        addEngagement = try RawStatement(db, "UPDATE screens SET engagement = engagement + ? WHERE position = ?")
    }

    /// Reports that a session began in this transaction.
    func began(_ session: Int64) {
        begun.insert(session)
    }

    /// Adds a screen view.
    func show(
        _ name: String,
        id: String?,
        uniqueID: String?,
        at time: Int64,
        _ position: EventPosition,
        session: Int64,
        installation: Int64
    ) {
        if screens[session] == nil { touchedSessions.append(session) }
        screens[session, default: []].append(
            Screen(
                position: position.rawValue,
                installation: installation,
                session: session,
                time: time,
                name: name,
                id: id,
                uniqueID: uniqueID
            )
        )
    }

    /// Adds engagement time to the latest screen before a time.
    ///
    /// - Parameters:
    ///   - name: The screen's name; nil for any screen.
    ///   - onlyUnreported: Whether to add the time only if no time was previously reported for that view.
    /// - Returns: Whether there was such a screen.
    /// - Complexity: O(the session's screens in this transaction), plus an index lookup for an older session.
    func engage(
        _ session: Int64,
        _ installation: Int64,
        _ name: String?,
        _ engagement: Int64,
        before time: Int64,
        onlyUnreported: Bool
    ) throws -> Bool {
        let index = latest(session, installation, name, before: time)
        if let earlier = try written(session, installation, name, before: time, than: index) {
            if onlyUnreported, earlier.engagement > 0 { return false }
            addEngagement.bind(1, engagement)
            addEngagement.bind(2, earlier.position)
            try addEngagement.run()
            return true
        }
        guard let index, var recorded = screens[session]?[index].engagement else { return false }
        if onlyUnreported, recorded > 0 { return false }
        // As in SQLite's arithmetic, a sum beyond the range is not exact.
        let (sum, isOver) = recorded.addingReportingOverflow(engagement)
        recorded = isOver ? (engagement < 0 ? .min : .max) : sum
        screens[session]?[index].engagement = recorded
        return true
    }

    private func latest(_ session: Int64, _ installation: Int64, _ name: String?, before time: Int64) -> Int? {
        guard let screens = screens[session] else { return nil }
        var found: Int?
        for index in screens.indices {
            let screen = screens[index]
            guard screen.time <= time, screen.installation == installation,
                name.map({ screen.name.utf8.elementsEqual($0.utf8) }) ?? true
            else { continue }
            // Screens are in the order of their positions, so of two screens with the same time the later one is used.
            if let known = found, screens[known].time > screen.time { continue }
            found = index
        }
        return found
    }

    /// Returns the latest screen of earlier transactions if it is later than the given one.
    private func written(
        _ session: Int64,
        _ installation: Int64,
        _ name: String?,
        before time: Int64,
        than index: Int?
    ) throws -> (position: Int64, engagement: Int64)? {
        guard !begun.contains(session) else { return nil }
        last.bind(1, session)
        last.bind(2, time)
        last.bind(3, installation)
        last.bind(4, name)
        guard try last.step() else { return nil }
        defer { last.reset() }
        if let index, let known = screens[session]?[index], known.time >= last.integer(2) { return nil }
        return (last.integer(0), last.integer(1))
    }

    /// Writes the screens.
    func flush() throws {
        try insert.write(touchedSessions.flatMap { screens[$0] ?? [] }) { screen, insert, place in
            insert.bind(place + 1, screen.position)
            insert.bind(place + 2, screen.installation)
            insert.bind(place + 3, screen.session)
            insert.bind(place + 4, screen.time)
            insert.bind(place + 5, screen.name)
            insert.bind(place + 6, screen.id)
            insert.bind(place + 7, screen.uniqueID)
            insert.bind(place + 8, screen.engagement)
        }
        screens = [:]
        touchedSessions = []
        begun = []
    }
}
