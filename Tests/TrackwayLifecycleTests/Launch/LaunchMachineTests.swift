// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("App starts and exits")
struct LaunchMachineTests {
    /// A state of the machine, and how to reach it.
    enum Situation: String, CaseIterable {
        case neverRan
        case inactive
        case active
        case interrupted
        case launchedInBackground
        case background
        case suspended
        case ending

        var machine: LaunchMachine {
            var machine = LaunchMachine()
            let time = TestDevice().now
            func report(_ changes: LifecycleChange...) {
                for change in changes { _ = machine.lifecycleChanged(change, at: time) }
            }
            switch self {
            case .neverRan: break
            case .inactive: _ = machine.processStarted(in: .inactive, at: time)
            case .active: _ = machine.processStarted(in: .active, at: time)
            case .interrupted:
                _ = machine.processStarted(in: .active, at: time)
                report(.willResignActive)
            case .launchedInBackground: _ = machine.processStarted(in: .background, at: time)
            case .background:
                _ = machine.processStarted(in: .inactive, at: time)
                report(.didBecomeActive, .willResignActive, .didEnterBackground)
            case .suspended:
                _ = machine.processStarted(in: .active, at: time)
                report(.willResignActive, .didEnterBackground, .willSuspend)
            case .ending:
                _ = machine.processStarted(in: .active, at: time)
                report(.willTerminate)
            }
            return machine
        }
    }

    enum ReportedAction: String {
        case nothing
        case hotStart
        case exit
    }

    private static let table: [(Situation, LifecycleChange, AppState, ReportedAction)] = [
        (.neverRan, .didFinishLaunching, .notRunning, .nothing),
        (.neverRan, .didBecomeActive, .notRunning, .nothing),
        (.neverRan, .willResignActive, .notRunning, .nothing),
        (.neverRan, .didEnterBackground, .notRunning, .nothing),
        (.neverRan, .willEnterForeground, .notRunning, .nothing),
        (.neverRan, .willSuspend, .notRunning, .nothing),
        (.neverRan, .willTerminate, .notRunning, .nothing),

        (.inactive, .didFinishLaunching, .inactive, .nothing),
        (.inactive, .didBecomeActive, .active, .nothing),
        (.inactive, .willResignActive, .inactive, .nothing),
        (.inactive, .didEnterBackground, .background, .exit),
        (.inactive, .willEnterForeground, .inactive, .nothing),
        (.inactive, .willSuspend, .suspended, .exit),
        (.inactive, .willTerminate, .notRunning, .exit),

        (.active, .didFinishLaunching, .active, .nothing),
        (.active, .didBecomeActive, .active, .nothing),
        (.active, .willResignActive, .inactive, .nothing),
        (.active, .didEnterBackground, .background, .exit),
        (.active, .willEnterForeground, .active, .nothing),
        (.active, .willSuspend, .suspended, .exit),
        (.active, .willTerminate, .notRunning, .exit),

        (.interrupted, .didFinishLaunching, .inactive, .nothing),
        (.interrupted, .didBecomeActive, .active, .nothing),
        (.interrupted, .willResignActive, .inactive, .nothing),
        (.interrupted, .didEnterBackground, .background, .exit),
        (.interrupted, .willEnterForeground, .inactive, .nothing),
        (.interrupted, .willSuspend, .suspended, .exit),
        (.interrupted, .willTerminate, .notRunning, .exit),

        (.launchedInBackground, .didFinishLaunching, .background, .nothing),
        (.launchedInBackground, .didBecomeActive, .active, .hotStart),
        (.launchedInBackground, .willResignActive, .background, .nothing),
        (.launchedInBackground, .didEnterBackground, .background, .nothing),
        (.launchedInBackground, .willEnterForeground, .background, .nothing),
        (.launchedInBackground, .willSuspend, .suspended, .nothing),
        (.launchedInBackground, .willTerminate, .notRunning, .nothing),

        (.background, .didFinishLaunching, .background, .nothing),
        (.background, .didBecomeActive, .active, .hotStart),
        (.background, .willResignActive, .background, .nothing),
        (.background, .didEnterBackground, .background, .nothing),
        (.background, .willEnterForeground, .background, .nothing),
        (.background, .willSuspend, .suspended, .nothing),
        (.background, .willTerminate, .notRunning, .nothing),

        (.suspended, .didFinishLaunching, .suspended, .nothing),
        (.suspended, .didBecomeActive, .active, .hotStart),
        (.suspended, .willResignActive, .suspended, .nothing),
        (.suspended, .didEnterBackground, .suspended, .nothing),
        (.suspended, .willEnterForeground, .background, .nothing),
        (.suspended, .willSuspend, .suspended, .nothing),
        (.suspended, .willTerminate, .notRunning, .nothing),

        (.ending, .didFinishLaunching, .notRunning, .nothing),
        (.ending, .didBecomeActive, .active, .hotStart),
        (.ending, .willResignActive, .notRunning, .nothing),
        (.ending, .didEnterBackground, .notRunning, .nothing),
        (.ending, .willEnterForeground, .notRunning, .nothing),
        (.ending, .willSuspend, .notRunning, .nothing),
        (.ending, .willTerminate, .notRunning, .nothing),
    ]

