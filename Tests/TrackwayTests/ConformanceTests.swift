// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayJournal
import TrackwayTesting

@Suite("Conformance suites")
struct ConformanceTests {
    @Test
    func `disk storage conforms to the journal's rules`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trackway-\(WriterID.fresh())").path
        // If this fails, the system clears its temporary folder.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let findings = StorageConformance.findings(in: folder) { DiskStorage() }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test
    func `memory storage conforms to the journal's rules, with and without the fault-injecting wrapper`() {
        let disk = MemoryStorage()
        #expect(StorageConformance.findings(in: "/memory") { disk } == [])
        let other = MemoryStorage()
        #expect(StorageConformance.findings(in: "/faulty") { FaultyStorage(other) } == [])
    }

    @Test(arguments: StorageOperation.allCases.filter { $0 != .size })
    func `every broken rule is reported`(operation: StorageOperation) {
        let storage = FaultyStorage()
        storage.fail(operation, with: .inputOutput)
        #expect(!StorageConformance.findings(in: "/broken") { storage }.isEmpty)
    }

    @Test
    func `the collector's destination conforms to the delivery rules`() {
        let findings = DestinationConformance.findings(answeredBy: .collector) {
            CollectorDestination(url: "http://127.0.0.1:8787", writeKey: "test")
        }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test
    func `a destination that accepts every response breaks the rules`() {
        let rules = Set(DestinationConformance.findings(answeredBy: .collector) { AcceptingDestination() }.map(\.rule))
        #expect(rules.isSuperset(of: ["status-is-understood", "stranger-is-no-verdict", "retry-after-is-heard"]))
    }
}

/// Treats every response as success, as naive code does.
private struct AcceptingDestination: Destination {
    let id: DestinationID = "gullible"
    private let collector = CollectorDestination(url: "http://127.0.0.1:8787", writeKey: "test")

    func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        try collector.request(for: batch, sentAt: sentAt)
    }

    func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        .accepted
    }
}

extension WriterID {
    /// A unique name for a temporary folder.
    static func fresh() -> WriterID { generate(at: SystemClock().now().wall) }
}
