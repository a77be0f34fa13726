// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorCore

@Suite("Alert state machine")
struct AlertMachineTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private static func settings(
        pendingFor: Int64 = 0,
        resolveAfter: Int64 = 0,
        repeatInterval: Int64? = nil,
        interval: Int64 = 60
    ) -> AlertSettings {
        AlertSettings(
            title: "a",
            condition: AlertCondition(.missing),
            interval: .seconds(interval),
            pendingFor: .seconds(pendingFor),
            resolveAfter: .seconds(resolveAfter),
            repeatInterval: repeatInterval.map { .seconds($0) }
        )
    }

    /// A sequence of checks with the expected actions and states.
    ///
    /// Checks are a minute apart: `+` the condition holds, `-` it does not, `?` it is unknown. Actions: `.` none,
    /// `F` fire, `A` remind, `R` resolve. States: `o` ok, `p` pending, `F` firing, `u` unknown.
    struct CheckSequence: Sendable, CustomTestStringConvertible {
        var outcomes: String
        var actions: String
        var states: String
        var pendingFor: Int64 = 0
        var resolveAfter: Int64 = 0
        var repeatInterval: Int64?
        var testDescription: String { "\(outcomes), pending for \(pendingFor), resolve after \(resolveAfter)" }
    }

    @Test(arguments: [
        CheckSequence(outcomes: "--+", actions: "..F", states: "ooF"),
        CheckSequence(outcomes: "+++--+", actions: "F..R.F", states: "FFFooF"),
        CheckSequence(outcomes: "+++", actions: ".F.", states: "pFF", pendingFor: 60),
        CheckSequence(outcomes: "++++", actions: "..F.", states: "ppFF", pendingFor: 61),
        CheckSequence(outcomes: "+-++", actions: "...F", states: "popF", pendingFor: 60),
        CheckSequence(outcomes: "+?++", actions: "...F", states: "pupF", pendingFor: 60),
        CheckSequence(outcomes: "?-?", actions: "...", states: "uou"),
        CheckSequence(outcomes: "+???-", actions: "F...R", states: "FFFFo"),
        CheckSequence(outcomes: "+--+---", actions: "F.....R", states: "FFFFFFo", resolveAfter: 120),
        CheckSequence(outcomes: "+-?--", actions: "F...R", states: "FFFFo", resolveAfter: 60),
        CheckSequence(outcomes: "++++++", actions: "F..A..", states: "FFFFFF", repeatInterval: 180),
        CheckSequence(
            outcomes: "++-+++",
            actions: "F..A..",
            states: "FFFFFF",
            resolveAfter: 120,
            repeatInterval: 180
        ),
        CheckSequence(outcomes: "++?+", actions: "F..A", states: "FFFF", repeatInterval: 180),
    ])
    func `checks produce the expected actions and states`(_ sequence: CheckSequence) {
        let settings = Self.settings(
            pendingFor: sequence.pendingFor,
            resolveAfter: sequence.resolveAfter,
            repeatInterval: sequence.repeatInterval
        )
        var machine = AlertStateMachine()
        var (actions, states) = ("", "")
        for (index, letter) in sequence.outcomes.enumerated() {
            let action = machine.handle(
                Self.outcome(letter),
                after: index == 0 ? .zero : .seconds(60),
                at: Self.now.advanced(by: .seconds(60 * index)),
                settings
            )
            actions += action.map { Self.letters[$0] ?? "!" } ?? "."
            states += ["ok": "o", "pending": "p", "firing": "F", "unknown": "u"][machine.state.rawValue] ?? "!"
        }
        #expect(actions == sequence.actions)
        #expect(states == sequence.states)
    }

    private static func outcome(_ letter: Character) -> AlertOutcome {
        switch letter {
        case "+": .measured(value: 1, holds: true)
        case "-": .measured(value: 0, holds: false)
        default: .unknown("no index")
        }
    }

    @Test
    func `a wall clock jump changes nothing, and a long sleep counts as at most two intervals`() {
        let settings = Self.settings(pendingFor: 300)
        var machine = AlertStateMachine()
        _ = machine.handle(.measured(value: 1, holds: true), after: .zero, at: Self.now, settings)
        let later = Self.now.advanced(by: .seconds(10 * 86_400))
        #expect(machine.handle(.measured(value: 1, holds: true), after: .seconds(60), at: later, settings) == nil)
        #expect(machine.phase == .pending(duration: .seconds(60)))
        let earlier = Timestamp(milliseconds: 0)
        #expect(machine.handle(.measured(value: 1, holds: true), after: .seconds(-5), at: earlier, settings) == nil)
        #expect(machine.phase == .pending(duration: .seconds(60)))
        // The computer slept for a week, during which the condition was not checked.
        let week = Duration.seconds(7 * 86_400)
        #expect(machine.handle(.measured(value: 1, holds: true), after: week, at: later, settings) == nil)
        #expect(machine.phase == .pending(duration: .seconds(180)))
    }

    /// Checks are half an hour apart: `!` cannot be checked. Actions: `U` reports that, `K` reports the recovery.
    @Test(arguments: [
        CheckSequence(outcomes: "-!!-", actions: "....", states: "ouuo"),
        CheckSequence(outcomes: "-!!!!!-", actions: "...U..K", states: "ouuuuuo"),
        CheckSequence(outcomes: "-!!!+", actions: "...UF", states: "ouuuF"),
        CheckSequence(outcomes: "+!!!+", actions: "F..UK", states: "FFFFF"),
        CheckSequence(outcomes: "+!!!-", actions: "F..UR", states: "FFFFo"),
        CheckSequence(outcomes: "!!!?-", actions: "..UK.", states: "uuuuo"),
        CheckSequence(outcomes: "!!?!!!!", actions: ".....U.", states: "uuuuuuu"),
        CheckSequence(outcomes: "????", actions: "....", states: "uuuu"),
        CheckSequence(outcomes: "-!!!-!!!", actions: "...UK..U", states: "ouuuouuu"),
    ])
    func `a condition that cannot be checked for an hour is reported once, and so is the recovery`(
        _ sequence: CheckSequence
    ) {
        let settings = Self.settings(interval: 1_800)
        var machine = AlertStateMachine()
        var (actions, states) = ("", "")
        for (index, letter) in sequence.outcomes.enumerated() {
            let outcome = letter == "!" ? AlertOutcome.notEvaluated("over budget") : Self.outcome(letter)
            let time = Self.now.advanced(by: .seconds(1_800 * index))
            let action = machine.handle(outcome, after: index == 0 ? .zero : .seconds(1_800), at: time, settings)
            actions += action.map { Self.letters[$0] ?? "!" } ?? "."
            states += ["ok": "o", "pending": "p", "firing": "F", "unknown": "u"][machine.state.rawValue] ?? "!"
            #expect((machine.failureReason == nil) == (letter == "+" || letter == "-"))
        }
        #expect(actions == sequence.actions)
        #expect(states == sequence.states)
    }

    private static let letters: [AlertStateMachine.Action: String] = [
        .fire: "F", .remind: "A", .resolve: "R", .reportUnknown: "U", .reportKnown: "K",
    ]

    @Test(arguments: 0..<200)
    func `in any random sequence an alert fires and resolves in turn, and never fires if the condition did not hold`(
        _ seed: Int
    ) {
        var random = SplitMix(state: UInt64(seed))
        let settings = Self.settings(
            pendingFor: [0, 60, 200, 600][Int(random.next() % 4)],
            resolveAfter: [0, 60, 200][Int(random.next() % 3)],
            repeatInterval: random.next() % 2 == 0 ? nil : 300
        )
        var machine = AlertStateMachine()
        var (isFiring, heldFor, clearFor, sinceNotification) = (false, Duration?.none, Duration?.none, Duration.zero)
        for step in 0..<400 {
            let elapsed = step == 0 ? Duration.zero : .seconds(Int64(random.next() % 100))
            let seen = "++-?"[Int(random.next() % 4)]
            let action = machine.handle(
                Self.outcome(seen),
                after: elapsed,
                at: Timestamp(milliseconds: Int64(random.next() % 1_000_000)),
                settings
            )
            sinceNotification += elapsed
            heldFor = seen == "+" ? heldFor.map { $0 + elapsed } ?? .zero : nil
            clearFor = seen == "-" ? clearFor.map { $0 + elapsed } ?? .zero : nil
            switch action {
            case .fire:
                #expect(!isFiring && (heldFor ?? .seconds(-1)) >= settings.pendingFor)
                (isFiring, sinceNotification) = (true, .zero)
            case .resolve:
                #expect(isFiring && (clearFor ?? .seconds(-1)) >= settings.resolveAfter)
                isFiring = false
            case .remind:
                #expect(isFiring && seen == "+" && sinceNotification >= .seconds(300))
                sinceNotification = .zero
            case .reportUnknown, .reportKnown: Issue.record("the condition could always be checked")
            case nil:
                // A condition that lasts long enough must be reported.
                #expect(isFiring || (heldFor ?? .seconds(-1)) < settings.pendingFor)
                #expect(!isFiring || (clearFor ?? .seconds(-1)) < settings.resolveAfter)
            }
            #expect((machine.state == .firing) == isFiring)
            #expect(machine.state != .unknown || seen == "?")
        }
    }
}

extension String {
    fileprivate subscript(_ index: Int) -> Character { self[self.index(startIndex, offsetBy: index)] }
}
