// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayJournal

/// The app that starts waits for no flush; nothing is delivered, or called durable, under an identity that may be forgotten.
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

    @Test("opening a new folder waits for no flush")
    func opening() throws {
        let journal = try open()
        journal.append("{}")
        let flushes: [StorageOperation] = [.synchronize, .synchronizeFolder, .synchronizeSegment]
        #expect(flushes.map { storage.count(of: $0) } == [0, 0, 0])
        #expect(try open().installation == journal.installation)
        #expect(try afterPowerLoss() != journal.installation)
    }

    @Test("it does once this process may deliver, whichever process made it")
    func delivering() throws {
        let maker = try open()
        let deliverer = try open()
        let consumer = try #require(try deliverer.tryElection())
        #expect(try afterPowerLoss() == maker.installation)
        // Once is enough for a process.
        let flushes = storage.count(of: .synchronizeFolder)
        consumer.close()
        _ = try #require(try deliverer.tryElection())
        #expect(storage.count(of: .synchronizeFolder) == flushes)
    }

    @Test("it does once an event is called durable")
    func durable() throws {
        let journal = try open()
        journal.append("{}")
        try journal.synchronize()
        #expect(journal.isDurable(1))
        #expect(try afterPowerLoss() == journal.installation)
    }

    @Test("a flush that failed is not repeated: what it may have lost is written anew")
    func failed() throws {
        let journal = try open()
        storage.fail(.synchronize, with: .inputOutput, paths: "installation")
        storage.fail(.replace, with: .noSpace, paths: "installation")
        #expect(throws: JournalError.self) { try journal.tryElection() }
        #expect(throws: JournalError.self) { try journal.synchronize() }
        storage.heal()
        storage.fail(.synchronize, with: .inputOutput, times: 1, paths: "installation")
        _ = try #require(try journal.tryElection())
        #expect(try afterPowerLoss() == journal.installation)
    }
}
