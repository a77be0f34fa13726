// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorStore
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal

@testable internal import CollectorColumns

/// An index in SQLite and tables in a server of ClickHouse, both filled from one stream, so that their answers can be compared.
struct ContractStores: Sendable {
    let server: ClickHouseServer
    let client: ClickHouseClient
    let index: SQLiteEventStore
    let columns: ClickHouseEventStore

    /// What both answer, or why they do not.
    func ask<Answer: Sendable>(
        _ body: (any QuestionStore) async throws(StoreError) -> Answer
    ) async -> (index: Result<Answer, StoreError>, columns: Result<Answer, StoreError>) {
        (await Self.result(index, body), await Self.result(columns, body))
    }

    private static func result<Answer>(
        _ store: any QuestionStore,
        _ body: (any QuestionStore) async throws(StoreError) -> Answer
    ) async -> Result<Answer, StoreError> {
        do throws(StoreError) {
            return .success(try await body(store))
        } catch {
            return .failure(error)
        }
    }

    /// Starts a server, fills both stores, and ends the server.
    ///
    /// - Parameters:
    ///   - budget: What one question may cost, in both.
    ///   - blockEvents: How many events a block has at most.
    ///   - fill: Puts records into the stream.
    ///   - body: Asks.
    static func run(
        budget: QuestionBudget = QuestionBudget(),
        blockEvents: Int = 150,
        fill: (StreamMemory) -> Void,
        _ body: @Sendable (ContractStores) async throws -> Void
    ) async throws {
        let stream = StreamMemory()
        fill(stream)
        let folder = FileManager.default.temporaryDirectory.path + "/trackway-questions-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let index = try SQLiteEventStore(path: folder + "/index.sqlite", timeout: .zero, budget: budget)
        defer { try? index.close() }
        let indexer = Indexer(stream: stream, store: index)
        indexer.durable(upTo: LogPosition(stream: 0, sequence: stream.highest + 1))
        try await indexer.catchUp()
        try await ClickHouseServer.run { server in
            let client = ClickHouseClient(ClickHouseAddress(host: "127.0.0.1", port: server.port), option: "--analysis")
            let tables = ClickHouseTables(client)
            let origin = ColumnOrigin(records: "INTAKE_0 of today", decisions: "of today")
            #expect(try await tables.make(of: origin))
            var cutting = BlockCutter.Limits()
            cutting.events = blockEvents
            let forwarding = StreamForwarding(
                stream.source,
                store: try await tables.open(of: origin),
                cutting: cutting,
                clock: SystemClock(),
                sleep: { try? await ContinuousClock().sleep(for: $0) }
            )
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
            let columns = ClickHouseEventStore(client, origin: { origin.records }, budget: budget)
            try await body(ContractStores(server: server, client: client, index: index, columns: columns))
        }
    }
}
