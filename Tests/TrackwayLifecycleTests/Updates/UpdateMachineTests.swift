// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("First open and updates")
struct UpdateMachineTests {
    @Test(
        arguments: [
            (nil, "1", false), ("1", "1", false), ("1", "2", true), ("2", "1", true), ("1", nil, false),
            ("1", "", false),
            ("", "1", false), ("1", "1 ", true),
        ] as [(String?, String?, Bool)]
    )
    func `a version is an update if it differs from the known one`(before: String?, after: String?, isUpdate: Bool)
        throws
    {
        var machine = UpdateMachine()
        #expect(machine.processStarted(appVersion: before, systemVersion: before) == [])
        machine = try reloaded(machine)
        let actions = machine.processStarted(appVersion: after, systemVersion: after)
        #expect(actions == (isUpdate ? [.appUpdated(from: before ?? ""), .systemUpdated(from: before ?? "")] : []))
        #expect(machine.processStarted(appVersion: after, systemVersion: after) == [])
    }

    @Test
    func `a version after an unknown one is compared with the last known version`() {
        var machine = UpdateMachine()
        _ = machine.processStarted(appVersion: "1", systemVersion: "18")
        _ = machine.processStarted(appVersion: nil, systemVersion: "")
        #expect(machine.processStarted(appVersion: "2", systemVersion: "18") == [.appUpdated(from: "1")])
    }

    @Test
    func `first open is recorded once`() throws {
        var machine = UpdateMachine()
        #expect(machine.appOpened() == [.firstOpened])
        machine = try reloaded(machine)
        #expect(machine.appOpened() == [])
    }

    @Test
    func `an app and system update records both updates, then the start, all in the new session`() {
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

    @Test
    func `a background start records updates, but first open waits for the user`() {
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
