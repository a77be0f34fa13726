// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Writes devices and their snapshots.
///
/// A snapshot may arrive long after it was taken. Snapshots are ordered by the device's time, so the snapshot that
/// follows a late snapshot is compared with the late one.
struct DeviceTable {
    private let insert: RawStatement
    private let before: RawStatement
    private let after: RawStatement
    private let setChanges: RawStatement
    private let sum: RawStatement
    private let events: SnapshotEvents

    init(_ db: Database) throws {
        events = try SnapshotEvents(db)
        insert = try RawStatement(
            db,
            "INSERT INTO snapshots (position, installation, kind, time, changes) VALUES (?, ?, ?, ?, ?)"
        )
        before = try RawStatement(db, Self.neighborSQL("<", "DESC"))
        after = try RawStatement(db, Self.neighborSQL(">", "ASC"))
        setChanges = try RawStatement(db, "UPDATE snapshots SET changes = ? WHERE position = ?")
        sum = try RawStatement(
            db,
            """
            INSERT INTO devices (installation, first, last, states, changes) VALUES (?1, ?2, ?2, ?3, ?4)
            ON CONFLICT (installation) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last),
            states = states + excluded.states, changes = changes + excluded.changes
            """
        )
    }

    private static func neighborSQL(_ comparison: String, _ order: String) -> String {
        """
        SELECT position, changes FROM snapshots
        WHERE installation = ? AND kind = ? AND (time, position) \(comparison) (?, ?)
        ORDER BY time \(order), position \(order) LIMIT 1
        """
    }

    /// Adds a snapshot of the app's state.
    func state(at time: Int64, _ position: EventPosition, installation: Int64) throws {
        try add(.state, at: time, position, installation: installation, changes: 0)
        try add(to: installation, at: time, states: 1, changes: 0)
    }

    /// Adds a snapshot of the device's properties.
    func properties(
        _ values: JSONValue.Object,
        at time: Int64,
        _ position: EventPosition,
        installation: Int64
    ) throws {
        let properties = StoredDevice.properties(among: values)
        let place = (installation, SnapshotKind.properties, time, position.rawValue)
        var changes: Int64 = 0
        if let (previous, _) = try neighbor(before, place) {
            changes = Int64(PropertyChange.between(try events.properties(at: previous), properties).count)
        }
        try add(.properties, at: time, position, installation: installation, changes: changes)
        var difference = changes
        if let (next, oldChanges) = try neighbor(after, place) {
            let now = Int64(PropertyChange.between(properties, try events.properties(at: next)).count)
            setChanges.bind(1, now)
            setChanges.bind(2, next)
            try setChanges.run()
            difference += now - oldChanges
        }
        try add(to: installation, at: time, states: 0, changes: difference)
    }

    private func neighbor(
        _ statement: RawStatement,
        _ place: (installation: Int64, kind: SnapshotKind, time: Int64, position: Int64)
    ) throws -> (position: Int64, changes: Int64)? {
        statement.bind(1, place.installation)
        statement.bind(2, place.kind.rawValue)
        statement.bind(3, place.time)
        statement.bind(4, place.position)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return (statement.integer(0), statement.integer(1))
    }

    private func add(
        _ kind: SnapshotKind,
        at time: Int64,
        _ position: EventPosition,
        installation: Int64,
        changes: Int64
    ) throws {
        insert.bind(1, position.rawValue)
        insert.bind(2, installation)
        insert.bind(3, kind.rawValue)
        insert.bind(4, time)
        insert.bind(5, changes)
        try insert.run()
    }

    private func add(to installation: Int64, at time: Int64, states: Int64, changes: Int64) throws {
        sum.bind(1, installation)
        sum.bind(2, time)
        sum.bind(3, states)
        sum.bind(4, changes)
        try sum.run()
    }
}

/// The kinds of snapshots, with the numbers that the index stores.
enum SnapshotKind: Int64 {
    /// Device properties.
    case properties = 0
    /// An app state.
    case state = 1
}

/// Reads the contents of snapshots from their events.
struct SnapshotEvents {
    private let body: RawStatement

    init(_ db: Database) throws {
        body = try RawStatement(db, "SELECT body FROM events WHERE position = ?")
    }

    /// Returns the attributes of the event at a position; empty without an event.
    func attributes(at position: Int64) throws -> JSONValue.Object {
        body.bind(1, position)
        guard try body.step() else { return .init() }
        defer { body.reset() }
        // Admission has validated the text.
        return (try? JSONValue.parse(body.bytes(0)))?["attributes"]?.object ?? .init()
    }

    /// Returns the device properties in the event at a position.
    func properties(at position: Int64) throws -> JSONValue.Object {
        StoredDevice.properties(among: try attributes(at: position))
    }
}