    @Test
    func `the transition table has a row for every change in every situation`() {
        let rows = Set(Self.table.map { "\($0.0) \($0.1)" })
        #expect(rows.count == Situation.allCases.count * LifecycleChange.allCases.count)
        #expect(rows.count == Self.table.count)
    }

    @Test(arguments: table)
    func `a change leads to the state and events in the table, even if the machine was saved and restored before`(
        situation: Situation,
        change: LifecycleChange,
        state: AppState,
        told: ReportedAction
    ) throws {
        for machine in [situation.machine, try reloaded(situation.machine)] {
            var machine = machine
            var device = TestDevice()
            device.pass(.seconds(7))
            let actions = machine.lifecycleChanged(change, at: device.now)
            #expect(machine.appState == state)
            switch told {
            case .nothing: #expect(actions.isEmpty)
            case .hotStart:
                let start = LaunchMachine.Start(
                    kind: .hot,
                    isFirstOfProcess: situation == .launchedInBackground,
                    isFirstEver: false,
                    resumedFromBackground: true
                )
                #expect(actions == [.start(start)])
            case .exit:
                #expect(actions == [.exit(.init(duration: .seconds(7), at: device.now, isRecovered: false))])
            }
        }
    }

    @Test(
        arguments: AppState.allCases,
        Situation.allCases
    )
    func `a process start has the right kind for its state, after a process that ended in any situation`(
        state: AppState,
        before: Situation
    ) throws {
        var machine = before.machine
        var device = TestDevice()
        let left = device.now
        device.restart()
        let actions = machine.processStarted(in: state, at: device.now)
        let isInBackground = state == .background || state == .suspended
        let start = LaunchMachine.Start(
            kind: isInBackground ? .passive : .cold,
            isFirstOfProcess: !isInBackground,
            isFirstEver: before == .neverRan,
            resumedFromBackground: false
        )
        let wasSeen = [.inactive, .active, .interrupted].contains(before)
        let exits: [LaunchMachine.Action] =
            wasSeen ? [.exit(.init(duration: .zero, at: left, isRecovered: true))] : []
        #expect(actions == exits + [.start(start)])
        #expect(machine.isInForeground == !isInBackground)
        #expect(machine.appState == (isInBackground ? .background : state == .active ? .active : .inactive))
    }

    @Test
    func `a killed process's exit is dated to the last time the process was known to run`() {
        var device = TestDevice()
        var machine = LaunchMachine()
        _ = machine.processStarted(in: .active, at: device.now)
        device.pass(.seconds(60))
        machine.noteRunning(at: device.now)
        let last = device.now
        device.pass(.seconds(20))
        let exit = LaunchMachine.Exit(duration: .seconds(60), at: last, isRecovered: true)
        #expect(machine.processStarted(in: .active, at: device.now).first == .exit(exit))
    }

    @Test(arguments: [LifecycleChange.willResignActive, .didBecomeActive])
    func `every change shows that the process is still running`(change: LifecycleChange) {
        var device = TestDevice()
        var machine = LaunchMachine()
        _ = machine.processStarted(in: .inactive, at: device.now)
        device.pass(.seconds(3))
        _ = machine.lifecycleChanged(change, at: device.now)
        let exit = LaunchMachine.Exit(duration: .seconds(3), at: device.now, isRecovered: true)
        device.pass(.seconds(3))
        #expect(machine.processStarted(in: .active, at: device.now).first == .exit(exit))
    }

    @Test
    func `a duration excludes background time and includes time without events`() {
        var device = TestDevice()
        var machine = LaunchMachine()
        func report(_ change: LifecycleChange, after duration: Duration) -> [LaunchMachine.Action] {
            device.pass(duration)
            return machine.lifecycleChanged(change, at: device.now)
        }
        _ = machine.processStarted(in: .inactive, at: device.now)
        _ = report(.didBecomeActive, after: .seconds(1))
        _ = report(.willResignActive, after: .seconds(10))
        _ = report(.didBecomeActive, after: .seconds(100))
        _ = report(.willResignActive, after: .seconds(1000))
        let first = report(.didEnterBackground, after: .seconds(2))
        #expect(first == [.exit(.init(duration: .seconds(1113), at: device.now, isRecovered: false))])
        _ = report(.willEnterForeground, after: .seconds(5000))
        _ = report(.didBecomeActive, after: .seconds(1))
        let second = report(.didEnterBackground, after: .seconds(4))
        #expect(second == [.exit(.init(duration: .seconds(4), at: device.now, isRecovered: false))])
    }

    @Test(arguments: [-86_400_000, -1, 1, 86_400_000])
    func `setting the wall clock does not change a duration`(by milliseconds: Int64) {
        var device = TestDevice()
        var machine = LaunchMachine()
        _ = machine.processStarted(in: .active, at: device.now)
        device.pass(.seconds(5))
        device.wall = device.wall.advanced(by: .milliseconds(milliseconds))
        let actions = machine.lifecycleChanged(.didEnterBackground, at: device.now)
        #expect(actions == [.exit(.init(duration: .seconds(5), at: device.now, isRecovered: false))])
    }
}
