// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayTesting

@Suite("Random walks of the upload machine")
struct UploadMachineWalkTests {
    /// A simulated back end that is healthy or fails in different ways.
    private struct BackEnd {
        enum Behavior: CaseIterable {
            case healthy, slow, busy, portal, closed, picky, byName, small
        }

        var behavior = Behavior.healthy
        /// Whether a selective back end rejects an event; true for one in twenty.
        func isPoison(_ event: Int) -> Bool { (event &* 0x9e37) % 20 == 7 }

        func answer(_ events: Range<Int>, roll: UInt64) -> Verdict? {
            switch behavior {
            case .healthy: return .accepted
            case .slow: return roll % 2 == 0 ? nil : .accepted
            case .busy: return .retry(after: roll % 3 == 0 ? .seconds(Int(roll % 5_000)) : nil, reason: "503")
            case .portal: return .unrecognizedResponse(reason: "login")
            case .closed: return roll % 2 == 0 ? .unauthorized(reason: "401") : .misconfigured(reason: "404")
            case .picky: return events.contains(where: isPoison) ? .rejected(reason: "400") : .accepted
            case .byName:
                let named = events.filter(isPoison).map {
                    Rejection(index: $0 - events.lowerBound, code: "bad", message: "")
                }
                // Sometimes the response names an event that was not sent.
                if roll % 17 == 0 {
                    return .acceptedExcept([Rejection(index: events.count, code: "bad", message: "")])
                }
                return named.isEmpty ? .accepted : .acceptedExcept(named)
            case .small: return events.count > 7 ? .tooLarge : .accepted
            }
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `guarantees hold at every step, and all events are settled in the end`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var environment = MachineEnvironment(limits: BatchLimits(events: 1 + Int(random.next() % 64)))
        var backEnd = BackEnd()
        for _ in 0..<4_000 {
            let roll = random.next()
            let jitter = Double(random.next() >> 11) * 0x1p-53
            switch roll % 64 {
            case 0: backEnd.behavior = BackEnd.Behavior.allCases[Int((roll >> 8) % 8)]
            case 1...5: environment.record(Int((roll >> 8) % 40), unnoticed: roll & 0x10000 == 0)
            case 6: environment.flush()
            case 7 where roll & 0x100 == 0:
                let now = environment.now
                environment.report { $0.destinationReplaced(limits: BatchLimits(events: 32), at: now) }
            case 8 where roll & 0x300 == 0:
                environment.report { $0.stopRequested() }
            case 9 where environment.machine.isStopped:
                let (pending, now) = (environment.pending, environment.now)
                environment.report {
                    $0.resumeRequested()
                    return $0.eventsPending(pending: pending, at: now)
                }
            case 10...14: environment.pass(.milliseconds(Int64((roll >> 8) % 20_000)))
            case 15: environment.advanceToWake()
            case 16: environment.abandonFlush()
            default:
                environment.step(jitter: jitter, disk: (roll >> 8) % 50 != 0) { backEnd.answer($0, roll: roll >> 16) }
            }
            if !environment.problems.isEmpty { break }
        }
        #expect(environment.problems == [])

        // The back end recovers, and flushes are requested.
        environment.settleDown { backEnd.answer($0, roll: 1) }
        backEnd.behavior = .picky
        let now = environment.now
        environment.report {
            $0.resumeRequested()
            return $0.destinationReplaced(limits: BatchLimits(events: 32), at: now)
        }
        for _ in 0..<10_000 where environment.pending > 0 {
            let (pending, now) = (environment.pending, environment.now)
            environment.report { $0.flushRequested(pending: pending, at: now) }
            environment.settleDown { backEnd.answer($0, roll: 1) }
            environment.advanceToWake()
        }
        #expect(environment.problems == [])
        #expect(environment.pending == 0)
        #expect(environment.outcomes.count == environment.recorded)
        for (event, fate) in environment.outcomes.enumerated() where fate == .deadLetter {
            #expect(backEnd.isPoison(event))
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a long run with a growing backlog violates no guarantee`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var environment = MachineEnvironment()
        for _ in 0..<2_000 {
            environment.record(1_000)
            environment.settleDown { _ in
                random.next() % 2 == 0 ? .retry(after: nil, reason: "503") : .rejected(reason: "400")
            }
            environment.advanceToWake()
        }
        #expect(environment.problems == [])
    }
}
