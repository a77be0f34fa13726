// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents

@testable internal import Collector

@Suite("When an alert fires")
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

    /// What is seen at each look, a minute apart: `+` it holds, `-` it does not, `?` nothing can be said. And what follows:
    /// `.` nothing, `F` it fires, `A` it is told again, `R` it is over.
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
        "looks lead to what is told, and to where it stands",
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
        var machine = AlertMachine()
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

    @Test("a wall clock that jumps changes nothing, and a long sleep counts for two looks at most")
    func clocks() {
        let settings = Self.settings(hold: 300)
        var machine = AlertMachine()
        _ = machine.evaluated(.measured(value: 1, holds: true), after: .zero, at: Self.now, settings)
        let later = Self.now.advanced(by: .seconds(10 * 86_400))
        #expect(machine.evaluated(.measured(value: 1, holds: true), after: .seconds(60), at: later, settings) == nil)
        #expect(machine.phase == .pending(held: .seconds(60)))
        let earlier = Timestamp(milliseconds: 0)
        #expect(machine.evaluated(.measured(value: 1, holds: true), after: .seconds(-5), at: earlier, settings) == nil)
        #expect(machine.phase == .pending(held: .seconds(60)))
        // The machine slept for a week: what happened meanwhile was not seen.
        let week = Duration.seconds(7 * 86_400)
        #expect(machine.evaluated(.measured(value: 1, holds: true), after: week, at: later, settings) == nil)
        #expect(machine.phase == .pending(held: .seconds(180)))
    }

    /// `!` it cannot be looked at, half an hour apart; `U` that is told, `K` that it is looked at again.
    @Test(
        "what cannot be looked at for an hour is told once, and that it is seen again as well",
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
        var machine = AlertMachine()
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

    private static let letters: [AlertMachine.Action: String] = [
        .fire: "F", .remind: "A", .resolve: "R", .lose: "U", .find: "K",
    ]

    @Test(
        "on any walk it begins and ceases to fire in turn, and never fires where the condition did not hold",
        arguments: 0..<200
    )
    func walk(_ seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        let settings = Self.settings(
            hold: [0, 60, 200, 600][Int(random.next() % 4)],
            keep: [0, 60, 200][Int(random.next() % 3)],
            again: random.next() % 2 == 0 ? nil : 300
        )
        var machine = AlertMachine()
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
            case .lose, .find: Issue.record("nobody said that it could not be looked at")
            case nil:
                // Whatever is long enough is told.
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
