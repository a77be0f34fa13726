// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("Signal state machine")
struct SignalStateMachineTests {
    static let stop: Int32 = 20
    static let resume: Int32 = 18
    static let end: Int32 = 15

    enum Input: Sendable, Hashable {
        case stop(owesDefault: Bool)
        case resume
        case end(owesDefault: Bool)
        case stopFinished
        case exit
    }

    static func run(_ inputs: [Input]) -> [SignalStateMachine.Action] {
        var machine = SignalStateMachine()
        return inputs.flatMap { apply($0, to: &machine) }
    }

    static func apply(_ input: Input, to machine: inout SignalStateMachine) -> [SignalStateMachine.Action] {
        switch input {
        case .stop(let owesDefault): machine.signalArrived(stop, kind: .stop, owesDefaultAction: owesDefault)
        case .resume: machine.signalArrived(resume, kind: .resume, owesDefaultAction: false)
        case .end(let owesDefault): machine.signalArrived(end, kind: .end, owesDefaultAction: owesDefault)
        case .stopFinished: machine.stopFinished()
        case .exit: machine.handleExit()
        }
    }

    @Test(
        arguments: [
            ([.stop(owesDefault: true)], [.report(.entersBackground), .finish(signal: stop)]),
            ([.stop(owesDefault: false)], [.report(.entersBackground)]),
            (
                [.stop(owesDefault: true), .stopFinished, .resume],
                [.report(.entersBackground), .finish(signal: stop), .report(.entersForeground)]
            ),
            (
                [.stop(owesDefault: true), .resume, .stopFinished],
                [.report(.entersBackground), .finish(signal: stop), .report(.entersForeground)]
            ),
            ([.resume], []),
            ([.end(owesDefault: true)], [.report(.terminates(signal: end)), .finish(signal: end)]),
            (
                [.end(owesDefault: false), .end(owesDefault: false)],
                [.report(.terminates(signal: end)), .report(.terminates(signal: end))]
            ),
            ([.exit, .exit], [.report(.exits)]),
            ([.exit, .end(owesDefault: true)], [.report(.exits), .finish(signal: end)]),
            ([.exit, .stop(owesDefault: true), .stopFinished], [.report(.exits), .finish(signal: stop)]),
            (
                [.stop(owesDefault: false), .stop(owesDefault: true)],
                [.report(.entersBackground), .finish(signal: stop)]
            ),
        ] as [([Input], [SignalStateMachine.Action])]
    )
    func `signals and exits produce reports and default actions`(
        _ inputs: [Input],
        _ expected: [SignalStateMachine.Action]
    ) {
        #expect(Self.run(inputs) == expected)
    }

    @Test(arguments: 0..<64)
    func `background and foreground alternate, and no event is reported after the exit`(_ seed: UInt64) {
        var generator = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        var machine = SignalStateMachine()
        var isBackground = false
        var hasExited = false
        for _ in 0..<200 {
            generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let draw = generator >> 33
            let owesDefault = draw & 64 == 0
            let input: Input =
                switch draw % 13 {
                case 0...3: .stop(owesDefault: owesDefault)
                case 4...7: .resume
                case 8...9: .end(owesDefault: owesDefault)
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
                    #expect(owesDefault)
                }
            }
        }
    }
}
