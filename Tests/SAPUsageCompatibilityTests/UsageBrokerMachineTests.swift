// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("When a broker asks, uploads, and begins and ends sessions")
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
    ) -> UsageBrokerMachine.Circumstances {
        UsageBrokerMachine.Circumstances(
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

    /// One row: how long ago the last upload was, in days, and how many days lie between two.
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
            // Dated by a wrong clock: nothing may wait for ever.
            Row(ago: -0.001, days: 1, isDue: true), Row(ago: -30_000, days: 7, isDue: true),
            Row(ago: -1, days: 0, isDue: false),
        ]
    )
    func due(_ row: Row) throws {
        var memory = UsageBrokerMachine.Memory()
        if let ago = row.ago { memory.uploads["person/default"] = Self.noon - ago * Self.day }
        memory.uploads["somebody/default"] = Self.noon
        // Over a restart, too: this is what the file holds.
        memory = try JSONDecoder().decode(UsageBrokerMachine.Memory.self, from: JSONEncoder().encode(memory))
        for isStart in [true, false] {
            var machine = UsageBrokerMachine(memory, isInForeground: isStart)
            let present = now(days: row.days)
            let refused = now(days: row.days, sends: false)
            #expect((isStart ? machine.started(refused) : machine.enteredForeground(refused)).isEmpty)
            _ = machine.leftForeground(present)
            let actions = isStart ? machine.started(present) : machine.enteredForeground(present)
            let expected: [UsageBrokerMachine.Action] = row.isDue ? [.upload] : []
            #expect(actions == expected)
        }
    }

    @Test(
        "numbers of days that make no sense are brought within bounds",
        arguments: [
            (0, 0), (-1, 0), (.min, 0), (1, 1), (36_500, 36_500), (36_501, 36_500), (.max, 36_500),
        ]
    )
    func bounds(_ given: Int, _ days: Int) {
        #expect(UsageBrokerMachine.Settings.bounded(given) == days)
    }

    @Test("a success counts from its end, a failure leaves it to the next occasion")
    func outcomes() {
        var machine = UsageBrokerMachine(isInForeground: true)
        #expect(machine.started(now()) == [.upload])
        // One at a time.
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
        // The clock was set back while the upload was under way.
        #expect(machine.uploadEnded(isSuccess: true, now(Self.noon - Self.day)) == [.save])
        #expect(machine.memory.uploads == ["person/default": Self.noon - Self.day])
    }

    @Test("the policy is asked for first, counts instead of the app's days, and is kept")
    func policies() {
        var machine = UsageBrokerMachine(isInForeground: true)
        #expect(machine.started(now(days: 0, follows: true)) == [.askForPolicy])
        #expect(machine.decided(now(days: 0, follows: true)).isEmpty)
        #expect(machine.policyArrived(policy(2), now(days: 0, follows: true)) == [.save, .apply(policy(2))])
        #expect(machine.policySettled(now(days: 0, follows: true)) == [.upload])
        #expect(machine.uploadEnded(isSuccess: true, now(follows: true)) == [.save])

        // The next process without a network: what was told last counts.
        var next = UsageBrokerMachine(machine.memory, isInForeground: true)
        #expect(next.started(now(Self.noon + 1.5 * Self.day, follows: true)) == [.askForPolicy])
        #expect(next.policyArrived(nil, now(Self.noon + 1.5 * Self.day, follows: true)).isEmpty)
        _ = next.leftForeground(now())
        #expect(next.enteredForeground(now(Self.noon + 2 * Self.day, follows: true)) == [.askForPolicy])
        #expect(next.policyArrived(nil, now(Self.noon + 2 * Self.day, follows: true)) == [.upload])
        // An app that follows no more has its own days.
        #expect(next.uploadEnded(isSuccess: true, now(Self.noon + 2 * Self.day)) == [.save])
        _ = next.leftForeground(now())
        #expect(next.enteredForeground(now(Self.noon + 3 * Self.day)) == [.upload])
    }

    @Test("a policy of 0 days, or one that collects nothing, ends uploads", arguments: [true, false])
    func off(_ isOn: Bool) {
        var machine = UsageBrokerMachine(isInForeground: true)
        #expect(machine.started(now(follows: true)) == [.askForPolicy])
        let policy = policy(isOn ? 0 : 1, isOn: isOn)
        #expect(machine.policyArrived(policy, now(follows: true)) == [.save, .apply(policy)])
        #expect(machine.policySettled(now(follows: true, stores: isOn, sends: isOn)).isEmpty)
    }

    @Test("nobody is asked before the person consented; then it is an occasion")
    func consent() {
        var machine = UsageBrokerMachine(isInForeground: true)
        let before = now(follows: true, asks: false, sends: false)
        #expect(machine.started(before).isEmpty)
        #expect(machine.decided(before).isEmpty)
        #expect(machine.decided(now(follows: true, sends: false)) == [.askForPolicy])
        // Withdrawn while the answer is under way.
        let policy = policy(1)
        #expect(machine.policyArrived(policy, before) == [.save, .apply(policy)])
        #expect(machine.policySettled(before).isEmpty)
        #expect(machine.decided(now(follows: true)) == [.askForPolicy])
    }

    @Test("a session is what lies between coming to the foreground and leaving")
    func sessions() {
        var machine = UsageBrokerMachine(isInForeground: true)
        #expect(machine.started(now(days: 0, injects: true)) == [.beginSession])
        #expect(machine.enteredForeground(now(days: 0, injects: true, session: true)).isEmpty)
        #expect(machine.leftForeground(now(days: 0, injects: true, session: true)) == [.endSession])
        // Systems say it twice, and once more on their way to sleep.
        #expect(machine.leftForeground(now(days: 0, injects: true)).isEmpty)
        #expect(machine.enteredForeground(now(days: 0, injects: true)) == [.beginSession])
        // A session of the app's own making is ended, and no second one begun.
        #expect(machine.decided(now(days: 0, injects: true, session: true)).isEmpty)
        // Refused, then permitted again.
        #expect(machine.decided(now(days: 0, injects: true, stores: false)).isEmpty)
        #expect(machine.decided(now(days: 0, injects: true)) == [.beginSession])
        #expect(machine.leftForeground(now(days: 0, session: true)).isEmpty)

        var unseen = UsageBrokerMachine(isInForeground: false)
        #expect(unseen.started(now(days: 0, injects: true)).isEmpty)
        #expect(unseen.leftForeground(now(days: 0, injects: true, session: true)).isEmpty)
        #expect(unseen.enteredForeground(now(days: 0, injects: true)) == [.beginSession])
    }

    @Test("what another process wrote is taken over; of too many the oldest are forgotten")
    func memory() {
        var machine = UsageBrokerMachine(.init(uploads: ["person/default": 5], days: 3), isInForeground: true)
        machine.remembered(.init(uploads: ["person/default": 9, "other/default": 1], days: nil))
        #expect(machine.memory == .init(uploads: ["person/default": 9, "other/default": 1], days: 3))
        machine.remembered(.init(uploads: ["person/default": 2], days: 4))
        #expect(machine.memory == .init(uploads: ["person/default": 9, "other/default": 1], days: 4))
        machine.remembered(.init(uploads: .init(uniqueKeysWithValues: (0..<100).map { ("\($0)", Double($0) + 10) })))
        #expect(machine.memory.uploads.count == UsageBrokerMachine.Memory.maximumSources)
        #expect(machine.memory.uploads.values.min() == 46)
    }

    @Test("whatever happens, there is one request at a time, and no session twice", arguments: 0..<200)
    func walk(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = UsageBrokerMachine(isInForeground: .random(using: &random))
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
            let actions: [UsageBrokerMachine.Action]
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
