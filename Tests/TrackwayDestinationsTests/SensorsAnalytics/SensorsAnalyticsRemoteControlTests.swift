// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayDestinations
import TrackwayEvents
import TrackwayTesting

@Suite("Sensors Analytics remote control")
struct SensorsAnalyticsRemoteControlTests {
    private typealias Control = SensorsAnalyticsRemoteConfigStateMachine
    private typealias Configuration = SensorsAnalyticsRemoteConfiguration

    private static let day = Int64(24 * 3_600_000)

    private static func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private static func configuration(_ version: String, _ effect: Configuration.Effect) -> Configuration {
        var configuration = Configuration()
        configuration.version = version
        configuration.effect = effect
        return configuration
    }

    /// A control whose first request was answered at 0.
    private static func answered(_ configuration: Configuration, chance: Double = 0) -> Control {
        var control = Control()
        _ = control.started(boot: "b", at: at(0))
        _ = control.answered(.received(configuration), boot: "b", at: at(0), chance: chance)
        return control
    }

    @Test("the first start sends a request and applies no configuration")
    func firstStart() {
        var control = Control()
        #expect(control.started(boot: "b", at: Self.at(0)) == [.apply(nil), .request(known: nil)])
    }

    @Test("a configuration with immediate effect is applied, recorded and saved, in this order")
    func effectNow() {
        var control = Control()
        _ = control.started(boot: "b", at: Self.at(0))
        let new = Self.configuration("1", .now)
        let actions = control.answered(.received(new), boot: "b", at: Self.at(9), chance: 0.5)
        #expect(actions == [.apply(new), .recordChange(new), .save])
    }

