// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Screens")
struct ScreenMachineTests {
    private typealias Screen = RecordedContext.Screen

    @Test(arguments: [
        (Screen(name: "A", id: "x", uniqueID: "1"), false),
        (Screen(name: "A", id: "y", uniqueID: "1"), false),
        (Screen(name: "B", id: "x", uniqueID: "1"), true),
        (Screen(name: "A", id: "x", uniqueID: "2"), true),
        (Screen(name: "A", id: "x", uniqueID: nil), true),
    ])
    func `a screen is new if its name or its unique id differs, regardless of its place in the app`(
        second: RecordedContext.Screen,
        isNew: Bool
    ) throws {
        var device = TestDevice()
        var machine = ScreenMachine()
        let first = ScreenView(screen: Screen(name: "A", id: "x", uniqueID: "1"), isManual: false)
        #expect(machine.screenReported(first, shouldRecord: true, at: device.now).count == 1)
        machine = try reloaded(machine)
        device.pass(.seconds(5))
        let actions = machine.screenReported(
            ScreenView(screen: second, isManual: false),
            shouldRecord: true,
            at: device.now
        )
        #expect(actions.count == (isNew ? 1 : 0))
    }

    @Test(
        arguments: [
            ("a", ["sku": 1], false), ("b", ["sku": 1], true), (nil, ["sku": 1], false), ("a", ["sku": 2], true),
            ("a", [:], false), (nil, [:], false), ("b", [:], true), ("a", ["sku": 1, "color": "red"], true),
        ] as [(String?, Attributes, Bool)]
    )
    func `naming a screen again is a new view if its id or its attributes differ`(
        id: String?,
        attributes: Attributes,
        isNew: Bool
    ) throws {
        var device = TestDevice()
        var machine = ScreenMachine()
        let first = ScreenView(
            screen: Screen(name: "Product", id: "a", uniqueID: nil),
            attributes: ["sku": 1],
            isManual: true
        )
        #expect(machine.screenReported(first, shouldRecord: true, at: device.now).count == 1)
        machine = try reloaded(machine)
        device.pass(.seconds(5))
        let second = ScreenView(
            screen: Screen(name: "Product", id: id, uniqueID: nil),
            attributes: attributes,
            isManual: true
        )
        #expect(machine.screenReported(second, shouldRecord: true, at: device.now).count == (isNew ? 1 : 0))
        #expect(machine.screenReported(second, shouldRecord: true, at: device.now).isEmpty)
        // A call without an id and without attributes adds nothing new.
        let bare = ScreenView(screen: Screen(name: "Product", id: nil, uniqueID: nil), isManual: true)
        #expect(machine.screenReported(bare, shouldRecord: true, at: device.now).isEmpty)
    }

