// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents

@testable internal import Collector

@Suite("Alert state machine")
struct AlertMachineTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private static func settings(
        hold: Int64 = 0,
        keep: Int64 = 0,
        again: Int64? = nil,
        every: Int64 = 60
    ) -> AlertSettings {
        AlertSettings(
            title: "a",
            condition: AlertCondition(.missing),
            every: .seconds(every),
            hold: .seconds(hold),
            keep: .seconds(keep),
            again: again.map { .seconds($0) }
        )
    }

    /// A sequence of checks with the expected actions and states.
    ///
    /// Checks are a minute apart: `+` the condition holds, `-` it does not, `?` it is unknown. Actions: `.` none,
    /// `F` fire, `A` remind, `R` resolve. States: `o` ok, `p` pending, `F` firing, `u` unknown.
    struct Story: Sendable, CustomTestStringConvertible {
        var seen: String
        var told: String
        var states: String
        var hold: Int64 = 0
        var keep: Int64 = 0
        var again: Int64?
        var testDescription: String { "\(seen) for \(hold) keep \(keep)" }
    }

    @Test(
        "checks give the expected actions and states",
        arguments: [
            Story(seen: "--+", told: "..F", states: "ooF"),
            Story(seen: "+++--+", told: "F..R.F", states: "FFFooF"),
            Story(seen: "+++", told: ".F.", states: "pFF", hold: 60),
            Story(seen: "++++", told: "..F.", states: "ppFF", hold: 61),
            Story(seen: "+-++", told: "...F", states: "popF", hold: 60),
            Story(seen: "+?++", told: "...F", states: "pupF", hold: 60),
            Story(seen: "?-?", told: "...", states: "uou"),
            Story(seen: "+???-", told: "F...R", states: "FFFFo"),
            Story(seen: "+--+---", told: "F.....R", states: "FFFFFFo", keep: 120),
            Story(seen: "+-?--", told: "F...R", states: "FFFFo", keep: 60),
            Story(seen: "++++++", told: "F..A..", states: "FFFFFF", again: 180),
            Story(seen: "++-+++", told: "F..A..", states: "FFFFFF", keep: 120, again: 180),
            Story(seen: "++?+", told: "F..A", states: "FFFF", again: 180),
        ]
    )
    func table(_ story: Story) {
        let settings = Self.settings(hold: story.hold, keep: story.keep, again: story.again)
        var machine = AlertStateMachine()
        var (told, states) = ("", "")
        for (index, letter) in story.seen.enumerated() {
            let action = machine.evaluated(
                Self.outcome(letter),
                after: index == 0 ? .zero : .seconds(60),
                at: Self.now.advanced(by: .seconds(60 * index)),
                settings
            )
            told += action.map { Self.letters[$0] ?? "!" } ?? "."
            states += ["ok": "o", "pending": "p", "firing": "F", "unknown": "u"][machine.state.rawValue] ?? "!"
        }
        #expect(told == story.told)
        #expect(states == story.states)
    }

    private static func outcome(_ letter: Character) -> AlertOutcome {
        switch letter {
        case "+": .measured(value: 1, holds: true)
        case "-": .measured(value: 0, holds: false)
        default: .unknown("no index")
        }
    }

    @Test("a wall clock jump changes nothing, and a long sleep counts as at most two intervals")
    func clocks() {
        let settings = Self.settings(hold: 300)
        var machine = AlertStateMachine()
        _ = machine.evaluated(.measured(value: 1, holds: true), after: .zero, at: Self.now, settings)
        let later = Self.now.advanced(by: .seconds(10 * 86_400))
        #expect(machine.evaluated(.measured(value: 1, holds: true), after: .seconds(60), at: later, settings) == nil)
        #expect(machine.phase == .pending(held: .seconds(60)))
        let earlier = Timestamp(milliseconds: 0)
        #expect(machine.evaluated(.measured(value: 1, holds: true), after: .seconds(-5), at: earlier, settings) == nil)
        #expect(machine.phase == .pending(held: .seconds(60)))
        // The computer slept for a week, during which the condition was not checked.
        let week = Duration.seconds(7 * 86_400)
        #expect(machine.evaluated(.measured(value: 1, holds: true), after: week, at: later, settings) == nil)
        #expect(machine.phase == .pending(held: .seconds(180)))
    }

    /// Checks are half an hour apart: `!` cannot be checked. Actions: `U` reports that, `K` reports the recovery.
    @Test(
        "a condition that cannot be checked for an hour is reported once, and so is the recovery",
        arguments: [
            Story(seen: "-!!-", told: "....", states: "ouuo"),
            Story(seen: "-!!!!!-", told: "...U..K", states: "ouuuuuo"),
            Story(seen: "-!!!+", told: "...UF", states: "ouuuF"),
            Story(seen: "+!!!+", told: "F..UK", states: "FFFFF"),
            Story(seen: "+!!!-", told: "F..UR", states: "FFFFo"),
            Story(seen: "!!!?-", told: "..UK.", states: "uuuuo"),
            Story(seen: "!!?!!!!", told: ".....U.", states: "uuuuuuu"),
            Story(seen: "????", told: "....", states: "uuuu"),
            Story(seen: "-!!!-!!!", told: "...UK..U", states: "ouuuouuu"),
        ]
    )
    func unseen(_ story: Story) {
        let settings = Self.settings(every: 1_800)
        var machine = AlertStateMachine()
        var (told, states) = ("", "")
        for (index, letter) in story.seen.enumerated() {
            let outcome = letter == "!" ? AlertOutcome.unseen("over budget") : Self.outcome(letter)
            let time = Self.now.advanced(by: .seconds(1_800 * index))
            let action = machine.evaluated(outcome, after: index == 0 ? .zero : .seconds(1_800), at: time, settings)
            told += action.map { Self.letters[$0] ?? "!" } ?? "."
            states += ["ok": "o", "pending": "p", "firing": "F", "unknown": "u"][machine.state.rawValue] ?? "!"
            #expect((machine.trouble == nil) == (letter == "+" || letter == "-"))
        }
        #expect(told == story.told)
        #expect(states == story.states)
    }

    private static let letters: [AlertStateMachine.Action: String] = [
        .fire: "F", .remind: "A", .resolve: "R", .lose: "U", .find: "K",
    ]

    @Test(
        "in any random sequence an alert fires and resolves in turn, and never fires if the condition did not hold",
        arguments: 0..<200
    )
    func walk(_ seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        let settings = Self.settings(
            hold: [0, 60, 200, 600][Int(random.next() % 4)],
            keep: [0, 60, 200][Int(random.next() % 3)],
            again: random.next() % 2 == 0 ? nil : 300
        )
        var machine = AlertStateMachine()
        var (isFiring, heldFor, clearFor, toldAgo) = (false, Duration?.none, Duration?.none, Duration.zero)
        for step in 0..<400 {
            let elapsed = step == 0 ? Duration.zero : .seconds(Int64(random.next() % 100))
            let seen = "++-?"[Int(random.next() % 4)]
            let action = machine.evaluated(
                Self.outcome(seen),
                after: elapsed,
                at: Timestamp(milliseconds: Int64(random.next() % 1_000_000)),
                settings
            )
            toldAgo += elapsed
            heldFor = seen == "+" ? heldFor.map { $0 + elapsed } ?? .zero : nil
            clearFor = seen == "-" ? clearFor.map { $0 + elapsed } ?? .zero : nil
            switch action {
            case .fire:
                #expect(!isFiring && (heldFor ?? .seconds(-1)) >= settings.hold)
                (isFiring, toldAgo) = (true, .zero)
            case .resolve:
                #expect(isFiring && (clearFor ?? .seconds(-1)) >= settings.keep)
                isFiring = false
            case .remind:
                #expect(isFiring && seen == "+" && toldAgo >= .seconds(300))
                toldAgo = .zero
            case .lose, .find: Issue.record("the condition could always be checked")
            case nil:
                // A condition that lasts long enough must be reported.
                #expect(isFiring || (heldFor ?? .seconds(-1)) < settings.hold)
                #expect(!isFiring || (clearFor ?? .seconds(-1)) < settings.keep)
            }
            #expect((machine.state == .firing) == isFiring)
            #expect(machine.state != .unknown || seen == "?")
        }
    }
}

extension String {
    fileprivate subscript(_ index: Int) -> Character { self[self.index(startIndex, offsetBy: index)] }
}
