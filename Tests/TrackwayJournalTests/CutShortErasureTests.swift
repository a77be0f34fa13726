// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Erasures that were cut short")
struct CutShortErasureTests {
    /// The counts of three events of writers whose folders are gone.
    private static func totals(of installation: InstallationID?) -> [UInt8] {
        var totals = SettledTotals(of: installation)
        totals.recorded = 3
        totals.accounts["collector"] = Ledger.Account(recorded: 3, delivered: 3)
        return totals.fileBytes
    }

    @Test("counts of the former installation that a kill left behind are not the new one's")
    func foreignTotals() throws {
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

    @Test("the identity goes before the counts: whoever was not erased has lost none of them")
    func order() throws {
        let environment = try JournalEnvironment()
        let memory = FaultyStorage(MemoryStorage())
        let path = environment.folder.path + "/settled"
        let journal = try environment.open(storage: memory)
        try memory.replace(path, with: Self.totals(of: journal.installation), durably: true)
        memory.fail(.replace, with: .noSpace, paths: "/installation")
        #expect(throws: JournalError.self) { try journal.erase() }
        memory.heal()
        #expect(try journal.ledger().recorded == 3)
    }
}