    @Test
    func `the app's screen attributes are discarded when the person changes`() throws {
        let device = TestDevice()
        var machine = ScreenMachine()
        let view = ScreenView(
            screen: Screen(name: "Profile", id: nil, uniqueID: nil),
            attributes: ["owner": "john"],
            isManual: true
        )
        machine.screenReportedInBackground(view, at: device.now)
        machine.personChanged()
        machine = try reloaded(machine)
        let actions = machine.userArrived(at: device.now) { _ in true }
        #expect(actions.count == 1)
        for case .view(let view) in actions { #expect(view.attributes.isEmpty) }
    }

    @Test(arguments: [false, true])
    func `a found screen is viewed again once the named screen that replaced it is gone, and not before`(hasGone: Bool)
        throws
    {
        var device = TestDevice()
        var machine = ScreenMachine()
        var home = ScreenView(screen: Screen(name: "Home", id: nil, uniqueID: "1"), isManual: false)
        #expect(machine.screenReported(home, shouldRecord: true, at: device.now).count == 1)
        device.pass(.seconds(5))
        let cart = ScreenView(screen: Screen(name: "Cart", id: nil, uniqueID: nil), isManual: true)
        #expect(machine.screenReported(cart, shouldRecord: true, at: device.now).count == 1)
        device.pass(.seconds(5))
        home.endsNamedScreen = hasGone
        machine = try reloaded(machine)
        #expect(machine.screenReported(home, shouldRecord: true, at: device.now).count == (hasGone ? 1 : 0))
    }

    @Test
    func `a view contains the previous screen, its time, and whether the view is the session's first`() {
        var app = TestApp()
        app.open()
        app.show("A", id: "Root/A", uniqueID: "1")
        let first = app.device.wall.milliseconds
        app.pass(.seconds(2))
        app.show("B", id: "Root/B", uniqueID: "2")
        let second = app.device.wall.milliseconds
        app.pass(.milliseconds(400))
        app.show("C", manual: true)
        #expect(
            app.names.suffix(4) == [
                CapturedName.screenView, CapturedName.userEngagement, CapturedName.screenView, CapturedName.screenView,
            ]
        )
        let views = app.events.filter { $0.name == CapturedName.screenView }.map(\.attributes)
        #expect(
            views[0] == [
                CapturedKey.screenName: "A", CapturedKey.screenID: "Root/A", CapturedKey.screenUniqueID: "1",
                CapturedKey.entrances: 1,
            ]
        )
        #expect(
            views[1] == [
                CapturedKey.screenName: "B", CapturedKey.screenID: "Root/B", CapturedKey.screenUniqueID: "2",
                CapturedKey.previousScreenName: "A", CapturedKey.previousScreenID: "Root/A",
                CapturedKey.previousScreenUniqueID: "1", CapturedKey.entrances: 0,
                CapturedKey.previousTimestamp: .integer(first), CapturedKey.engagementTime: 2000,
            ]
        )
        // The app gave no unique id, so the last found screen's unique id is used.
        #expect(
            views[2] == [
                CapturedKey.screenName: "C", CapturedKey.screenUniqueID: "2",
                CapturedKey.previousScreenName: "B", CapturedKey.previousScreenID: "Root/B",
                CapturedKey.previousScreenUniqueID: "2", CapturedKey.entrances: 0,
                CapturedKey.previousTimestamp: .integer(second),
            ]
        )
        // Engagement is recorded under the screen that was used, and the view under its own screen.
        #expect(app.events.suffix(4).map(\.screen?.name) == ["A", "A", "B", "C"])
    }

    @Test
    func `a view contains the app's attributes, which do not override the SDK's own`() {
        var app = TestApp()
        app.open()
        app.show(
            ScreenView(
                screen: Screen(name: "A"),
                attributes: [CapturedKey.entrances: 7, "tab": "left", CapturedKey.screenName: "other"],
                isManual: true
            )
        )
        #expect(
            app.events.last?.attributes == [
                CapturedKey.entrances: 1, "tab": "left", CapturedKey.screenName: "A",
            ]
        )
    }

    @Test
    func `after a restart, the previous screen is unknown, but its time and the session's entrance are known`() {
        var app = TestApp()
        app.open()
        app.show("A", uniqueID: "1")
        let shown = app.device.wall.milliseconds
        app.pass(.seconds(5))
        app.leave()
        app.kill()
        app.pass(.seconds(60))
        app.clear()
        app.open()
        app.show("A", uniqueID: "1")
        #expect(
            app.events.last?.attributes == [
                CapturedKey.screenName: "A", CapturedKey.screenUniqueID: "1", CapturedKey.entrances: 0,
                CapturedKey.previousTimestamp: .integer(shown),
            ]
        )
    }

    @Test
    func `a session whose process was killed before any view has its entrance in the next process`() {
        var app = TestApp()
        app.open()
        app.kill()
        app.open()
        app.show("A")
        app.show("B")
        #expect(app.events.suffix(2).map { $0.attributes[CapturedKey.entrances] } == [1, 0])
    }

    @Test
    func `with screen capture off, named screens are recorded, and found screens only provide their unique id`() {
        var app = TestApp()
        app.settings.capture.remove(.screens)
        app.open()
        app.clear()
        app.show("Found", uniqueID: "1")
        #expect(app.names == [])
        #expect(app.behavior.screen == nil)
        app.show("Named", manual: true)
        #expect(app.names == [CapturedName.screenView])
        #expect(app.behavior.screen == Screen(name: "Named", uniqueID: "1"))
        app.pass(.milliseconds(999))
        app.show("Found", uniqueID: "2")
        #expect(app.behavior.screen?.name == "Named")
    }

    @Test
    func `unseen screens wait unchanged, with attributes of every kind, and the earliest are dropped beyond a limit`()
        throws
    {
        let attributes: Attributes = [
            "text": "ä\u{0}\"", "whole": .integer(.min), "number": 1.5, "impossible": .double(.infinity), "flag": false,
            "date": .date(Timestamp(milliseconds: -1)), "list": .array([1, "two", [true]]),
            "object": ["key": ["deep": 1]],
        ]
        var device = TestDevice()
        var machine = ScreenMachine()
        for index in 0...ScreenMachine.maxWaiting {
            let view = ScreenView(screen: Screen(name: "\(index)"), attributes: attributes, isManual: true)
            machine.screenReportedInBackground(view, at: device.now)
            machine.screenReportedInBackground(view, at: device.now)
            device.pass(.seconds(2))
        }
        #expect(try reloaded(machine) == machine)
        var restored = try reloaded(machine)
        let views = restored.userArrived(at: device.now) { _ in true }.map { action in
            switch action {
            case .view(let view): view
            }
        }
        #expect(views.map(\.screen.name) == (1...ScreenMachine.maxWaiting).map { "\($0)" })
        #expect(views.allSatisfy { $0.attributes == attributes })
        #expect(restored.userArrived(at: device.now) { _ in true } == [])
    }

    @Test
    func `screens that waited in a process that ended are not recorded`() {
        var app = TestApp()
        app.start(in: .background)
        app.show("A")
        app.kill()
        app.clear()
        app.open()
        #expect(!app.names.contains(CapturedName.screenView))
    }

    @Test
    func `a new session that starts with waiting screens does not view the old screen again`() {
        var app = TestApp()
        app.open()
        app.show("Old")
        app.leave()
        app.pass(.seconds(1800))
        app.show("New")
        app.clear()
        app.comeBack()
        #expect(app.names == [CapturedName.appStart, CapturedName.sessionStart, CapturedName.screenView])
        #expect(app.events.last?.attributes[CapturedKey.screenName] == "New")
        #expect(app.events.last?.attributes[CapturedKey.previousScreenName] == nil)
        #expect(app.events.last?.attributes[CapturedKey.entrances] == 1)
    }
}
