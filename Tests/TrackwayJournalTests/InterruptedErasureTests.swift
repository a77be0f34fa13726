// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Interrupted erasures")
struct InterruptedErasureTests {
    /// The totals of three events whose writers' folders were removed.
    private static func totals(of installation: InstallationID?) -> [UInt8] {
        var totals = SettledTotals(of: installation)
        totals.recorded = 3
        totals.accounts["collector"] = Ledger.Account(recorded: 3, delivered: 3)
        return totals.fileBytes
    }

    @Test
    func `the previous installation's counts, left by a kill, do not count for the new one`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        let path = environment.folder.path + "/settled"
        let other = InstallationSecret.generate().installation(at: environment.clock.now().wall)
        for (owner, recorded) in [(other, 0), (journal.installation, 3), (nil, 3)] as [(InstallationID?, UInt64)] {
            try DiskStorage().replace(path, with: Self.totals(of: owner), durably: false)
            #expect(try journal.ledger().recorded == recorded)
            let consumer = try #require(try journal.tryElection())
            #expect(try journal.ledger().recorded == recorded)
            consumer.close()
        }
    }

    @Test
    func `erasing replaces the identity before the counts, so a failed erasure loses no counts`() throws {
        let environment = try JournalEnvironment()
        let memory = FaultyStorage(MemoryStorage())
        let path = environment.folder.path + "/settled"
        let journal = try environment.open(storage: memory)
        try memory.replace(path, with: Self.totals(of: journal.installation), durably: true)
        memory.fail(.replace, with: .noSpace, paths: "/installation")
        #expect(throws: JournalError.self) { try journal.erase() }
        memory.clearFaults()
        #expect(try journal.ledger().recorded == 3)
    }
}
