// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// The sample shop in the simulated phone: one journal, five formats, one collector.
@Suite("Simulated phone", .timeLimit(.minutes(30)))
struct SimulatedPhoneTests {
    private let collector: Collector
    private let network: FlakyServer
    private let folder: TemporaryFolder

    init() throws {
        collector = try Collector()
        network = try FlakyServer(before: collector.port) { _ in .forward }
        folder = try TemporaryFolder()
    }

    private func start(_ launch: String, on device: String = "a", version: String = "1.0") throws -> SimulatedAppProcess
    {
        try SimulatedAppProcess(launch, data: folder.path("\(device)/shop"), to: network.url, version: version)
    }

    /// Creates a device from another device's backup, which contains only the small file next to the folder.
    private func restore(_ device: String, from backup: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path(device), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: folder.path("\(backup)/shop.installation"),
            toPath: folder.path("\(device)/shop.installation")
        )
    }

    @Test
    func `every format gets each event of seven processes and a restored device once, in order, with its own names`()
        throws
    {
        let recorded = try buyThenKill()
        try launchInBackground(after: recorded)
        try prewarm()
        try updateWithPendingEvents()
        try killDuringDelivery()
        let last = try start("user", version: "2.0")
        try last.deliverAll()
        #expect(try last.count("dropped") == 0)
        try last.kill()

        try restore("b", from: "a")
        let restored = try start("user", on: "b", version: "2.0")
        #expect(restored.installation != last.installation)
        try restored.deliverAll()
        #expect(try restored.count("dropped") == 0)
        try restored.kill()

        let traffic = try SimulatedAppTraffic(network.received)
        #expect(traffic.unrecognizedRequests.isEmpty)
        #expect(traffic.repeatCount > 0, "the interrupted request was sent again")
        for format in SimulatedAppTraffic.Format.allCases { try expectGolden(traffic, format) }
        try expectOnce(traffic)
    }

    // MARK: Scenes

    /// A user opens the shop, buys, uses the triggers page, gets a call, leaves, returns, locks the phone and returns
    /// again.
    ///
    /// Then the system kills the app in the foreground.
    private func buyThenKill() throws -> Int {
        let phone = try start("user")
        try phone.execute("tap Running shoes", "touch add", "back", "sign-in carl", "tap buy", "back")
        try phone.execute("interrupt", "resume", "tap Triggers")
        try phone.wait(forText: "the line came into sight")
        try phone.execute("touch didEndTouch")
        try phone.wait(forText: "the button was touched")
        try phone.execute("scroll didBeginScroll 50")
        try phone.wait(forText: "scrolling began")
        try phone.execute("type didBecomeFirstResponder a")
        try phone.wait(forText: "typing began")
        try phone.execute("touch targetAction")
        try phone.wait(forText: "the button did its work")
        try phone.suspend()
        try phone.execute("open", "lock")
        try phone.waitUntilIdle()
        try phone.execute("unlock")
        let recorded = try phone.count("recorded")
        phone.program.writeLine("kill")
        #expect(try phone.program.status() == .signalled(9))
        return recorded
    }

    /// The system launches the app in the background on the locked phone.
    ///
    /// Later a user opens it.
    private func launchInBackground(after recorded: Int) throws {
        let phone = try start("background")
        try phone.execute("lock")
        // The exit of the killed process, and the passive start.
        try phone.wait(for: recorded + 2, "recorded")
        try phone.execute("unlock")
        #expect(try phone.count("recorded") == recorded + 2)
        try phone.execute("open", "tap Sandals", "back")
        try phone.suspend()
        try phone.kill()
    }

    /// One prewarmed process is never opened; another is running while the phone is locked and unlocked, and is then
    /// opened in two windows.
    private func prewarm() throws {
        let unseen = try start("prewarmed")
        try unseen.deliverAll()
        let recorded = try unseen.count("recorded")
        try unseen.kill()

        let phone = try start("prewarmed")
        try phone.execute("lock", "unlock")
        #expect(try phone.count("recorded") == recorded)
        try phone.execute("open", "window", "close")
        try phone.deliverAll()
        network.setReply { _ in .respond(503, type: "text/html", body: "busy") }
        try phone.execute("tap Hiking boots", "touch add")
        try phone.suspend()
        try phone.kill()
    }

    /// The next version delivers what the previous one could not send.
    ///
    /// The user swipes it away.
    private func updateWithPendingEvents() throws {
        network.setReply { _ in .forward }
        let phone = try start("user", version: "2.0")
        try phone.deliverAll()
        try phone.swipeAway()
    }

    /// The process is killed after the collector has stored the events and before the app gets the response.
    private func killDuringDelivery() throws {
        let phone = try start("user", version: "2.0")
        try phone.deliverAll()
        try phone.execute("tap Sandals")
        network.setReply { _ in .forwardThenHold }
        let before = network.forwardedCount
        try phone.execute("deliver")
        try network.waitForForwarded(before + 3)
        try phone.kill()
        network.setReply { _ in .forward }
        network.release()
    }

    // MARK: Restored devices

    @Test
    func `every restored device gets a new installation id and records its former one`() throws {
        let first = try start("user")
        try first.kill()
        var installations = [first.installation]
        for (device, backup) in [("b", "a"), ("c", "a"), ("d", "b")] {
            try restore(device, from: backup)
            for _ in 1...2 {
                let phone = try start("user", on: device)
                try phone.deliverAll()
                try phone.kill()
                if phone.installation != installations.last { installations.append(phone.installation) }
            }
        }
        #expect(Set(installations).count == 4)
        try collector.waitForIndex()
        // Looks for the Sift events, which have ids of their own format; the name's prefix identifies the format.
        let restoredFrom = try collector.documents()
            .filter { $0["event"]?["name"]?.string == "sift:\(CapturedName.installationRestored)" }
            .map { $0["event"]?["attributes"]?[CapturedKey.formerInstallation]?.string }
        #expect(
            restoredFrom == [installations[0], installations[0], installations[1]],
            "once for each restored device"
        )
    }

    // MARK: Comparing

    /// Compares the traffic with a reviewed golden file.
    ///
    /// With `TRACKWAY_GOLDEN=write` in the environment, the file is overwritten first.
    private func expectGolden(_ traffic: SimulatedAppTraffic, _ format: SimulatedAppTraffic.Format) throws {
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

    /// Expects every sent event in one row.
    ///
    /// An event that arrived natively and as Clickstream has one id and is one event to the collector.
    private func expectOnce(_ traffic: SimulatedAppTraffic) throws {
        try collector.waitForIndex()
        var rows: [String: [String]] = [:]
        for document in try collector.documents() where document["event"]?["name"]?.string != "marker" {
            let app = document["context"]?["app"]
            let account = app?["project"]?.string ?? app?["id"]?.string ?? "?"
            rows[account, default: []].append(document["id"]?.string ?? "")
        }
        #expect(Set(rows.keys).isSubset(of: SimulatedAppTraffic.Format.allCases.map(\.rawValue)))
        for format in [SimulatedAppTraffic.Format.sensors, .sift, .sap] {
            #expect(rows[format.rawValue]?.count == traffic.events[format]?.count, "\(format)")
        }
        let ids = (rows["shop-app"] ?? []) + (rows["shop-clickstream"] ?? [])
        let sent = [SimulatedAppTraffic.Format.native, .clickstream].flatMap { (traffic.events[$0] ?? []).map(\.id) }
        #expect(ids.count == Set(ids).count)
        #expect(Set(ids) == Set(sent))
    }
}
