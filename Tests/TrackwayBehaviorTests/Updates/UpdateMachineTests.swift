// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@Suite("First opening and updates")
struct UpdateMachineTests {
    @Test(
        "A version is an update when it is another than the one that was known",
        arguments: [
            (nil, "1", false), ("1", "1", false), ("1", "2", true), ("2", "1", true), ("1", nil, false),
            ("1", "", false),
            ("", "1", false), ("1", "1 ", true),
        ] as [(String?, String?, Bool)]
    )
    func versions(before: String?, after: String?, isUpdate: Bool) throws {
        var machine = UpdateMachine()
        #expect(machine.processStarted(appVersion: before, systemVersion: before) == [])
        machine = try kept(machine)
        let actions = machine.processStarted(appVersion: after, systemVersion: after)
        #expect(actions == (isUpdate ? [.appUpdated(from: before ?? ""), .systemUpdated(from: before ?? "")] : []))
        #expect(machine.processStarted(appVersion: after, systemVersion: after) == [])
    }

    @Test("A version that is unknown for a while is still compared with the one before")
    func unknownMeanwhile() {
        var machine = UpdateMachine()
        _ = machine.processStarted(appVersion: "1", systemVersion: "18")
        _ = machine.processStarted(appVersion: nil, systemVersion: "")
        #expect(machine.processStarted(appVersion: "2", systemVersion: "18") == [.appUpdated(from: "1")])
    }

    @Test("The first opening is told once")
    func firstOpening() throws {
        var machine = UpdateMachine()
        #expect(machine.opened() == [.firstOpened])
        machine = try kept(machine)
        #expect(machine.opened() == [])
    }

    @Test("An updated app on an updated system: both, then the start, all in the new session")
    func both() {
        var app = TestApp()
        app.open()
        app.leave()
        app.kill()
        app.clear()
        app.pass(.seconds(86_400))
        app.appVersion = "2.0"
        app.systemVersion = "19.0"
        app.open()
        #expect(
            app.names == [
                CapturedName.appUpdate, CapturedName.osUpdate, CapturedName.appStart, CapturedName.sessionStart,
            ]
        )
        #expect(app.events[0].attributes == [CapturedKey.previousAppVersion: "1.0"])
        #expect(app.events[1].attributes == [CapturedKey.previousOSVersion: "18.0"])
        #expect(app.events.allSatisfy { $0.session?.number == 2 })
        app.kill()
        app.clear()
        app.open()
        #expect(app.names.filter { $0 == CapturedName.appUpdate || $0 == CapturedName.osUpdate } == [])
    }

    @Test("A start in the background tells updates, and leaves the first opening to the user")
    func unseen() {
        var app = TestApp()
        app.start(in: .background)
        #expect(app.names == [CapturedName.appStart])
        app.kill()
        app.clear()
        app.appVersion = "2.0"
        app.start(in: .background)
        #expect(app.names == [CapturedName.appUpdate, CapturedName.appStart])
        app.clear()
        app.comeBack()
        #expect(app.names == [CapturedName.firstOpen, CapturedName.appStart, CapturedName.sessionStart])
        #expect(app.events[1].attributes[CapturedKey.isFirstStart] == false)
    }
}
