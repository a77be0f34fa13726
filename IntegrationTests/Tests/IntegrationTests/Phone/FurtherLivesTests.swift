// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// Lives of the example shop that begin or end in odd ways, or in which screens are found by themselves.
@Suite("Further lives of the simulated phone", .timeLimit(.minutes(10)))
struct FurtherLivesTests {
    private let stage: PhoneStage

    init() throws {
        stage = try PhoneStage()
    }

    @Test(
        "what is recorded before the first unlocking, what waits when the time in the background ends, and screens that are found come once"
    )
    func everyLife() throws {
        try beSetUp()
        try beStartedBeforeTheFirstUnlocking()
        try runOutOfTimeWhileDelivering()
        try haveScreensFound()

        let traffic = try PhoneTraffic(stage.network.received)
        #expect(traffic.strange.isEmpty)
        #expect(traffic.repeats > 0, "what was broken off on its way was sent again")
        try stage.expectGolden(traffic, "Golden/Further")
        try stage.expectOnce(traffic)
    }

    private func beSetUp() throws {
        let phone = try stage.start("person")
        try phone.play("sign-in carl")
        try phone.leave()
        try phone.kill()
    }

    /// The phone starts anew, and before anybody unlocks it the system starts the app on a push, which records something.
    private func beStartedBeforeTheFirstUnlocking() throws {
        let sent = stage.network.received.count
        let phone = try stage.start("background", isLocked: true)
        try phone.play("record push_received")
        // The push, and, when nobody has come, the start that nobody saw.
        try phone.wait(for: 2, "told")
        #expect(try phone.count("recorded") == 0, "no file can be read")
        try phone.play("flush")
        #expect(stage.network.received.count == sent, "who uses the app, and whether he agrees, is not known yet")
        try phone.play("unlock")
        try phone.wait(for: 1, "recorded")
        try phone.play("open", "tap Sandals", "back")
        try phone.leave()
        #expect(try phone.count("dropped") == 0)
        try phone.kill()
    }

    /// The collector has the events, and the app has no answer when the system's patience is at its end.
    private func runOutOfTimeWhileDelivering() throws {
        let phone = try stage.start("person")
        try phone.deliverAll()
        try phone.play("tap Hiking boots", "touch add")
        stage.network.change { _ in .forwardThenHold }
        let before = stage.network.forwardedCount
        try phone.play("home")
        try stage.network.waitForForwarded(before + 3)
        #expect(try phone.count("work") > 0)
        try phone.play("expire")
        #expect(try phone.count("work") == 0)
        #expect(try phone.count("running") == 1, "it gave its time back, and is not ended for it")
        try phone.play("suspend")
        try phone.kill()
        stage.network.change { _ in .forward }
        stage.network.release()

        let next = try stage.start("person")
        try next.deliverAll()
        #expect(try next.count("dropped") == 0)
        try next.kill()
    }

    /// Screens of UIKit's are found, containers left out, and how long each was used is told. The clock goes ahead, so this life is
    /// the last of its phone.
    private func haveScreensFound() throws {
        let phone = try stage.start("person", on: "b", findsScreens: true)
        try phone.play("later 2", "tap Running shoes", "later 3", "touch add", "back", "later 2")
        try phone.play("help", "later 5", "letter", "later 4")
        let recorded = try phone.count("recorded")
        try phone.play("close-help")
        // Nobody says that the shop is shown again; that nothing else comes says so.
        try phone.wait(for: recorded + 2, "recorded")
        try phone.play("later 2")
        try phone.leave()
        try phone.deliverAll()
        #expect(try phone.count("dropped") == 0)
        try phone.kill()
    }
}
