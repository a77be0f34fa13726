// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

/// One telling of a screen: by the app, or found by the platform, so many milliseconds after the one before.
private struct Telling {
    var name: String
    var isManual: Bool
    var after: Int

    static func named(_ name: String, after: Int = 5000) -> Telling {
        Telling(name: name, isManual: true, after: after)
    }
    static func found(_ name: String, after: Int = 5000) -> Telling {
        Telling(name: name, isManual: false, after: after)
    }
}

@Suite("Screens that the app names, and screens that the platform finds")
struct ScreenPrecedenceTests {
    /// What is told, and which views come of it.
    private static let table: [(String, [Telling], [String])] = [
        ("found ones follow each other", [.found("A"), .found("B"), .found("A")], ["A", "B", "A"]),
        ("a named one between two found ones", [.found("A"), .named("M"), .found("B")], ["A", "M", "B"]),
        ("the same appearance, found first", [.found("A"), .named("M", after: 1), .found("B")], ["A", "M", "B"]),
        ("the same appearance, named first", [.named("M"), .found("A", after: 1)], ["M"]),
        ("found at the end of the animation", [.named("M"), .found("A", after: 999)], ["M"]),
        ("found too late to be the same", [.named("M"), .found("A", after: 1000)], ["M", "A"]),
        ("what it stands for appears again", [.named("M"), .found("A", after: 1), .found("A")], ["M"]),
        (
            "what it stands for appears again, found first", [.found("A"), .named("M", after: 1), .found("A")],
            ["A", "M"]
        ),
        ("what lies under it appears again", [.found("A"), .named("M"), .found("A")], ["A", "M"]),
        ("it stands for one only", [.named("M"), .found("A", after: 1), .found("B", after: 1)], ["M", "B"]),
        (
            "found in time, with the one before it known",
            [.found("A"), .named("M", after: 999), .found("B", after: 1)], ["A", "M", "B"]
        ),
        (
            "named first, and another was found long before",
            [.found("A"), .named("M", after: 1000), .found("B", after: 1)], ["A", "M"]
        ),
        (
            "the way back to that other one",
            [.found("A"), .named("M", after: 1000), .found("B", after: 1), .found("A")], ["A", "M", "A"]
        ),
        (
            "named again on the way back",
            [
                .named("M"), .found("A", after: 1), .named("N"), .found("B", after: 1), .named("M"),
                .found("A", after: 1),
            ],
            ["M", "N", "M"]
        ),
        ("named twice", [.named("M"), .named("M"), .found("A", after: 1)], ["M", "A"]),
        (
            "two names for one appearance", [.found("A"), .named("M", after: 1), .named("N", after: 1), .found("A")],
            ["A", "M", "N"]
        ),
        (
            "a name for what lies under another name", [.found("A"), .named("M"), .named("N"), .found("A")],
            ["A", "M", "N"]
        ),
        (
            "it is left, and found again is found again",
            [.named("M"), .found("A", after: 1), .found("B"), .found("A")], ["M", "B", "A"]
        ),
    ]

    @Test("Named screens win over found ones of the same appearance", arguments: table.indices)
    func rule(row: Int) throws {
        let (story, tellings, expected) = Self.table[row]
        var device = TestDevice()
        var machine = ScreenMachine()
        var views: [String] = []
        for reporting in tellings {
            device.pass(.milliseconds(reporting.after))
            // What is found has a unique id of its own; the app names none.
            let screen = RecordedContext.Screen(
                name: reporting.name,
                uniqueID: reporting.isManual ? nil : reporting.name
            )
            let view = ScreenView(screen: screen, isManual: reporting.isManual)
            for case .view(let view) in machine.announced(view, isWanted: true, at: device.now) {
                views.append(view.screen.name)
            }
            machine = try kept(machine)
        }
        #expect(views == expected, "\(story)")
    }

    @Test("Screens that waited unseen are judged by when they were told")
    func waited() {
        for (apart, expected) in [(999, ["M"]), (1000, ["M", "A"])] as [(Int, [String])] {
            var device = TestDevice()
            var machine = ScreenMachine()
            machine.announcedUnseen(ScreenView(screen: .init(name: "M"), isManual: true), at: device.now)
            device.pass(.milliseconds(apart))
            machine.announcedUnseen(ScreenView(screen: .init(name: "A"), isManual: false), at: device.now)
            device.pass(.seconds(600))
            let names = machine.userArrived(at: device.now) { _ in true }.map { action in
                switch action {
                case .view(let view): view.screen.name
                }
            }
            #expect(names == expected)
        }
    }
}
