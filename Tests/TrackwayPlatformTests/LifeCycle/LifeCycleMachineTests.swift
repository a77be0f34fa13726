// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("Life cycle state machine")
struct LifeCycleMachineTests {
    static let stop: Int32 = 20
    static let resume: Int32 = 18
    static let end: Int32 = 15

    enum Input: Sendable, Hashable {
        case stop(left: Bool)
        case resume
        case end(left: Bool)
        case stopFinished
        case exit
    }

    static func run(_ inputs: [Input]) -> [LifeCycleStateMachine.Action] {
        var machine = LifeCycleStateMachine()
        return inputs.flatMap { apply($0, to: &machine) }
    }

    static func apply(_ input: Input, to machine: inout LifeCycleStateMachine) -> [LifeCycleStateMachine.Action] {
        switch input {
        case .stop(let left): machine.signalArrived(stop, kind: .stop, owesDefaultAction: left)
        case .resume: machine.signalArrived(resume, kind: .resume, owesDefaultAction: false)
        case .end(let left): machine.signalArrived(end, kind: .end, owesDefaultAction: left)
        case .stopFinished: machine.stopFinished()
        case .exit: machine.handleExit()
        }
    }

    @Test(
        "signals and exits produce reports and default actions",
        arguments: [
            ([.stop(left: true)], [.report(.entersBackground), .finish(signal: stop)]),
            ([.stop(left: false)], [.report(.entersBackground)]),
            (
                [.stop(left: true), .stopFinished, .resume],
                [.report(.entersBackground), .finish(signal: stop), .report(.entersForeground)]
            ),
            (
                [.stop(left: true), .resume, .stopFinished],
                [.report(.entersBackground), .finish(signal: stop), .report(.entersForeground)]
            ),
            ([.resume], []),
            ([.end(left: true)], [.report(.terminates(signal: end)), .finish(signal: end)]),
            (
                [.end(left: false), .end(left: false)],
                [.report(.terminates(signal: end)), .report(.terminates(signal: end))]
            ),
            ([.exit, .exit], [.report(.exits)]),
            ([.exit, .end(left: true)], [.report(.exits), .finish(signal: end)]),
            ([.exit, .stop(left: true), .stopFinished], [.report(.exits), .finish(signal: stop)]),
            (
                [.stop(left: false), .stop(left: true)],
                [.report(.entersBackground), .finish(signal: stop)]
            ),
        ] as [([Input], [LifeCycleStateMachine.Action])]
    )
    func table(_ inputs: [Input], _ expected: [LifeCycleStateMachine.Action]) {
        #expect(Self.run(inputs) == expected)
    }

    @Test("background and foreground alternate, and no event is reported after the exit", arguments: 0..<64)
    func randomWalk(_ seed: UInt64) {
        var chance = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        var machine = LifeCycleStateMachine()
        var isBackground = false
        var hasExited = false
        for _ in 0..<200 {
            chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let draw = chance >> 33
            let left = draw & 64 == 0
            let input: Input =
                switch draw % 13 {
                case 0...3: .stop(left: left)
                case 4...7: .resume
                case 8...9: .end(left: left)
                case 10...11: .stopFinished
                default: draw % 50 == 12 ? .exit : .resume
                }
            for action in Self.apply(input, to: &machine) {
                switch action {
                case .report(.entersBackground):
                    #expect(!isBackground && !hasExited)
                    isBackground = true
                case .report(.entersForeground):
                    #expect(isBackground && !hasExited)
                    isBackground = false
                case .report(.terminates):
                    #expect(!hasExited)
                case .report(.exits):
                    #expect(!hasExited)
                    hasExited = true
                case .finish:
                    #expect(left)
                }
            }
        }
    }
}
