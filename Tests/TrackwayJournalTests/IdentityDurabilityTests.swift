// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// The identity is flushed before the first delivery or durable event.
///
/// A launching app does not wait for a flush, but nothing is delivered or reported as durable under an identity that
/// power loss could remove.
@Suite("When the identity survives power loss")
struct IdentityDurabilityTests {
    private let memory = MemoryStorage()
    private let storage: FaultyStorage
    private let clock = SteppedClock()

    init() {
        storage = FaultyStorage(memory)
    }

    private func open() throws -> Journal { try open(storage) }

    private func open(_ storage: any JournalStorage) throws -> Journal {
        let configuration = JournalConfiguration(folder: "/a/j", destinations: ["collector"], segmentBytes: 4096)
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
    }

    private func afterPowerLoss() throws -> InstallationID { try open(memory.afterPowerLoss()).installation }

    @Test
    func `opening a new folder performs no flush`() throws {
        let journal = try open()
        journal.append("{}")
        let flushes: [StorageOperation] = [.synchronize, .synchronizeFolder, .synchronizeSegment]
        #expect(flushes.map { storage.count(of: $0) } == [0, 0, 0])
        #expect(try open().installation == journal.installation)
        #expect(try afterPowerLoss() != journal.installation)
    }

    @Test
    func `the identity survives power loss once a process may deliver, whichever process created it`() throws {
        let maker = try open()
        let deliverer = try open()
        let consumer = try #require(try deliverer.tryElection())
        #expect(try afterPowerLoss() == maker.installation)
        // Each process flushes the identity only once.
        let flushes = storage.count(of: .synchronizeFolder)
        consumer.close()
        _ = try #require(try deliverer.tryElection())
        #expect(storage.count(of: .synchronizeFolder) == flushes)
    }

    @Test
    func `the identity survives power loss once an event is reported as durable`() throws {
        let journal = try open()
        journal.append("{}")
        try journal.synchronize()
        #expect(journal.isDurable(1))
        #expect(try afterPowerLoss() == journal.installation)
    }

    @Test
    func `after a failed flush, the identity is written again before the next flush`() throws {
        let journal = try open()
        storage.fail(.synchronize, with: .inputOutput, paths: "installation")
        storage.fail(.replace, with: .noSpace, paths: "installation")
        #expect(throws: JournalError.self) { try journal.tryElection() }
        #expect(throws: JournalError.self) { try journal.synchronize() }
        storage.clearFaults()
        storage.fail(.synchronize, with: .inputOutput, times: 1, paths: "installation")
        _ = try #require(try journal.tryElection())
        #expect(try afterPowerLoss() == journal.installation)
    }
}
