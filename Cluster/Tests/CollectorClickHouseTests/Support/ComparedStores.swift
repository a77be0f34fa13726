// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import CollectorSQLite
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorClickHouse

/// An SQLite index and ClickHouse tables, filled from one stream to compare their answers.
struct ComparedStores: Sendable {
    /// The stream of both stores.
    let stream: InMemoryStream
    let server: ClickHouseServer
    let client: ClickHouseClient
    let index: SQLiteEventStore
    let columns: ClickHouseEventStore

    /// Returns the answers or errors of both stores.
    func results<Answer: Sendable>(
        _ body: (any AnalyticsStore) async throws(StoreError) -> Answer
    ) async -> (index: Result<Answer, StoreError>, columns: Result<Answer, StoreError>) {
        (await Self.result(index, body), await Self.result(columns, body))
    }

    private static func result<Answer>(
        _ store: any AnalyticsStore,
        _ body: (any AnalyticsStore) async throws(StoreError) -> Answer
    ) async -> Result<Answer, StoreError> {
        do throws(StoreError) {
            return .success(try await body(store))
        } catch {
            return .failure(error)
        }
    }

    /// The streams of the tables.
    static let origin = ColumnOrigin(records: "INTAKE_0 of today", decisions: "of today")

    /// The tables, for writing.
    func tables() async throws -> ClickHouseStore { try await ClickHouseTables(client).open(of: Self.origin) }

    /// Returns a runner that fills the tables.
    func forwarding(blockEvents: Int = 150) async throws -> ForwardingRunner {
        var limits = BlockCutter.Limits()
        limits.events = blockEvents
        return ForwardingRunner(
            stream.source,
            store: try await tables(),
            blockLimits: limits,
            clock: SystemClock(),
            sleep: { try? await ContinuousClock().sleep(for: $0) }
        )
    }

    /// Starts a server, fills both stores, runs `body`, and stops the server.
    ///
    /// - Parameters:
    ///   - budget: The budget of one query, in both stores.
    ///   - blockEvents: The maximum number of events in a block.
    ///   - fill: Adds records to the stream.
    ///   - indexed: Returns the stream to index instead of the filled one.
    ///   - body: Queries the stores.
    static func run(
        budget: QueryBudget = QueryBudget(),
        blockEvents: Int = 150,
        fill: (InMemoryStream) -> Void,
        indexed: (InMemoryStream) -> InMemoryStream = { $0 },
        _ body: @Sendable (ComparedStores) async throws -> Void
    ) async throws {
        let stream = InMemoryStream()
        fill(stream)
        let folder = FileManager.default.temporaryDirectory.path + "/trackway-questions-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let index = try SQLiteEventStore(
            path: folder + "/index.sqlite",
            timeout: .zero,
            budget: budget
        )
        defer { try? index.close() }
        let indexer = Indexer(stream: indexed(stream), store: index)
        indexer.markDurable(upTo: LogPosition(stream: 0, sequence: stream.highest + 1))
        try await indexer.catchUp()
        try await ClickHouseServer.run { server in
            let client = ClickHouseClient(
                ClickHouseAddress(host: "127.0.0.1", port: server.port),
                option: "--clickhouse"
            )
            #expect(try await ClickHouseTables(client).create(for: origin))
            let columns = ClickHouseEventStore(client, origin: { origin.records }, budget: budget)
            let stores = ComparedStores(stream: stream, server: server, client: client, index: index, columns: columns)
            #expect(try await stores.forwarding(blockEvents: blockEvents).run(untilCaughtUp: true) == nil)
            try await body(stores)
        }
    }
}
