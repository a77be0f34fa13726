// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Stage
internal import Testing
internal import TrackwayEvents

/// The example shop in the simulated phone: one journal, five formats, one collector.
@Suite("The simulated phone's story", .timeLimit(.minutes(10)))
struct PhoneStoryTests {
    private let stage: PhoneStage
    private var network: FlakyServer { stage.network }

    init() throws {
        stage = try PhoneStage()
    }

    private func start(_ launch: String, on device: String = "a", version: String = "1.0") throws -> PhoneProcess {
        try stage.start(launch, on: device, version: version)
    }

    @Test("every format receives every event of seven lives and a restored device once, in order, under its own names")
    func wholeStory() throws {
        let recorded = try buyAndBeKilled()
        try beWokenByTheSystem(after: recorded)
        try bePrewarmed()
        try beUpdatedWhileEventsWait()
        try beKilledWhileDelivering()
        let last = try start("person", version: "2.0")
        try last.deliverAll()
        #expect(try last.count("dropped") == 0)
        try last.kill()

        try stage.restore("b", from: "a")
        let restored = try start("person", on: "b", version: "2.0")
        #expect(restored.installation != last.installation)
        try restored.deliverAll()
        #expect(try restored.count("dropped") == 0)
        try restored.kill()

        let traffic = try PhoneTraffic(network.received)
        #expect(traffic.strange.isEmpty)
        #expect(traffic.repeats > 0, "what was killed on its way was sent again")
        try stage.expectGolden(traffic, "Golden")
        try stage.expectOnce(traffic)
    }

    // MARK: Chapters

    /// A person opens the shop, buys, plays with the page of triggers, is called, leaves, comes back, locks the phone and comes
    /// back again; then the system kills the app under their eyes.
    private func buyAndBeKilled() throws -> Int {
        let phone = try start("person")
        try phone.play("tap Running shoes", "touch add", "back", "sign-in carl", "tap buy")
        let bought = try phone.count("recorded")
        try phone.play("back")
        // The sheet is gone: that nothing else comes says that the shop is shown again.
        try phone.wait(for: bought + 1, "recorded")
        try phone.play("interrupt", "resume", "tap Triggers")
        try phone.wait(toRead: "the line came into sight")
        try phone.play("touch didEndTouch")
        try phone.wait(toRead: "the button was touched")
        try phone.play("scroll didBeginScroll 50")
        try phone.wait(toRead: "scrolling began")
        try phone.play("type didBecomeFirstResponder a")
        try phone.wait(toRead: "typing began")
        try phone.play("touch targetAction")
        try phone.wait(toRead: "the button did its work")
        try phone.leave()
        try phone.play("open", "lock")
        try phone.waitForRest()
        try phone.play("unlock")
        let recorded = try phone.count("recorded")
        phone.program.order("kill")
        #expect(try phone.program.status() == .signalled(9))
        return recorded
    }

    /// The system starts the app for itself on the locked phone; later a person opens it.
    private func beWokenByTheSystem(after recorded: Int) throws {
        let phone = try start("background")
        try phone.play("lock")
        // The exit that the kill took away, and that nobody came.
        try phone.wait(for: recorded + 2, "recorded")
        try phone.play("unlock")
        #expect(try phone.count("recorded") == recorded + 2)
        try phone.play("open", "tap Sandals", "back")
        try phone.leave()
        try phone.kill()
    }

    /// One prewarmed process that nobody opens, and one that is locked during its launch and opened then, in two windows.
    private func bePrewarmed() throws {
        let unseen = try start("prewarmed")
        try unseen.deliverAll()
        let recorded = try unseen.count("recorded")
        try unseen.kill()

        let phone = try start("prewarmed")
        try phone.play("lock", "unlock")
        #expect(try phone.count("recorded") == recorded)
        try phone.play("open", "window", "close")
        try phone.deliverAll()
        network.change { _ in .answer(503, type: "text/html", body: "busy") }
        try phone.play("tap Hiking boots", "touch add")
        try phone.leave()
        try phone.kill()
    }

    /// The next version finds what the former one could not send; a person throws it out of the switcher.
    private func beUpdatedWhileEventsWait() throws {
        network.change { _ in .forward }
        let phone = try start("person", version: "2.0")
        try phone.deliverAll()
        try phone.swipeAway()
    }

    /// The process dies when the collector has the events and the app has no answer.
    private func beKilledWhileDelivering() throws {
        let phone = try start("person", version: "2.0")
        try phone.deliverAll()
        try phone.play("tap Sandals")
        network.change { _ in .forwardThenHold }
        let before = network.forwardedCount
        try phone.play("deliver")
        try network.waitForForwarded(before + 3)
        try phone.kill()
        network.change { _ in .forward }
        network.release()
    }

    // MARK: Odd neighbours

    @Test("restored twice from one backup, and once more from a restored device: each is new and says what it was")
    func restoredAgain() throws {
        let first = try start("person")
        try first.kill()
        var installations = [first.installation]
        for (device, backup) in [("b", "a"), ("c", "a"), ("d", "b")] {
            try stage.restore(device, from: backup)
            for _ in 1...2 {
                let phone = try start("person", on: device)
                try phone.deliverAll()
                try phone.kill()
                if phone.installation != installations.last { installations.append(phone.installation) }
            }
        }
        #expect(Set(installations).count == 4)
        try stage.collector.settle()
        // By the event of the format whose ids are of its own; the collector says of the name whose it is.
        let told = try stage.collector.documents()
            .filter { $0["event"]?["name"]?.string == "sift:\(CapturedName.installationRestored)" }
            .map { $0["event"]?["attributes"]?[CapturedKey.formerInstallation]?.string }
        #expect(told == [installations[0], installations[0], installations[1]], "once each, whatever follows")
    }
}
