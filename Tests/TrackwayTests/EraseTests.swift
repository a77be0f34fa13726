// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

@Suite("Erasing")
struct EraseTests {
    @Test
    func `erasing removes the queue and the identity, and starts an installation whose tombstone names the former one`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        let previousID = analytics.installationID
        analytics.identify("ann")
        analytics.setGlobalAttributes(["channel": "store"])
        analytics.record("secret")
        try await analytics.erase()
        #expect(analytics.installationID != previousID)
        analytics.record("after")
        let report = await analytics.flush()
        #expect(report.isComplete)
        let delivered = memory.transport.delivered
        #expect(delivered.map(\.event.name) == ["_installation_erased", "after"])
        let tombstone = try #require(delivered.first?.event.attributes)
        #expect(tombstone["installation"] == .string(previousID.description))
        let proof = try #require(tombstone["proof"]?.string.flatMap { InstallationSecret($0) })
        #expect(proof.proves(previousID) && !proof.proves(analytics.installationID))
        #expect(delivered.allSatisfy { $0.user == nil && $0.context["global"] == nil })
        let ledger = analytics.ledger()
        #expect(ledger.recorded == 2)
        #expect(ledger.isBalanced)
    }

    @Test
    func `no data of the former installation remains on disk`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("ann-the-user")
        memory.analytics.record("secret-event")
        try await memory.analytics.erase()
        await memory.waitUntilStorageIsIdle()
        let disk = try #require(memory.storage.base as? MemoryStorage)
        for path in disk.paths {
            let content = String(decoding: disk.contents(of: path) ?? [], as: UTF8.self)
            #expect(!content.contains("ann-the-user"), "\(path)")
            #expect(!content.contains("secret-event"), "\(path)")
        }
    }

    @Test
    func `after erasing, the new identity survives a kill, and the old user does not return`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("ann")
        try await memory.analytics.erase()
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        #expect(next.analytics.installationID == memory.analytics.installationID)
        next.analytics.record("seen")
        #expect(next.events(named: "seen").first?.user == nil)
    }

    @Test
    func `denied consent survives erasing, and no tombstone is sent without consent`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setConsent(.denied)
        try await memory.analytics.erase()
        #expect(memory.analytics.consent == .denied)
        #expect(memory.events(named: "_installation_erased").isEmpty)
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        #expect(next.analytics.consent == .denied)
    }

    @Test
    func `events recorded concurrently belong entirely to one installation or the other`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        analytics.identify("ann")
        async let recording: Void = withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 {
                        analytics.record("racing")
                        await Task.yield()
                    }
                }
            }
        }
        try await analytics.erase()
        await recording
        _ = await analytics.flush()
        #expect(memory.transport.delivered.allSatisfy { $0.user == nil })
        #expect(analytics.ledger().isBalanced)
    }

    /// The former installations that delivered tombstones name and prove.
    private static func provenErasures(_ memory: InMemoryAnalytics) -> [String] {
        memory.transport.delivered(named: "_installation_erased").compactMap { event in
            guard let named = event.attributes["installation"]?.string, let id = InstallationID(named),
                let proof = event.attributes["proof"]?.string.flatMap({ InstallationSecret($0) }), proof.proves(id)
            else { return nil }
            return named
        }
    }

    @Test
    func `erasing twice before delivery sends a tombstone with proof for each former installation`() async throws {
        let memory = try InMemoryAnalytics()
        let first = memory.analytics.installationID
        try await memory.analytics.erase()
        let second = memory.analytics.installationID
        memory.analytics.record("between")
        try await memory.analytics.erase()
        _ = await memory.analytics.flush()
        #expect(Self.provenErasures(memory) == [first.description, second.description])
        #expect(memory.transport.delivered(named: "between").isEmpty)
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test
    func `after a kill between the identity change and the tombstone, the next start records it, once`() async throws {
        let memory = try InMemoryAnalytics()
        let previousID = memory.analytics.installationID
        await memory.analytics.shutdown(timeout: .zero)
        _ = try memory.analytics.storage.journal.erase()

        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        #expect(next.analytics.installationID != previousID)
        _ = await next.analytics.flush()
        #expect(Self.provenErasures(next) == [previousID.description])

        let last = try InMemoryAnalytics(storage: next.storageAfterKill())
        _ = await last.analytics.flush()
        #expect(Self.provenErasures(last) == [])
        // The tombstone has been delivered, so no data of the former installation is stored.
        let disk = try #require(last.storage.base as? MemoryStorage)
        #expect(!disk.paths.contains { $0.hasSuffix("/erased") })
    }

    @Test
    func `after a kill between the tombstone and its delivery, it is delivered later and not recorded again`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        let previousID = memory.analytics.installationID
        try await memory.analytics.erase()
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        _ = await next.analytics.flush()
        #expect(Self.provenErasures(next) == [previousID.description])
    }

    @Test
    func `a kill before the identity change erases nothing and records no tombstone`() async throws {
        let memory = try InMemoryAnalytics()
        let previousID = memory.analytics.installationID
        memory.storage.fail(.replace, with: .noSpace, paths: "/installation")
        await #expect(throws: TrackwayError.self) { try await memory.analytics.erase() }
        memory.storage.clearFaults()
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        #expect(next.analytics.installationID == previousID)
        _ = await next.analytics.flush()
        #expect(Self.provenErasures(next) == [])
    }

    @Test
    func `a tombstone withheld by denied consent is recorded at the first start that allows recording`() async throws {
        let memory = try InMemoryAnalytics()
        let previousID = memory.analytics.installationID
        memory.analytics.setConsent(.denied)
        try await memory.analytics.erase()
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        next.analytics.setConsent(.granted)
        let last = try InMemoryAnalytics(storage: next.storageAfterKill())
        _ = await last.analytics.flush()
        #expect(Self.provenErasures(last) == [previousID.description])
    }

    @Test
    func `a damaged list of erasures prevents neither starting nor erasing`() async throws {
        let memory = try InMemoryAnalytics()
        try await memory.analytics.erase()
        let storage = memory.storageAfterKill()
        let disk = try #require(memory.storage.base as? MemoryStorage)
        let path = try #require(disk.paths.first { $0.hasSuffix("/erased") })
        try storage.replace(path, with: Array("nonsense".utf8), durably: true)
        let next = try InMemoryAnalytics(storage: storage)
        let previousID = next.analytics.installationID
        try await next.analytics.erase()
        _ = await next.analytics.flush()
        #expect(Self.provenErasures(next) == [previousID.description])
    }

    @Test
    func `a failed erasure throws and can be repeated`() async throws {
        let memory = try InMemoryAnalytics()
        let previousID = memory.analytics.installationID
        memory.analytics.record("secret")
        await memory.analytics.shutdown(timeout: .zero)
        memory.storage.fail(.replace, with: .noSpace, paths: "/installation")
        let error = await #expect(throws: TrackwayError.self) { try await memory.analytics.erase() }
        #expect(error?.code == .notErased)
        memory.storage.clearFaults()
        try await memory.analytics.erase()
        #expect(memory.analytics.installationID != previousID)
    }

    @Test
    func `an installation from a version without secrets is erased on the device, and its tombstone has no proof`()
        async throws
    {
        let first = try InMemoryAnalytics()
        let disk = try #require(first.storage.base as? MemoryStorage)
        let path = try #require(disk.paths.first { $0.hasSuffix("/installation") })
        var lines = ChecksummedKeyValueFile()
        lines.add("installation", first.analytics.installationID)
        let storage = first.storageAfterKill()
        try storage.replace(path, with: lines.bytes, durably: true)
        let memory = try InMemoryAnalytics(storage: storage)
        let previousID = memory.analytics.installationID
        #expect(previousID == first.analytics.installationID)
        try await memory.analytics.erase()
        _ = await memory.analytics.flush()
        let tombstone = try #require(memory.transport.delivered(named: "_installation_erased").first?.attributes)
        #expect(tombstone["installation"] == .string(previousID.description) && tombstone["proof"] == nil)
        // The new installation has a secret.
        try await memory.analytics.erase()
        _ = await memory.analytics.flush()
        let last = try #require(memory.transport.delivered(named: "_installation_erased").last?.attributes)
        #expect(last["proof"]?.string != nil)
    }

    @Test
    func `if an erasure fails after the identity change, the next tombstone still proves the former installation`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        let previousID = memory.analytics.installationID
        memory.analytics.record("secret")
        memory.storage.fail(.makeFolder, with: .noSpace, paths: "/writers/")
        await #expect(throws: TrackwayError.self) { try await memory.analytics.erase() }
        memory.storage.clearFaults()
        try await memory.analytics.erase()
        let tombstone = try #require(memory.events(named: "_installation_erased").last?.event.attributes)
        #expect(tombstone["installation"] == .string(previousID.description))
        let proof = try #require(tombstone["proof"]?.string.flatMap { InstallationSecret($0) })
        #expect(proof.proves(previousID))
    }

    @Test
    func `erasing cancels a request in flight`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.hold()
        memory.analytics.record("secret")
        let analytics = memory.analytics
        let flush = Task { await analytics.flush() }
        await memory.transport.untilRequested(1)
        try await analytics.erase()
        memory.transport.release()
        _ = await flush.value
        _ = await analytics.flush()
        #expect(memory.transport.delivered(named: "secret").isEmpty)
        #expect(memory.transport.delivered(named: "_installation_erased").count == 1)
    }
}
