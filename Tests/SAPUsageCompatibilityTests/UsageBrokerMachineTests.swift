// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("Usage broker state machine")
struct UsageBrokerMachineTests {
    private static let day = 86_400.0
    private static let noon = 700_000_000.0

    private func now(
        _ time: Double = noon,
        days: Int = 1,
        follows: Bool = false,
        injects: Bool = false,
        stores: Bool = true,
        asks: Bool = true,
        sends: Bool = true,
        session: Bool = false
    ) -> UsageBrokerStateMachine.Circumstances {
        UsageBrokerStateMachine.Circumstances(
            now: time,
            source: "person/default",
            settings: .init(days: days, followsServer: follows, injectsSessions: injects),
            mayStore: stores,
            mayAsk: asks,
            maySend: sends,
            hasSession: session
        )
    }

    private func policy(_ days: Int, isOn: Bool = true) -> SAPcpmsUsagePolicy {
        var policy = SAPcpmsUsagePolicy()
        policy.dataCollectionEnabled = isOn
        policy.uploadDataAfterDays = days
        return policy
    }

    /// A row: the days since the last upload, and the days between uploads.
    struct Row: Sendable {
        let ago: Double?
        let days: Int
        let isDue: Bool
    }

    @Test(
        "an upload is due when the last one is old enough",
        arguments: [
            Row(ago: nil, days: 1, isDue: true), Row(ago: nil, days: 0, isDue: false),
            Row(ago: 0, days: 1, isDue: false), Row(ago: 0.999, days: 1, isDue: false),
            Row(ago: 1, days: 1, isDue: true), Row(ago: 1.001, days: 1, isDue: true),
            Row(ago: 6.9, days: 7, isDue: false), Row(ago: 7, days: 7, isDue: true),
            Row(ago: 365, days: 0, isDue: false), Row(ago: 36_499, days: 36_500, isDue: false),
            // Dated by a wrong clock: an upload must not wait indefinitely.
            Row(ago: -0.001, days: 1, isDue: true), Row(ago: -30_000, days: 7, isDue: true),
            Row(ago: -1, days: 0, isDue: false),
        ]
    )
    func due(_ row: Row) throws {
        var memory = UsageBrokerStateMachine.Memory()
        if let ago = row.ago { memory.uploads["person/default"] = Self.noon - ago * Self.day }
        memory.uploads["somebody/default"] = Self.noon
        // Also after a restart: this is the file's contents.
        memory = try JSONDecoder().decode(UsageBrokerStateMachine.Memory.self, from: JSONEncoder().encode(memory))
        for isStart in [true, false] {
            var machine = UsageBrokerStateMachine(memory, isInForeground: isStart)
            let present = now(days: row.days)
            let refused = now(days: row.days, sends: false)
            #expect((isStart ? machine.started(refused) : machine.enteredForeground(refused)).isEmpty)
            _ = machine.leftForeground(present)
            let actions = isStart ? machine.started(present) : machine.enteredForeground(present)
            let expected: [UsageBrokerStateMachine.Action] = row.isDue ? [.upload] : []
            #expect(actions == expected)
        }
    }

    @Test(
        "invalid numbers of days are clamped",
        arguments: [
            (0, 0), (-1, 0), (.min, 0), (1, 1), (36_500, 36_500), (36_501, 36_500), (.max, 36_500),
        ]
    )
    func bounds(_ given: Int, _ days: Int) {
        #expect(UsageBrokerStateMachine.Settings.bounded(given) == days)
    }

    @Test("a success counts from its end, and a failure is retried at the next occasion")
    func outcomes() {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        #expect(machine.started(now()) == [.upload])
        // Only one upload at a time.
        #expect(machine.leftForeground(now()).isEmpty)
        #expect(machine.enteredForeground(now()).isEmpty)
        #expect(machine.uploadEnded(isSuccess: false, now()).isEmpty)
        #expect(machine.leftForeground(now()).isEmpty)
        #expect(machine.enteredForeground(now()) == [.upload])
        #expect(machine.uploadEnded(isSuccess: true, now(Self.noon + 60)) == [.save])
        #expect(machine.memory.uploads == ["person/default": Self.noon + 60])
        for (time, isDue) in [(Self.day, false), (Self.day + 59, false), (Self.day + 60, true)] {
            _ = machine.leftForeground(now())
            #expect(machine.enteredForeground(now(Self.noon + time)) == (isDue ? [.upload] : []))
        }
        // The clock was set back during the upload.
        #expect(machine.uploadEnded(isSuccess: true, now(Self.noon - Self.day)) == [.save])
        #expect(machine.memory.uploads == ["person/default": Self.noon - Self.day])
    }

    @Test("the policy is requested first, overrides the app's days, and is saved")
    func policies() {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        #expect(machine.started(now(days: 0, follows: true)) == [.askForPolicy])
        #expect(machine.decided(now(days: 0, follows: true)).isEmpty)
        #expect(machine.policyArrived(policy(2), now(days: 0, follows: true)) == [.save, .apply(policy(2))])
        #expect(machine.policySettled(now(days: 0, follows: true)) == [.upload])
        #expect(machine.uploadEnded(isSuccess: true, now(follows: true)) == [.save])

        // In the next process without a network, the last policy received applies.
        var next = UsageBrokerStateMachine(machine.memory, isInForeground: true)
        #expect(next.started(now(Self.noon + 1.5 * Self.day, follows: true)) == [.askForPolicy])
        #expect(next.policyArrived(nil, now(Self.noon + 1.5 * Self.day, follows: true)).isEmpty)
        _ = next.leftForeground(now())
        #expect(next.enteredForeground(now(Self.noon + 2 * Self.day, follows: true)) == [.askForPolicy])
        #expect(next.policyArrived(nil, now(Self.noon + 2 * Self.day, follows: true)) == [.upload])
        // An app that no longer follows the policy uses its own days.
        #expect(next.uploadEnded(isSuccess: true, now(Self.noon + 2 * Self.day)) == [.save])
        _ = next.leftForeground(now())
        #expect(next.enteredForeground(now(Self.noon + 3 * Self.day)) == [.upload])
    }

