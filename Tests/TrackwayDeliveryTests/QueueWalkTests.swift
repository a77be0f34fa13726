// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayLifecycle
internal import TrackwayTesting

@Suite("Random walks of a queue and its delivery")
struct QueueWalkTests {
    private static let rules = [
        QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60)),
        QueuePolicy(uploadWhenMoreThan: 0),
        QueuePolicy(uploadWhenMoreThan: -1, uploadWhenOlderThan: .milliseconds(1)),
        QueuePolicy(uploadWhenMoreThan: 5, uploadWhenOlderThan: .seconds(3_600)),
        QueuePolicy(uploadWhenMoreThan: -1),
    ]

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `only released events are sent, every rule is detected, each event is settled once, and nothing spins`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var environment = QueueEnvironment(Self.rules[Int(seed) % Self.rules.count])
        let answers: [Verdict?] = [
            .accepted, .accepted, nil, .retry(after: nil, reason: "503"), .retry(after: .seconds(90), reason: "429"),
            .unauthorized(reason: "401"), .unrecognizedResponse(reason: "login"),
        ]
        for _ in 0..<5_000 {
            let roll = random.next()
            let jitter = Double(random.next() >> 11) * 0x1p-53
            let answer = answers[Int((roll >> 8) % UInt64(answers.count))]
            switch roll % 32 {
            case 0...3: environment.record(Int((roll >> 16) % 12))
            case 4...9: environment.pass(.milliseconds(Int64((roll >> 16) % 90_000)))
            case 10 where roll & 0x700 == 0: environment.flush()
            case 11 where roll & 0xf00 == 0: environment.restart(reboot: false)
            case 12 where roll & 0xf00 == 0:
                environment.restart(reboot: true, clock: .seconds(Int64((roll >> 16) % 7_200) - 3_600))
            case 13 where roll & 0x300 == 0: environment.diskWorks = roll & 0x8000 != 0
            case 14: environment.settleDown(jitter: jitter, answer: answer)
            default: environment.step(jitter: jitter, answer: answer)
            }
            if !environment.problems.isEmpty { break }
        }
        #expect(environment.problems == [])

        environment.diskWorks = true
        for _ in 0..<10_000 where environment.settled < environment.recorded {
            environment.flush()
            environment.settleDown(jitter: 0.5, answer: .accepted)
            environment.pass(.seconds(600))
        }
        #expect(environment.problems == [])
        #expect(environment.settled == environment.recorded)
    }
}
