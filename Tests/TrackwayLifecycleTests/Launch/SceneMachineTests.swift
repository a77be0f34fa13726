// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayLifecycle
import TrackwayTesting

@Suite("Scene changes and the app's lifecycle")
struct SceneMachineTests {
    private func changes(
        _ events: [(SceneMachine.Event, Int)],
        _ machine: inout SceneMachine
    ) -> [LifecycleChange] {
        events.flatMap { machine.handle($0, sceneID: $1) }
    }

    @Test
    func `a single scene's changes are the app's changes`() {
        var machine = SceneMachine()
        let came = changes([(.willEnterForeground, 1), (.didActivate, 1)], &machine)
        #expect(came == [.willEnterForeground, .didBecomeActive])
        #expect(changes([(.willDeactivate, 1), (.didActivate, 1)], &machine) == [.willResignActive, .didBecomeActive])
        let left = changes([(.willDeactivate, 1), (.didEnterBackground, 1)], &machine)
        #expect(left == [.willResignActive, .didEnterBackground])
        #expect(changes([(.didDisconnect, 1)], &machine).isEmpty)
    }

    @Test
    func
        `with two windows, the app is left with the second one, and closing one changes nothing while the other is used`()
    {
        var machine = SceneMachine()
        _ = changes([(.willEnterForeground, 1), (.didActivate, 1)], &machine)
        #expect(changes([(.willEnterForeground, 2), (.didActivate, 2)], &machine).isEmpty)
        #expect(machine.foregroundCount == 2)
        #expect(changes([(.willDeactivate, 1), (.didEnterBackground, 1), (.didDisconnect, 1)], &machine).isEmpty)
        #expect(changes([(.willDeactivate, 2)], &machine) == [.willResignActive])
        #expect(changes([(.didEnterBackground, 2)], &machine) == [.didEnterBackground])
    }

    @Test
    func `a scene removed in the app switcher leaves with only a disconnect notification`() {
        var machine = SceneMachine()
        _ = changes([(.willEnterForeground, 1), (.didActivate, 1)], &machine)
        #expect(changes([(.didDisconnect, 1)], &machine) == [.willResignActive, .didEnterBackground])
        #expect(machine.foregroundCount == 0)
    }

    @Test
    func `a scene that the system connects for its own use does not count as a return`() {
        var machine = SceneMachine()
        #expect(changes([(.didDisconnect, 1)], &machine).isEmpty)
        #expect(machine.handle(.didFinishLaunching) == [.didFinishLaunching])
    }

    @Test
    func `app notifications count until a scene is reported; then only launch, suspension and termination count`() {
        var machine = SceneMachine()
        for change in LifecycleChange.allCases { #expect(machine.handle(change) == [change]) }
        _ = machine.handle(.didActivate, sceneID: 1)
        for change in LifecycleChange.allCases {
            let counts = [.didFinishLaunching, .willSuspend, .willTerminate].contains(change)
            #expect(machine.handle(change) == (counts ? [change] : []))
        }
    }

    @Test
    func `a late listener first learns of a scene when it leaves`() {
        var machine = SceneMachine()
        let left = changes([(.willDeactivate, 1), (.didEnterBackground, 1)], &machine)
        #expect(left == [.willResignActive, .didEnterBackground])
        var other = SceneMachine()
        #expect(changes([(.didEnterBackground, 1)], &other) == [.didEnterBackground])
    }

    @Test(arguments: 0..<20)
    func `any sequence of scene changes gives a valid sequence of app changes`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var machine = SceneMachine()
        var state = AppState.background
        for _ in 0..<500 {
            let event = SceneMachine.Event.allCases.randomElement(using: &generator)!
            for change in machine.handle(event, sceneID: Int.random(in: 0..<4, using: &generator)) {
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
            #expect((state == .background) == (machine.foregroundCount == 0))
        }
    }
}