    @Test("a policy of 0 days or without data collection ends uploads", arguments: [true, false])
    func off(_ isOn: Bool) {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        #expect(machine.started(now(follows: true)) == [.askForPolicy])
        let policy = policy(isOn ? 0 : 1, isOn: isOn)
        #expect(machine.policyArrived(policy, now(follows: true)) == [.save, .apply(policy)])
        #expect(machine.policySettled(now(follows: true, stores: isOn, sends: isOn)).isEmpty)
    }

    @Test("no policy is requested before the user consents, and consent triggers a request")
    func consent() {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        let before = now(follows: true, asks: false, sends: false)
        #expect(machine.started(before).isEmpty)
        #expect(machine.decided(before).isEmpty)
        #expect(machine.decided(now(follows: true, sends: false)) == [.askForPolicy])
        // Withdrawn before the response arrives.
        let policy = policy(1)
        #expect(machine.policyArrived(policy, before) == [.save, .apply(policy)])
        #expect(machine.policySettled(before).isEmpty)
        #expect(machine.decided(now(follows: true)) == [.askForPolicy])
    }

    @Test("a session lasts from entering the foreground to leaving it")
    func sessions() {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        #expect(machine.started(now(days: 0, injects: true)) == [.beginSession])
        #expect(machine.enteredForeground(now(days: 0, injects: true, session: true)).isEmpty)
        #expect(machine.leftForeground(now(days: 0, injects: true, session: true)) == [.endSession])
        // Systems report it twice, and once more before suspending.
        #expect(machine.leftForeground(now(days: 0, injects: true)).isEmpty)
        #expect(machine.enteredForeground(now(days: 0, injects: true)) == [.beginSession])
        // A session that the app began is ended, and no second one begins.
        #expect(machine.decided(now(days: 0, injects: true, session: true)).isEmpty)
        // Denied, then allowed again.
        #expect(machine.decided(now(days: 0, injects: true, stores: false)).isEmpty)
        #expect(machine.decided(now(days: 0, injects: true)) == [.beginSession])
        #expect(machine.leftForeground(now(days: 0, session: true)).isEmpty)

        var unseen = UsageBrokerStateMachine(isInForeground: false)
        #expect(unseen.started(now(days: 0, injects: true)).isEmpty)
        #expect(unseen.leftForeground(now(days: 0, injects: true, session: true)).isEmpty)
        #expect(unseen.enteredForeground(now(days: 0, injects: true)) == [.beginSession])
    }

    @Test("another process's uploads are merged, and the oldest of too many are dropped")
    func memory() {
        var machine = UsageBrokerStateMachine(.init(uploads: ["person/default": 5], days: 3), isInForeground: true)
        machine.remembered(.init(uploads: ["person/default": 9, "other/default": 1], days: nil))
        #expect(machine.memory == .init(uploads: ["person/default": 9, "other/default": 1], days: 3))
        machine.remembered(.init(uploads: ["person/default": 2], days: 4))
        #expect(machine.memory == .init(uploads: ["person/default": 9, "other/default": 1], days: 4))
        machine.remembered(.init(uploads: .init(uniqueKeysWithValues: (0..<100).map { ("\($0)", Double($0) + 10) })))
        #expect(machine.memory.uploads.count == UsageBrokerStateMachine.Memory.maximumSources)
        #expect(machine.memory.uploads.values.min() == 46)
    }

    @Test("in any order of events only one request runs at a time, and sessions do not overlap", arguments: 0..<200)
    func walk(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = UsageBrokerStateMachine(isInForeground: .random(using: &random))
        var (asking, uploading, session, time) = (false, false, false, Self.noon)
        for _ in 0..<200 {
            time += .random(in: -Self.day...2 * Self.day, using: &random)
            let now = now(
                time,
                days: .random(in: 0...2, using: &random),
                follows: .random(using: &random),
                injects: .random(using: &random),
                stores: .random(using: &random),
                asks: .random(using: &random),
                sends: .random(using: &random),
                session: session
            )
            let actions: [UsageBrokerStateMachine.Action]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: actions = machine.started(now)
            case 1: actions = machine.enteredForeground(now)
            case 2: actions = machine.leftForeground(now)
            case 3: actions = machine.decided(now)
            case 4 where asking:
                asking = false
                let first = machine.policyArrived(.random(using: &random) ? policy(1) : nil, now)
                actions = first.contains(.upload) ? first : first + machine.policySettled(now)
            case 5 where uploading:
                uploading = false
                actions = machine.uploadEnded(isSuccess: .random(using: &random), now)
            default: continue
            }
            for action in actions {
                switch action {
                case .askForPolicy:
                    #expect(!asking && !uploading && now.mayAsk)
                    asking = true
                case .upload:
                    #expect(!asking && !uploading && now.maySend)
                    uploading = true
                case .beginSession:
                    #expect(!session && now.mayStore)
                    session = true
                case .endSession:
                    #expect(session)
                    session = false
                case .apply, .save: continue
                }
            }
        }
    }
}
