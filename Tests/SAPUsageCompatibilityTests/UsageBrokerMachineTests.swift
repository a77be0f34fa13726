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

    private func makeConditions(
        _ time: Double = noon,
        days: Int = 1,
        follows: Bool = false,
        injects: Bool = false,
        stores: Bool = true,
        asks: Bool = true,
        sends: Bool = true,
        session: Bool = false
    ) -> UsageBrokerStateMachine.Conditions {
        UsageBrokerStateMachine.Conditions(
            now: time,
            source: "person/default",
            settings: .init(days: days, followsServer: follows, injectsSessions: injects),
            canStore: stores,
            canRequest: asks,
            canSend: sends,
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

    @Test(arguments: [
        Row(ago: nil, days: 1, isDue: true), Row(ago: nil, days: 0, isDue: false),
        Row(ago: 0, days: 1, isDue: false), Row(ago: 0.999, days: 1, isDue: false),
        Row(ago: 1, days: 1, isDue: true), Row(ago: 1.001, days: 1, isDue: true),
        Row(ago: 6.9, days: 7, isDue: false), Row(ago: 7, days: 7, isDue: true),
        Row(ago: 365, days: 0, isDue: false), Row(ago: 36_499, days: 36_500, isDue: false),
        // These dates come from a wrong clock: an upload must not wait indefinitely.
        Row(ago: -0.001, days: 1, isDue: true), Row(ago: -30_000, days: 7, isDue: true),
        Row(ago: -1, days: 0, isDue: false),
    ])
    func `an upload is due when the last one is old enough`(_ row: Row) throws {
        var memory = UsageBrokerStateMachine.Memory()
        if let ago = row.ago { memory.uploads["person/default"] = Self.noon - ago * Self.day }
        memory.uploads["somebody/default"] = Self.noon
        // The same applies after a restart, which reads the file's contents.
        memory = try JSONDecoder().decode(UsageBrokerStateMachine.Memory.self, from: JSONEncoder().encode(memory))
        for isStart in [true, false] {
            var machine = UsageBrokerStateMachine(memory, isInForeground: isStart)
            let conditions = makeConditions(days: row.days)
            let refused = makeConditions(days: row.days, sends: false)
            #expect((isStart ? machine.start(refused) : machine.enterForeground(refused)).isEmpty)
            _ = machine.leaveForeground(conditions)
            let actions = isStart ? machine.start(conditions) : machine.enterForeground(conditions)
            let expected: [UsageBrokerStateMachine.Action] = row.isDue ? [.upload] : []
            #expect(actions == expected)
        }
    }

    @Test(arguments: [
        (0, 0), (-1, 0), (.min, 0), (1, 1), (36_500, 36_500), (36_501, 36_500), (.max, 36_500),
    ])
    func `invalid numbers of days are clamped`(_ given: Int, _ days: Int) {
        #expect(UsageBrokerStateMachine.Settings.clamped(given) == days)
    }

    @Test
    func `the interval counts from the end of a success, and a failure is retried at the next opportunity`() {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        #expect(machine.start(makeConditions()) == [.upload])
        // Only one upload at a time.
        #expect(machine.leaveForeground(makeConditions()).isEmpty)
        #expect(machine.enterForeground(makeConditions()).isEmpty)
        #expect(machine.uploadFinished(isSuccess: false, makeConditions()).isEmpty)
        #expect(machine.leaveForeground(makeConditions()).isEmpty)
        #expect(machine.enterForeground(makeConditions()) == [.upload])
        #expect(machine.uploadFinished(isSuccess: true, makeConditions(Self.noon + 60)) == [.save])
        #expect(machine.memory.uploads == ["person/default": Self.noon + 60])
        for (time, isDue) in [(Self.day, false), (Self.day + 59, false), (Self.day + 60, true)] {
            _ = machine.leaveForeground(makeConditions())
            #expect(machine.enterForeground(makeConditions(Self.noon + time)) == (isDue ? [.upload] : []))
        }
        // The clock was set back during the upload.
        #expect(machine.uploadFinished(isSuccess: true, makeConditions(Self.noon - Self.day)) == [.save])
        #expect(machine.memory.uploads == ["person/default": Self.noon - Self.day])
    }

    @Test
    func `the policy is requested first, overrides the app's days, and is saved`() {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        #expect(machine.start(makeConditions(days: 0, follows: true)) == [.requestPolicy])
        #expect(machine.decisionsChanged(makeConditions(days: 0, follows: true)).isEmpty)
        #expect(
            machine.policyRequestFinished(with: policy(2), makeConditions(days: 0, follows: true)) == [
                .save, .apply(policy(2)),
            ]
        )
        #expect(machine.policyApplied(makeConditions(days: 0, follows: true)) == [.upload])
        #expect(machine.uploadFinished(isSuccess: true, makeConditions(follows: true)) == [.save])

        // In the next process without a network, the last policy received applies.
        var next = UsageBrokerStateMachine(machine.memory, isInForeground: true)
        #expect(next.start(makeConditions(Self.noon + 1.5 * Self.day, follows: true)) == [.requestPolicy])
        #expect(
            next.policyRequestFinished(with: nil, makeConditions(Self.noon + 1.5 * Self.day, follows: true)).isEmpty
        )
        _ = next.leaveForeground(makeConditions())
        #expect(next.enterForeground(makeConditions(Self.noon + 2 * Self.day, follows: true)) == [.requestPolicy])
        #expect(
            next.policyRequestFinished(with: nil, makeConditions(Self.noon + 2 * Self.day, follows: true)) == [.upload]
        )
        // An app that no longer follows the policy uses its own days.
        #expect(next.uploadFinished(isSuccess: true, makeConditions(Self.noon + 2 * Self.day)) == [.save])
        _ = next.leaveForeground(makeConditions())
        #expect(next.enterForeground(makeConditions(Self.noon + 3 * Self.day)) == [.upload])
    }

    @Test(arguments: [true, false])
    func `a policy of 0 days or without data collection ends uploads`(_ isOn: Bool) {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        #expect(machine.start(makeConditions(follows: true)) == [.requestPolicy])
        let policy = policy(isOn ? 0 : 1, isOn: isOn)
        #expect(machine.policyRequestFinished(with: policy, makeConditions(follows: true)) == [.save, .apply(policy)])
        #expect(machine.policyApplied(makeConditions(follows: true, stores: isOn, sends: isOn)).isEmpty)
    }

    @Test
    func `no policy is requested before the user consents, and consent triggers a request`() {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        let before = makeConditions(follows: true, asks: false, sends: false)
        #expect(machine.start(before).isEmpty)
        #expect(machine.decisionsChanged(before).isEmpty)
        #expect(machine.decisionsChanged(makeConditions(follows: true, sends: false)) == [.requestPolicy])
        // Consent is withdrawn before the response arrives.
        let policy = policy(1)
        #expect(machine.policyRequestFinished(with: policy, before) == [.save, .apply(policy)])
        #expect(machine.policyApplied(before).isEmpty)
        #expect(machine.decisionsChanged(makeConditions(follows: true)) == [.requestPolicy])
    }

    @Test
    func `a session lasts from entering the foreground to leaving it`() {
        var machine = UsageBrokerStateMachine(isInForeground: true)
        #expect(machine.start(makeConditions(days: 0, injects: true)) == [.beginSession])
        #expect(machine.enterForeground(makeConditions(days: 0, injects: true, session: true)).isEmpty)
        #expect(machine.leaveForeground(makeConditions(days: 0, injects: true, session: true)) == [.endSession])
        // Systems report leaving the foreground twice, and once more before suspending.
        #expect(machine.leaveForeground(makeConditions(days: 0, injects: true)).isEmpty)
        #expect(machine.enterForeground(makeConditions(days: 0, injects: true)) == [.beginSession])
        // A session that the app began is ended, and no second one begins.
        #expect(machine.decisionsChanged(makeConditions(days: 0, injects: true, session: true)).isEmpty)
        // Denied, then allowed again.
        #expect(machine.decisionsChanged(makeConditions(days: 0, injects: true, stores: false)).isEmpty)
        #expect(machine.decisionsChanged(makeConditions(days: 0, injects: true)) == [.beginSession])
        #expect(machine.leaveForeground(makeConditions(days: 0, session: true)).isEmpty)

        var unseen = UsageBrokerStateMachine(isInForeground: false)
        #expect(unseen.start(makeConditions(days: 0, injects: true)).isEmpty)
        #expect(unseen.leaveForeground(makeConditions(days: 0, injects: true, session: true)).isEmpty)
        #expect(unseen.enterForeground(makeConditions(days: 0, injects: true)) == [.beginSession])
    }

    @Test
    func `another process's uploads are merged, and the oldest of too many are dropped`() {
        var machine = UsageBrokerStateMachine(.init(uploads: ["person/default": 5], days: 3), isInForeground: true)
        machine.merge(.init(uploads: ["person/default": 9, "other/default": 1], days: nil))
        #expect(machine.memory == .init(uploads: ["person/default": 9, "other/default": 1], days: 3))
        machine.merge(.init(uploads: ["person/default": 2], days: 4))
        #expect(machine.memory == .init(uploads: ["person/default": 9, "other/default": 1], days: 4))
        machine.merge(.init(uploads: .init(uniqueKeysWithValues: (0..<100).map { ("\($0)", Double($0) + 10) })))
        #expect(machine.memory.uploads.count == UsageBrokerStateMachine.Memory.maximumSources)
        #expect(machine.memory.uploads.values.min() == 46)
    }

    @Test(arguments: 0..<200)
    func `in any order of events, only one request runs at a time, and sessions do not overlap`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = UsageBrokerStateMachine(isInForeground: .random(using: &random))
        var (isRequestingPolicy, isUploading, session, time) = (false, false, false, Self.noon)
        for _ in 0..<200 {
            time += .random(in: -Self.day...2 * Self.day, using: &random)
            let conditions = makeConditions(
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
            case 0: actions = machine.start(conditions)
            case 1: actions = machine.enterForeground(conditions)
            case 2: actions = machine.leaveForeground(conditions)
            case 3: actions = machine.decisionsChanged(conditions)
            case 4 where isRequestingPolicy:
                isRequestingPolicy = false
                let first = machine.policyRequestFinished(with: .random(using: &random) ? policy(1) : nil, conditions)
                actions = first.contains(.upload) ? first : first + machine.policyApplied(conditions)
            case 5 where isUploading:
                isUploading = false
                actions = machine.uploadFinished(isSuccess: .random(using: &random), conditions)
            default: continue
            }
            for action in actions {
                switch action {
                case .requestPolicy:
                    #expect(!isRequestingPolicy && !isUploading && conditions.canRequest)
                    isRequestingPolicy = true
                case .upload:
                    #expect(!isRequestingPolicy && !isUploading && conditions.canSend)
                    isUploading = true
                case .beginSession:
                    #expect(!session && conditions.canStore)
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
