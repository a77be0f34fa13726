// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayCore

/// Reads devices and their snapshots.
struct DeviceRows {
    private let db: Database
    private let events: SnapshotEvents

    private init(_ db: Database) throws {
        self.db = db
        events = try SnapshotEvents(db)
    }

    static func matching(_ query: DeviceQuery, _ db: Database) throws -> [StoredDevice] {
        var arguments: [String: (any DatabaseValueConvertible)?] = ["limit": max(0, query.limit)]
        if let after = query.after {
            arguments["time"] = after.time.milliseconds
            arguments["id"] = after.installation.blob
        }
        let rows = try Row.fetchAll(
            db,
            // With the first condition, SQLite finds the position in the index.
            sql: columns + (query.after == nil ? "" : " WHERE d.last <= :time AND (d.last < :time OR i.id < :id)")
                + " ORDER BY d.last DESC, i.id DESC LIMIT :limit",
            arguments: StatementArguments(arguments)
        )
        let reader = try DeviceRows(db)
        return try rows.compactMap { try reader.device($0) }
    }

    static func history(of installation: InstallationID, limit: Int, _ db: Database) throws -> DeviceHistory? {
        let row = try Row.fetchOne(db, sql: columns + " WHERE i.id = ?", arguments: [installation.blob])
        let reader = try DeviceRows(db)
        guard let row, let device = try reader.device(row) else { return nil }
        let number: Int64 = row[0]
        return DeviceHistory(
            device: device,
            properties: try reader.latestProperties(of: number),
            steps: try reader.steps(of: number, limit: limit),
            states: try reader.states(of: number, limit: limit)
        )
    }

    private static let columns = """
        SELECT d.installation, i.id, d.first, d.last, d.states, d.changes, d.events, CAST(u.id AS BLOB),
        f.app, f.version, f.model, f.system
        FROM devices d JOIN installations i ON i.number = d.installation
        LEFT JOIN users p ON p.number = d.person
        LEFT JOIN users u ON u.number = CASE WHEN p.id IS NOT NULL THEN coalesce(p.joined, p.number) ELSE p.number END
        LEFT JOIN device_facts f ON f.installation = d.installation
        """

    private func device(_ row: Row) throws -> StoredDevice? {
        let number: Int64 = row[0]
        guard let id = InstallationID(blob: row[1]) else { return nil }
        var device = StoredDevice(
            installation: id,
            first: Timestamp(milliseconds: row[2]),
            last: Timestamp(milliseconds: row[3]),
            events: UInt64(clamping: row[6] as Int64),
            states: row[4],
            propertyChanges: row[5]
        )
        device.user = UserRows.text(row[7])
        device.take(DeviceFacts(app: row[8], version: row[9], model: row[10], system: row[11]))
        device.take(try latestProperties(of: number), try states(of: number, limit: 1).first)
        return device
    }

    private func latestProperties(of number: Int64) throws -> JSONValue.Object {
        let position = try Int64.fetchOne(
            db,
            sql: """
                SELECT position FROM snapshots WHERE installation = ? AND kind = 0
                ORDER BY time DESC, position DESC LIMIT 1
                """,
            arguments: [number]
        )
        return try position.map { try events.properties(at: $0) } ?? .init()
    }

    private func steps(of number: Int64, limit: Int) throws -> [DeviceHistory.Step] {
        // Pair each snapshot with the snapshot before it in time order, for comparison.
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT s.position, s.time, (
                    SELECT p.position FROM snapshots p
                    WHERE p.installation = s.installation AND p.kind = 0 AND (p.time, p.position) < (s.time, s.position)
                    ORDER BY p.time DESC, p.position DESC LIMIT 1
                )
                FROM snapshots s WHERE s.installation = ? AND s.changes > 0
                ORDER BY s.time DESC, s.position DESC LIMIT ?
                """,
            arguments: [number, max(0, limit)]
        )
        return try rows.map { row in
            let before = try (row[2] as Int64?).map { try events.properties(at: $0) } ?? .init()
            return DeviceHistory.Step(
                time: Timestamp(milliseconds: row[1]),
                changes: PropertyChange.between(before, try events.properties(at: row[0]))
            )
        }
    }

    private func states(of number: Int64, limit: Int) throws -> [StoredAppState] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT s.position, s.time, c.content FROM snapshots s JOIN events e ON e.position = s.position
                LEFT JOIN contexts c ON c.number = e.context
                WHERE s.installation = ? AND s.kind = 1 ORDER BY s.time DESC, s.position DESC LIMIT ?
                """,
            arguments: [number, max(0, limit)]
        )
        return try rows.map { row in
            StoredAppState(
                at: Timestamp(milliseconds: row[1]),
                try events.attributes(at: row[0]),
                screen: Self.context(row[2])?["screen"]?["name"]?.string
            )
        }
    }

    private static func context(_ content: Data?) -> JSONValue? {
        // This index wrote the context; an unreadable context has no values.
        content.flatMap { try? JSONValue.parse(Array($0)) }
    }
}
