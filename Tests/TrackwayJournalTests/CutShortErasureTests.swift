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
        let world = try JournalWorld()
        let journal = try world.open()
        let path = world.folder.path + "/settled"
        let other = InstallationSecret.generate().installation(at: world.clock.now().wall)
        for (owner, recorded) in [(other, 0), (journal.installation, 3), (nil, 3)] as [(InstallationID?, UInt64)] {
            try DiskStorage().replace(path, with: Self.totals(of: owner), durably: false)
            #expect(try journal.ledger().recorded == recorded)
            let desk = try #require(try journal.tryElection())
            #expect(try journal.ledger().recorded == recorded)
            desk.close()
        }
    }

    @Test("the identity goes before the counts: whoever was not erased has lost none of them")
    func order() throws {
        let world = try JournalWorld()
        let memory = FaultyStorage(MemoryStorage())
        let path = world.folder.path + "/settled"
        let journal = try world.open(storage: memory)
        try memory.replace(path, with: Self.totals(of: journal.installation), durably: true)
        memory.fail(.replace, with: .noSpace, paths: "/installation")
        #expect(throws: JournalError.self) { try journal.erase() }
        memory.heal()
        #expect(try journal.ledger().recorded == 3)
    }
}
