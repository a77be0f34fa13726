// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Ledger")
struct LedgerTests {
    @Test
    func `an account is balanced only if recorded equals delivered, pending and dropped together`() {
        var account = Ledger.Account(recorded: 10, delivered: 5, pending: 2, dropped: [.rejected: 1, .expired: 2])
        #expect(account.isBalanced)
        #expect(account.droppedTotal == 3)
        #expect(Ledger(recorded: 10, destinations: ["a": account]).isBalanced)
        account.pending = 3
        #expect(!account.isBalanced)
        #expect(!Ledger(recorded: 10, destinations: ["a": account]).isBalanced)
        #expect(Ledger().isBalanced)
    }
}
