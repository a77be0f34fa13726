// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import Collector
internal import CollectorStore
internal import Foundation
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal

@testable internal import CollectorClickHouse

/// An index in SQLite and tables in a server of ClickHouse, both filled from one stream, so that their answers can be compared.
struct ContractStores: Sendable {
    /// The stream of both.
    let stream: StreamMemory
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

    /// Which stream the tables are made of.
    static let origin = ColumnOrigin(records: "INTAKE_0 of today", decisions: "of today")

    /// The tables, to be written into.
    func tables() async throws -> ClickHouseStore { try await ClickHouseTables(client).open(of: Self.origin) }

    /// What fills the tables.
    func forwarding(blockEvents: Int = 150) async throws -> StreamForwarding {
        var cutting = BlockCutter.Limits()
        cutting.events = blockEvents
        return StreamForwarding(
            stream.source,
            store: try await tables(),
            cutting: cutting,
            clock: SystemClock(),
            sleep: { try? await ContinuousClock().sleep(for: $0) }
        )
    }

    /// Starts a server, fills both stores, and ends the server.
    ///
    /// - Parameters:
    ///   - budget: What one question may cost, in both.
    ///   - blockEvents: How many events a block has at most.
    ///   - fill: Puts records into the stream.
    ///   - indexed: What the index is made of instead of that stream.
    ///   - body: Asks.
    static func run(
        budget: QuestionBudget = QuestionBudget(),
        blockEvents: Int = 150,
        fill: (StreamMemory) -> Void,
        indexed: (StreamMemory) -> StreamMemory = { $0 },
        _ body: @Sendable (ContractStores) async throws -> Void
    ) async throws {
        let stream = StreamMemory()
        fill(stream)
        let folder = FileManager.default.temporaryDirectory.path + "/trackway-questions-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let index = try SQLiteEventStore(
            path: folder + "/index.sqlite",
            timeout: .zero,
            budget: budget,
            joinsVisitors: false
        )
        defer { try? index.close() }
        let indexer = Indexer(stream: indexed(stream), store: index)
        indexer.durable(upTo: LogPosition(stream: 0, sequence: stream.highest + 1))
        try await indexer.catchUp()
        try await ClickHouseServer.run { server in
            let client = ClickHouseClient(ClickHouseAddress(host: "127.0.0.1", port: server.port), option: "--analysis")
            #expect(try await ClickHouseTables(client).make(of: origin))
            let columns = ClickHouseEventStore(client, origin: { origin.records }, budget: budget)
            let stores = ContractStores(stream: stream, server: server, client: client, index: index, columns: columns)
            #expect(try await stores.forwarding(blockEvents: blockEvents).run(untilCaughtUp: true) == nil)
            try await body(stores)
        }
    }
}
