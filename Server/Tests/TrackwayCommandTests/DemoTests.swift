// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import TrackwayCommand

@Suite("Parts of the demonstration")
struct DemoTests {
    @Test
    func `an unreliable destination fails half of the requests, and never more than two in a row`() {
        var answers = RejectedResponses()
        var row = 0
        var kinds: Set<RejectedResponses.Treatment> = []
        for _ in 0..<80 {
            let treatment = answers.next()
            kinds.insert(treatment)
            row = treatment == .passed ? 0 : row + 1
            #expect(row <= 2)
        }
        #expect(kinds == [.unavailable, .lostAnswer, .captivePortal, .passed])
        #expect(answers.requests == 80)
        #expect(answers.bad == 40)
    }

    @Test(arguments: [
        ("visitor 12 checkout", 12, true, false), ("visitor 3 purchased", 3, false, true),
        ("visitor 1 enters", 1, false, false),
    ])
    func `a step has a visitor and an action`(line: String, visitor: Int, isCheckout: Bool, isPurchase: Bool) throws {
        let step = try #require(ShopStep(line))
        #expect(step.visitor == visitor)
        #expect(step.isCheckout == isCheckout)
        #expect(step.isPurchase == isPurchase)
    }

    @Test(arguments: ["", "visitor", "visitor x leaves", "The shop's ledger, installation"])
    func `other lines are not parsed as steps`(line: String) {
        #expect(ShopStep(line) == nil)
    }

    @Test
    func `an account balances only if every recorded event is in the collector exactly once`() {
        let good = DemoAccount(
            destination: "audit",
            recorded: 10,
            delivered: 10,
            pending: 0,
            dropped: 0,
            rows: 10,
            distinct: 10,
            repeats: 3
        )
        #expect(good.isBalanced)
        #expect(good.lost == 0)
        var lost = good
        lost.rows = 9
        lost.distinct = 9
        #expect(!lost.isBalanced)
        #expect(lost.lost == 1)
        var twice = good
        twice.rows = 11
        #expect(!twice.isBalanced)
        #expect(twice.duplicates == 1)
        var waiting = good
        waiting.delivered = 8
        waiting.distinct = 8
        waiting.pending = 2
        #expect(!waiting.isBalanced)
        #expect(waiting.lost == 0)
        var withdrawn = good
        withdrawn.delivered = 7
        withdrawn.dropped = 3
        withdrawn.rows = 6
        withdrawn.distinct = 6
        #expect(!withdrawn.isBalanced)
        #expect(withdrawn.lost == 1)
        // An erasure request is executed and does not become a row.
        withdrawn.erasures = 1
        #expect(withdrawn.isBalanced)
        #expect(withdrawn.lost == 0 && withdrawn.receivedButDropped == 0)
        // Events withdrawn after they were sent and their response was lost are in the collector, which is correct.
        withdrawn.rows = 9
        withdrawn.distinct = 9
        #expect(withdrawn.isBalanced)
        #expect(withdrawn.lost == 0 && withdrawn.receivedButDropped == 3)
        // More rows than withdrawn events cannot be explained this way.
        withdrawn.rows = 10
        withdrawn.distinct = 10
        #expect(!withdrawn.isBalanced)
    }

    @Test
    func `the device's side is read from its journal without the app`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trackway-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // No process listens on port 1, so all events stay pending.
        let unreachable = try #require(URL(string: "http://127.0.0.1:1"))
        var configuration = Configuration(
            appID: "demo-test",
            destinations: [.collector(unreachable, writeKey: "k")],
            consent: .granted
        )
        configuration.storage.folder = folder
        configuration.lifecycle.isObserved = false
        configuration.capture = []
        configuration.onDiagnostic = { _ in }
        let analytics = try Analytics(configuration)
        for number in 0..<7 { analytics.record("event", ["number": number]) }
        let ledger = DeviceLedger(try JournalInspector(folder: folder.path).inspect())
        #expect(ledger.recorded == 7)
        #expect(ledger.pending(for: "collector") == 7)
        #expect(ledger.delivered["collector"] ?? 0 == 0)
        await analytics.shutdown(timeout: .zero)
    }

    @Test
    func `several journals are summed`() {
        var sum = DeviceLedger()
        for number in UInt64(1)...2 {
            var journal = DeviceLedger()
            journal.recorded = 5 * number
            journal.delivered = ["collector": number]
            journal.dropped = ["audit": 1]
            journal.skipped = ["audit": 2]
            sum.add(journal)
        }
        #expect(sum.recorded == 15 && sum.delivered == ["collector": 3] && sum.dropped == ["audit": 2])
        #expect(sum.pending(for: "collector") == 12 && sum.pending(for: "audit") == 9)
        #expect(sum.recorded(for: "collector") == 15 && sum.recorded(for: "audit") == 11)
    }

    @Test(arguments: [
        ("{}", "0 devices, 0 property changes, 0 app states"),
        (
            #"{"devices":[{"states":1,"property_changes":1}]}"#, "1 device, 1 property change, 1 app state"
        ),
        (
            #"{"devices":[{"states":1000,"property_changes":2},{"states":234}]}"#,
            "2 devices, 2 property changes, 1,234 app states"
        ),
    ])
    func `a summary of devices is a sentence that uses the singular for one`(list: String, sentence: String) throws {
        #expect(DeviceSummary(try JSONValue.parse(Array(list.utf8))).sentence == sentence)
    }
}
