// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable internal import CollectorClickHouse

@Suite("Carrying out erasures in a cluster")
struct ErasureRunnerTests {
    /// Returns a cluster with batches of two users, and an event of the first one in the second one's batch.
    private static func cluster() -> InMemoryErasures {
        let cluster = InMemoryErasures()
        cluster.add("anna", 1...3)
        cluster.add("bert", 4...5)
        cluster.add(
            "bert",
            6...7,
            more: [#"{"context":{"user":{"id":"anna"}}}"#, #"{"name":"tick","attributes":{"note":"of anna"}}"#]
        )
        cluster.state.withLock { $0.rows[3] = "anna" }
        return cluster
    }

    @Test
    func `an erasure replaces records, removes rows, and leaves only a receipt`() async throws {
        let cluster = Self.cluster()
        let id = cluster.request("anna")
        let report = await cluster.runner.run()
        #expect(report.problem == nil && report.completed == [id])
        #expect(cluster.records(with: "anna").isEmpty)
        #expect(cluster.records(with: "bert") == [2, 3])
        let state = cluster.state.withLock { $0 }
        #expect(state.rows == [2: "bert"] && state.requests.isEmpty && state.plans.isEmpty)
        let receipt = try #require(state.receipts.first)
        #expect(receipt.log.records == 2 && receipt.log.events == 4 && receipt.indexedEvents == 2, "\(receipt)")
        #expect(ErasureVerdict(receipt, id: "anna", key: cluster.key) == .valid)
        #expect(ErasureVerdict(receipt, id: "bert", key: cluster.key) == .otherIdentity)
    }

    @Test(arguments: [false, true])
    func `a process killed at any step is continued by another one, with the same counts`(_ takesEffect: Bool)
        async throws
    {
        let whole = Self.cluster()
        whole.request("anna")
        _ = await whole.runner.run()
        let steps = whole.state.withLock { $0.steps }
        #expect(steps > 8)
        for kill in 0..<steps {
            let cluster = Self.cluster()
            let id = cluster.request("anna")
            cluster.state.withLock { state in
                state.stepsLeft = kill
                state.takesEffect = takesEffect
            }
            let killed = await cluster.runner.run()
            #expect(killed.problem?.contains("The process was killed.") == true, "\(kill)")
            cluster.state.withLock { $0.stepsLeft = nil }
            let report = await cluster.runner.run()
            #expect(report.problem == nil, "\(kill): \(report)")
            let state = cluster.state.withLock { $0 }
            #expect(state.receipts.map(\.id) == [id] && state.requests.isEmpty && state.plans.isEmpty, "\(kill)")
            #expect(state.receipts.first?.log.events == 4, "\(kill): \(state.receipts)")
            #expect(state.receipts.first?.log.records == 2, "\(kill): \(state.receipts)")
            #expect(cluster.records(with: "anna").isEmpty && cluster.records(with: "bert") == [2, 3], "\(kill)")
            #expect(state.rows == [2: "bert"], "\(kill)")
        }
    }

    @Test
    func `events accepted during an erasure are removed by another pass before the receipt`() async throws {
        let cluster = Self.cluster()
        cluster.request("anna")
        cluster.state.withLock { $0.late = ["anna"] }
        let report = await cluster.runner.run()
        #expect(report.problem == nil)
        #expect(cluster.records(with: "anna").isEmpty)
        let state = cluster.state.withLock { $0 }
        #expect(state.rows == [2: "bert"])
        #expect(state.receipts.first?.log.events == 6, "\(state.receipts)")
    }

    @Test
    func `events that arrive after the receipt are removed without another one`() async throws {
        let cluster = Self.cluster()
        cluster.request("anna")
        let runner = cluster.runner
        _ = await runner.run()
        cluster.add("anna", 20...21)
        cluster.add("carl", 22...23)
        let report = await runner.run()
        #expect(report.problem == nil && report.completed.isEmpty)
        #expect(cluster.records(with: "anna").isEmpty && !cluster.records(with: "carl").isEmpty)
        #expect(cluster.state.withLock { $0.receipts.count } == 1)
    }

    @Test
    func `the same user is erased twice, and two users one after the other`() async throws {
        let cluster = Self.cluster()
        let first = cluster.request("anna")
        let second = cluster.request("anna", at: 1_764_500_000_001)
        let third = cluster.request("bert", at: 1_764_500_000_002)
        let report = await cluster.runner.run()
        #expect(report.problem == nil && report.completed == [first, second, third])
        let receipts = cluster.state.withLock { $0.receipts }
        #expect(receipts.map(\.log.events) == [4, 0, 4], "\(receipts)")
        #expect(cluster.records(with: "anna").isEmpty && cluster.records(with: "bert").isEmpty)
    }

    @Test
    func `two processes at once remove everything and store one receipt`() async throws {
        let cluster = Self.cluster()
        let id = cluster.request("anna")
        async let one = cluster.runner.run()
        async let two = cluster.runner.run()
        let reports = await [one, two]
        #expect(reports.allSatisfy { $0.problem == nil }, "\(reports)")
        #expect(cluster.state.withLock { $0.receipts }.map(\.id) == [id])
        #expect(cluster.records(with: "anna").isEmpty && cluster.records(with: "bert") == [2, 3])
    }

    @Test
    func `a collector with an index keeps erasures pending, and the reason is stored`() async throws {
        let cluster = Self.cluster()
        cluster.request("anna")
        cluster.state.withLock { $0.readers = [InMemoryRetention.reader("web1:/data", 3)] }
        let report = await cluster.runner.run()
        #expect(report.problem?.contains("web1:/data has an index") == true, "\(report)")
        let state = cluster.state.withLock { $0 }
        #expect(state.problem == report.problem && state.receipts.isEmpty)
        #expect(cluster.records(with: "anna") == [1, 3])
        // Afterward, the erasure continues.
        cluster.state.withLock { $0.readers = [] }
        #expect(await cluster.runner.run().problem == nil)
        #expect(cluster.state.withLock { $0.problem } == nil && cluster.records(with: "anna").isEmpty)
    }
}
