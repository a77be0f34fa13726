// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Synchronization
internal import Testing
internal import TrackwayCore

@testable import CollectorSQLite

@Suite("Query plans for devices")
struct DevicePlanTests {
    /// Returns the query plan steps of every statement.
    private static func plan(_ ask: @escaping @Sendable (Database) throws -> Void) async throws -> [String] {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...4)
        batch.lines = (1...2).flatMap {
            [
                line($0, "_device_properties", time: Int64($0), attributes: #"{"v":\#($0)}"#),
                line($0 + 10, "_app_state", time: Int64($0)),
            ]
        }
        try environment.append(batch)
        try await environment.index()
        let queue = try DatabaseQueue(path: environment.path)
        defer { #expect(throws: Never.self) { try queue.close() } }
        return try await queue.read { db in
            let statements = Mutex<[String]>([])
            db.trace(options: .statement) { event in statements.withLock { $0.append(event.expandedDescription) } }
            try ask(db)
            db.trace(options: [])
            return try statements.withLock { $0 }.filter { $0.hasPrefix("SELECT") }.flatMap { statement in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + statement).map { $0["detail"] as String }
            }
        }
    }

    private static let device = InstallationID.numbered(1)

    @Test
    func `a device is found by an index, regardless of the number of states and devices`() async throws {
        let after = DeviceCursor(time: Timestamp(milliseconds: 9), installation: .numbered(9))
        let list = try await Self.plan { _ = try DeviceRows.matching(DeviceQuery(after: after, limit: 5), $0) }
        let history = try await Self.plan { db in
            let history = try DeviceRows.history(of: Self.device, limit: 5, db)
            #expect(history?.steps.count == 1 && history?.states.count == 2)
        }
        #expect(list.contains("SEARCH d USING INDEX devices_by_last (last<?)"))
        for step in list + history {
            // The number of an installation's snapshots is unlimited; those of one kind are read latest first.
            #expect(!step.hasSuffix("snapshots_by_time (installation=?)"), "\(step)")
            #expect(!step.contains(/^SCAN (s|p|e|d|i|c|u|f|snapshots|events|devices)\b/), "\(step)")
        }
    }
}
