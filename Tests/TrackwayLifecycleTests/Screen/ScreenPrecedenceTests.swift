// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle

/// A screen reported by the app or found by the platform.
///
/// It is reported `after` milliseconds after the previous one.
private struct ReportedScreen {
    var name: String
    var isManual: Bool
    var after: Int
    var standsFor = ScreenView.ReplacedScreen.lastFound

    static func named(
        _ name: String,
        after: Int = 5000,
        for standing: ScreenView.ReplacedScreen = .lastFound
    ) -> ReportedScreen {
        ReportedScreen(name: name, isManual: true, after: after, standsFor: standing)
    }
    static func found(_ name: String, after: Int = 5000) -> ReportedScreen {
        ReportedScreen(name: name, isManual: false, after: after)
    }
}

@Suite("Precedence of screens that the app names and the platform finds")
struct ScreenPrecedenceTests {
    /// The reported screens and the resulting views.
    private static let table: [(String, [ReportedScreen], [String])] = [
        ("found screens follow each other", [.found("A"), .found("B"), .found("A")], ["A", "B", "A"]),
        ("a named screen between two found ones", [.found("A"), .named("M"), .found("B")], ["A", "M", "B"]),
        ("the same appearance, found first", [.found("A"), .named("M", after: 1), .found("B")], ["A", "M", "B"]),
        ("named while about to appear", [.named("M", for: .screen("A")), .found("A", after: 1)], ["M"]),
        ("found long after it began to appear", [.named("M", for: .screen("A")), .found("A", after: 60_000)], ["M"]),
        ("another screen that appears immediately", [.named("M"), .found("A", after: 1)], ["M", "A"]),
        (
            "the replaced screen appears again", [.named("M", for: .screen("A")), .found("A", after: 1), .found("A")],
            ["M"]
        ),
        (
            "the replaced screen appears again, found first", [.found("A"), .named("M", after: 1), .found("A")],
            ["A", "M"]
        ),
        ("the screen under it appears again", [.found("A"), .named("M"), .found("A")], ["A", "M"]),
        (
            "the screen under a name for something else appears again",
            [.found("A"), .named("M", for: .nothing), .found("A")], ["A", "M", "A"]
        ),
        (
            "replaces only one", [.named("M", for: .screen("A")), .found("A", after: 1), .found("B", after: 1)],
            ["M", "B"]
        ),
        (
            "found soon, with the previous screen known", [.found("A"), .named("M"), .found("B", after: 1)],
            ["A", "M", "B"]
        ),
        (
            "a different screen appears than the one about to appear",
            [.found("A"), .named("M", for: .screen("B")), .found("C", after: 1)], ["A", "M", "C"]
        ),
        (
            "back to the earlier screen",
            [.found("A"), .named("M", after: 1000), .found("B", after: 1), .found("A")], ["A", "M", "B", "A"]
        ),
        (
            "named again on the way back",
            [
                .named("M", for: .screen("A")), .found("A", after: 1), .named("N", for: .screen("B")),
                .found("B", after: 1), .named("M", for: .screen("A")), .found("A", after: 1),
            ],
            ["M", "N", "M"]
        ),
        ("named twice", [.named("M"), .named("M"), .found("A", after: 1)], ["M", "A"]),
        (
            "named again when more is known",
            [.found("Z"), .named("M"), .named("M", for: .nothing), .found("Z")], ["Z", "M", "Z"]
        ),
        (
            "two names for one appearance", [.found("A"), .named("M", after: 1), .named("N", after: 1), .found("A")],
            ["A", "M", "N"]
        ),
        (
            "a name for the screen under another name", [.found("A"), .named("M"), .named("N"), .found("A")],
            ["A", "M", "N"]
        ),
        (
            "a screen that was left is viewed again when found again",
            [.named("M", for: .screen("A")), .found("A", after: 1), .found("B"), .found("A")], ["M", "B", "A"]
        ),
    ]

    @Test(arguments: table.indices)
    func `named screens take precedence over found ones of the same appearance`(row: Int) throws {
        let (story, reports, expected) = Self.table[row]
        var device = TestDevice()
        var machine = ScreenMachine()
        var views: [String] = []
        for reporting in reports {
            device.pass(.milliseconds(reporting.after))
            // Found screens have a unique id; the app gives none.
            let screen = RecordedContext.Screen(
                name: reporting.name,
                uniqueID: reporting.isManual ? nil : reporting.name
            )
            let view = ScreenView(screen: screen, isManual: reporting.isManual, standsFor: reporting.standsFor)
            for case .view(let view) in machine.screenReported(view, shouldRecord: true, at: device.now) {
                views.append(view.screen.name)
            }
            machine = try reloaded(machine)
        }
        #expect(views == expected, "\(story)")
    }

    @Test
    func `screens that waited unseen are matched by what they replace, not by when they were reported`() {
        for (standing, expected) in [
            (.screen("A"), ["M"]), (.lastFound, ["M", "A"]), (.nothing, ["M", "A"]),
        ] as [(ScreenView.ReplacedScreen, [String])] {
            var device = TestDevice()
            var machine = ScreenMachine()
            machine.screenReportedInBackground(
                ScreenView(screen: .init(name: "M"), isManual: true, standsFor: standing),
                at: device.now
            )
            device.pass(.milliseconds(1))
            let found = RecordedContext.Screen(name: "A", uniqueID: "A")
            machine.screenReportedInBackground(ScreenView(screen: found, isManual: false), at: device.now)
            device.pass(.seconds(600))
            let names = machine.userArrived(at: device.now) { _ in true }.map { action in
                switch action {
                case .view(let view): view.screen.name
                }
            }
            #expect(names == expected)
        }
    }

    @Test
    func `state that an older version stored for a name without a screen is read`() throws {
        let reloaded = """
            {"isEntranceDue":false,"waiting":[],"precedence":{"state":{"namedRecently":{"since":{"wall":5,"monotonic":5,\
            "boot":"b"}}},"lastFound":{"screen":{"name":"A"},"at":{"wall":5,"monotonic":5,"boot":"b"}}}}
            """
        let machine = try JSONDecoder().decode(ScreenMachine.self, from: Data(reloaded.utf8))
        #expect(machine.current == nil)
        let named = """
            {"isEntranceDue":false,"waiting":[],"precedence":{"state":{"named":{"standsFor":{"name":"A","uniqueID":"1"}}}}}
            """
        var other = try JSONDecoder().decode(ScreenMachine.self, from: Data(named.utf8))
        let screen = RecordedContext.Screen(name: "A", uniqueID: "1")
        let device = TestDevice()
        #expect(
            other.screenReported(ScreenView(screen: screen, isManual: false), shouldRecord: true, at: device.now)
                .isEmpty
        )
    }
}
