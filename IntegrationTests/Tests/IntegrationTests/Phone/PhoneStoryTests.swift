// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Stage
internal import Testing
internal import TrackwayEvents

/// The example shop in the simulated phone: one journal, five formats, one collector.
@Suite("The simulated phone's story", .timeLimit(.minutes(30)))
struct PhoneStoryTests {
    private let collector: Collector
    private let network: FlakyServer
    private let folder: TemporaryFolder

    init() throws {
        collector = try Collector()
        network = try FlakyServer(before: collector.port) { _ in .forward }
        folder = try TemporaryFolder()
    }

    private func start(_ launch: String, on device: String = "a", version: String = "1.0") throws -> PhoneProcess {
        try PhoneProcess(launch, data: folder.path("\(device)/shop"), to: network.url, version: version)
    }

    /// Makes a device of what a back-up of another one holds: not the folder, but the small file beside it.
    private func restore(_ device: String, from backup: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path(device), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: folder.path("\(backup)/shop.installation"),
            toPath: folder.path("\(device)/shop.installation")
        )
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

        try restore("b", from: "a")
        let restored = try start("person", on: "b", version: "2.0")
        #expect(restored.installation != last.installation)
        try restored.deliverAll()
        #expect(try restored.count("dropped") == 0)
        try restored.kill()

        let traffic = try PhoneTraffic(network.received)
        #expect(traffic.strange.isEmpty)
        #expect(traffic.repeats > 0, "what was killed on its way was sent again")
        for format in PhoneTraffic.Format.allCases { try expectGolden(traffic, format) }
        try expectOnce(traffic)
    }

    // MARK: Chapters

    /// A person opens the shop, buys, plays with the page of triggers, is called, leaves, comes back, locks the phone and comes
    /// back again; then the system kills the app under their eyes.
    private func buyAndBeKilled() throws -> Int {
        let phone = try start("person")
        try phone.play("tap Running shoes", "touch add", "back", "sign-in carl", "tap buy", "back")
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
            try restore(device, from: backup)
            for _ in 1...2 {
                let phone = try start("person", on: device)
                try phone.deliverAll()
                try phone.kill()
                if phone.installation != installations.last { installations.append(phone.installation) }
            }
        }
        #expect(Set(installations).count == 4)
        try collector.settle()
        // By the event of the format whose ids are of its own; the collector says of the name whose it is.
        let told = try collector.documents()
            .filter { $0["event"]?["name"]?.string == "sift:\(CapturedName.installationRestored)" }
            .map { $0["event"]?["attributes"]?[CapturedKey.formerInstallation]?.string }
        #expect(told == [installations[0], installations[0], installations[1]], "once each, whatever follows")
    }

    // MARK: Comparing

    /// Compares with a text that a person has read; with `TRACKWAY_GOLDEN=write` in the environment it is written instead.
    private func expectGolden(_ traffic: PhoneTraffic, _ format: PhoneTraffic.Format) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/\(format).txt")
        let lines = traffic.lines(format)
        if ProcessInfo.processInfo.environment["TRACKWAY_GOLDEN"] == "write" {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        }
        let golden = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let difference = lines.difference(from: golden).map { "\($0)" }.joined(separator: "\n")
        #expect(lines == golden, "\(format):\n\(difference)")
    }

    /// Everything that was sent is in the collector, in one row. An event that came natively and as Clickstream has one id, and
    /// is one event to the collector.
    private func expectOnce(_ traffic: PhoneTraffic) throws {
        try collector.settle()
        var rows: [String: [String]] = [:]
        for document in try collector.documents() where document["event"]?["name"]?.string != "marker" {
            let app = document["context"]?["app"]
            let account = app?["project"]?.string ?? app?["id"]?.string ?? "?"
            rows[account, default: []].append(document["id"]?.string ?? "")
        }
        #expect(Set(rows.keys).isSubset(of: PhoneTraffic.Format.allCases.map(\.rawValue)))
        for format in [PhoneTraffic.Format.sensors, .sift, .sap] {
            #expect(rows[format.rawValue]?.count == traffic.events[format]?.count, "\(format)")
        }
        let ids = (rows["shop-app"] ?? []) + (rows["shop-clickstream"] ?? [])
        let sent = [PhoneTraffic.Format.native, .clickstream].flatMap { (traffic.events[$0] ?? []).map(\.id) }
        #expect(ids.count == Set(ids).count)
        #expect(Set(ids) == Set(sent))
    }
}
