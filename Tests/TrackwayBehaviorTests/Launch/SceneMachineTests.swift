// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayTesting

@Suite("Scene changes and the app's lifecycle")
struct SceneMachineTests {
    private func changes(
        _ events: [(SceneMachine.Event, Int)],
        _ machine: inout SceneMachine
    ) -> [LifeCycleChange] {
        events.flatMap { machine.happened($0, to: $1) }
    }

    @Test("a single scene's changes are the app's changes")
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
        "with two windows, the app is left with the second one, and closing one changes nothing while the other is used"
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

    @Test("a scene removed in the app switcher leaves with only a disconnect notification")
    func thrownOut() {
        var machine = SceneMachine()
        _ = changes([(.willEnterForeground, 1), (.didActivate, 1)], &machine)
        #expect(changes([(.didDisconnect, 1)], &machine) == [.willResignActive, .didEnterBackground])
        #expect(machine.inFront == 0)
    }

    @Test("a scene that the system connects for its own use does not count as a return")
    func unseen() {
        var machine = SceneMachine()
        #expect(changes([(.didDisconnect, 1)], &machine).isEmpty)
        #expect(machine.happened(.didFinishLaunching) == [.didFinishLaunching])
    }

    @Test("app notifications count until a scene is reported, and then only launch, suspension and termination")
    func applications() {
        var machine = SceneMachine()
        for change in LifeCycleChange.allCases { #expect(machine.happened(change) == [change]) }
        _ = machine.happened(.didActivate, to: 1)
        for change in LifeCycleChange.allCases {
            let counts = [.didFinishLaunching, .willSuspend, .willTerminate].contains(change)
            #expect(machine.happened(change) == (counts ? [change] : []))
        }
    }

    @Test("a late listener first learns of a scene when it leaves")
    func late() {
        var machine = SceneMachine()
        let left = changes([(.willDeactivate, 1), (.didEnterBackground, 1)], &machine)
        #expect(left == [.willResignActive, .didEnterBackground])
        var other = SceneMachine()
        #expect(changes([(.didEnterBackground, 1)], &other) == [.didEnterBackground])
    }

    @Test("any sequence of scene changes gives a valid sequence of app changes", arguments: 0..<20)
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
                    Issue.record("scenes must not cause \(change)")
                }
            }
            #expect((state == .background) == (machine.inFront == 0))
        }
    }
}
