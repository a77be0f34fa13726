// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayTesting

@Suite("Scenes, and what they mean to the app")
struct SceneMachineTests {
    private func changes(
        _ events: [(SceneMachine.Event, Int)],
        _ machine: inout SceneMachine
    ) -> [LifeCycleChange] {
        events.flatMap { machine.happened($0, to: $1) }
    }

    @Test("One scene lives as the app does")
    func one() {
        var machine = SceneMachine()
        let came = changes([(.willEnterForeground, 1), (.didActivate, 1)], &machine)
        #expect(came == [.willEnterForeground, .didBecomeActive])
        #expect(changes([(.willDeactivate, 1), (.didActivate, 1)], &machine) == [.willResignActive, .didBecomeActive])
        let left = changes([(.willDeactivate, 1), (.didEnterBackground, 1)], &machine)
        #expect(left == [.willResignActive, .didEnterBackground])
        #expect(changes([(.didDisconnect, 1)], &machine).isEmpty)
    }

    @Test(
        "Two windows: the app is left when the second one is, and closing one changes nothing while the other is used"
    )
    func two() {
        var machine = SceneMachine()
        _ = changes([(.willEnterForeground, 1), (.didActivate, 1)], &machine)
        #expect(changes([(.willEnterForeground, 2), (.didActivate, 2)], &machine).isEmpty)
        #expect(machine.inFront == 2)
        #expect(changes([(.willDeactivate, 1), (.didEnterBackground, 1), (.didDisconnect, 1)], &machine).isEmpty)
        #expect(changes([(.willDeactivate, 2)], &machine) == [.willResignActive])
        #expect(changes([(.didEnterBackground, 2)], &machine) == [.didEnterBackground])
    }

    @Test("A scene that is thrown out of the switcher leaves without a word but this one")
    func thrownOut() {
        var machine = SceneMachine()
        _ = changes([(.willEnterForeground, 1), (.didActivate, 1)], &machine)
        #expect(changes([(.didDisconnect, 1)], &machine) == [.willResignActive, .didEnterBackground])
        #expect(machine.inFront == 0)
    }

    @Test("A scene that is connected for the system's own sake is no return")
    func unseen() {
        var machine = SceneMachine()
        #expect(changes([(.didDisconnect, 1)], &machine).isEmpty)
        #expect(machine.happened(.didFinishLaunching) == [.didFinishLaunching])
    }

    @Test("What the system says of the app counts until a scene is heard of, and then only its launch and its end")
    func applications() {
        var machine = SceneMachine()
        for change in LifeCycleChange.allCases { #expect(machine.happened(change) == [change]) }
        _ = machine.happened(.didActivate, to: 1)
        for change in LifeCycleChange.allCases {
            let counts = [.didFinishLaunching, .willSuspend, .willTerminate].contains(change)
            #expect(machine.happened(change) == (counts ? [change] : []))
        }
    }

    @Test("Who listens late hears of a scene first as it leaves")
    func late() {
        var machine = SceneMachine()
        let left = changes([(.willDeactivate, 1), (.didEnterBackground, 1)], &machine)
        #expect(left == [.willResignActive, .didEnterBackground])
        var other = SceneMachine()
        #expect(changes([(.didEnterBackground, 1)], &other) == [.didEnterBackground])
    }

    @Test("Whatever scenes do, the app's changes are a life: no state is entered twice", arguments: 0..<20)
    func walk(seed: Int) {
        var chance = SeededGenerator(seed: UInt64(seed))
        var machine = SceneMachine()
        var state = AppState.background
        for _ in 0..<500 {
            let event = SceneMachine.Event.allCases.randomElement(using: &chance)!
            for change in machine.happened(event, to: Int.random(in: 0..<4, using: &chance)) {
                switch change {
                case .willEnterForeground:
                    #expect(state == .background)
                    state = .inactive
                case .didBecomeActive:
                    #expect(state == .inactive)
                    state = .active
                case .willResignActive:
                    #expect(state == .active || state == .background)
                    state = .inactive
                case .didEnterBackground:
                    #expect(state == .inactive || state == .background)
                    state = .background
                case .didFinishLaunching, .willSuspend, .willTerminate:
                    Issue.record("no scene says \(change)")
                }
            }
            #expect((state == .background) == (machine.inFront == 0))
        }
    }
}