    @Test("a configuration for the next start waits for it, however often the user returns")
    func effectNextStart() throws {
        let old = Self.configuration("1", .now)
        let new = Self.configuration("2", .nextStart)
        var control = Self.answered(old)
        #expect(control.returned(boot: "b", at: Self.at(Self.day)) == [.apply(old), .request(known: old)])
        #expect(
            control.answered(.received(new), boot: "b", at: Self.at(Self.day), chance: 0) == [
                .recordChange(new), .save,
            ]
        )
        #expect(control.returned(boot: "b", at: Self.at(Self.day + 1)) == [.apply(old)])
        control = try JSONDecoder().decode(Control.self, from: JSONEncoder().encode(control))
        #expect(control.started(boot: "b", at: Self.at(Self.day + 2)) == [.apply(new)])
    }

    @Test(
        "receiving the same configuration again is not a change",
        arguments: [SensorsAnalyticsRemoteConfiguration.Effect.now, .nextStart]
    )
    func noChange(_ effect: SensorsAnalyticsRemoteConfiguration.Effect) {
        let known = Self.configuration("1", effect)
        for answer in [SensorsAnalyticsRemoteExchange.Answer.unchanged, .received(known)] {
            var control = Self.answered(known)
            _ = control.returned(boot: "b", at: Self.at(Self.day))
            #expect(control.answered(answer, boot: "b", at: Self.at(Self.day), chance: 0) == [.save])
        }
    }

    @Test(
        "the next request follows 24 to 48 hours later, at a random time",
        arguments: [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0), (-3.0, 1.0), (9.0, 2.0), (.nan, 1.0)]
    )
    func schedule(_ chance: Double, _ days: Double) throws {
        let known = Self.configuration("1", .now)
        let due = Int64(days * Double(Self.day))
        for (offset, asks) in [(-1, false), (0, true), (1, true)] {
            var control = Self.answered(known, chance: chance)
            let returned = control.returned(boot: "b", at: Self.at(due + Int64(offset)))
            #expect(returned.contains(.request(known: known)) == asks, "\(chance) \(offset)")
            // The same applies after a restart of the app.
            control = try JSONDecoder().decode(
                Control.self,
                from: JSONEncoder().encode(Self.answered(known, chance: chance))
            )
            let started = control.started(boot: "b", at: Self.at(due + Int64(offset)))
            #expect(started.contains(.request(known: known)) == asks, "\(chance) \(offset)")
        }
    }

    @Test("a restarted device sends a request, regardless of its clock")
    func reboot() {
        let known = Self.configuration("1", .now)
        var control = Self.answered(known)
        #expect(control.returned(boot: "other", at: Self.at(1)).contains(.request(known: known)))
    }

    @Test("three attempts are made, half a minute apart; then the next start or return retries")
    func attempts() {
        var control = Control()
        _ = control.started(boot: "b", at: Self.at(0))
        for _ in 0..<2 {
            let failed = control.answered(.failed(reason: "x"), boot: "b", at: Self.at(0), chance: 0)
            #expect(failed == [.pause(.seconds(30))])
            #expect(control.pauseEnded() == [.request(known: nil)])
        }
        #expect(control.answered(.failed(reason: "x"), boot: "b", at: Self.at(0), chance: 0) == [])
        #expect(control.pauseEnded() == [])
        #expect(control.returned(boot: "b", at: Self.at(1)) == [.apply(nil), .request(known: nil)])
    }

    @Test("leaving the app ends the request, and a late response changes nothing")
    func leaving() {
        var control = Control()
        _ = control.started(boot: "b", at: Self.at(0))
        #expect(control.left() == [])
        #expect(control.answered(.received(Self.configuration("1", .now)), boot: "b", at: Self.at(1), chance: 0) == [])
        #expect(control.returned(boot: "b", at: Self.at(2)) == [.apply(nil), .request(known: nil)])
        _ = control.answered(.failed(reason: "x"), boot: "b", at: Self.at(3), chance: 0)
        _ = control.left()
        #expect(control.pauseEnded() == [])
    }

    @Test("a changed back end causes an immediate request, unless one is running")
    func askedAnyway() {
        let known = Self.configuration("1", .now)
        var control = Self.answered(known)
        #expect(control.asked() == [.request(known: known)])
        #expect(control.asked() == [])
        #expect(control.effective == known)
    }

    @Test("only one request runs at a time")
    func oneQuestion() {
        var control = Control()
        _ = control.started(boot: "b", at: Self.at(0))
        #expect(control.returned(boot: "b", at: Self.at(1)) == [.apply(nil)])
    }

    @Test("through 100,000 steps and restarts, requests and changes stay in order")
    func walk() throws {
        var random = SeededGenerator(seed: 12)
        var control = Control()
        var now = Int64(0)
        var boot = 0
        var isAsking = false
        var attempts = 0
        var version = 0
        var lastAnswer: (boot: Int, at: Int64)?
        _ = control.started(boot: "0", at: Self.at(0))
        isAsking = true
        attempts = 1
        for _ in 0..<100_000 {
            now += Int64(random.next(below: Int(Self.day) / 2))
            let actions: [Control.Action]
            switch random.next(below: 8) {
            case 0, 1:
                actions = control.returned(boot: "\(boot)", at: Self.at(now))
            case 2:
                actions = control.left()
                isAsking = false
            case 3:
                actions = control.pauseEnded()
            case 4 where random.next(below: 13) == 0:
                if random.next(below: 4) == 0 {
                    boot += 1
                    now = 0
                }
                control = try JSONDecoder().decode(Control.self, from: JSONEncoder().encode(control))
                isAsking = false
                actions = control.started(boot: "\(boot)", at: Self.at(now))
            case 4, 5:
                actions = control.answered(.failed(reason: ""), boot: "\(boot)", at: Self.at(now), chance: 0.3)
                isAsking = false
            default:
                if random.nextBool() { version += 1 }
                let new = Self.configuration("\(version)", random.nextBool() ? .now : .nextStart)
                actions = control.answered(.received(new), boot: "\(boot)", at: Self.at(now), chance: 0.3)
                #expect(isAsking || actions.isEmpty)
                if isAsking { lastAnswer = (boot, now) }
                isAsking = false
            }
            let requests = actions.filter { if case .request = $0 { true } else { false } }
            #expect(requests.count <= 1)
            if !requests.isEmpty {
                #expect(!isAsking, "one request at a time")
                isAsking = true
                attempts += 1
                if let lastAnswer, lastAnswer.boot == boot { #expect(now - lastAnswer.at >= Self.day) }
            }
            for action in actions {
                if case .recordChange = action { #expect(actions.last == .save) }
            }
        }
        #expect(attempts > 1_000)
    }
}
