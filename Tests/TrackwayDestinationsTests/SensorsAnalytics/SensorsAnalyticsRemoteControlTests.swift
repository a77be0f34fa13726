// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinations
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

    /// A control whose first request got its response at time 0.
    private static func controlWithConfiguration(_ configuration: Configuration, randomFraction: Double = 0) -> Control
    {
        var control = Control()
        _ = control.appStarted(boot: "b", at: at(0))
        _ = control.responseReceived(.received(configuration), boot: "b", at: at(0), randomFraction: randomFraction)
        return control
    }

    @Test
    func `the first start sends a request and applies no configuration`() {
        var control = Control()
        #expect(control.appStarted(boot: "b", at: Self.at(0)) == [.apply(nil), .request(known: nil)])
    }

    @Test
    func `a configuration with immediate effect is applied, recorded and saved, in this order`() {
        var control = Control()
        _ = control.appStarted(boot: "b", at: Self.at(0))
        let new = Self.configuration("1", .now)
        let actions = control.responseReceived(.received(new), boot: "b", at: Self.at(9), randomFraction: 0.5)
        #expect(actions == [.apply(new), .recordChange(new), .save])
    }

    @Test
    func `a configuration for the next start takes effect only then, however often the user returns`() throws {
        let old = Self.configuration("1", .now)
        let new = Self.configuration("2", .nextStart)
        var control = Self.controlWithConfiguration(old)
        #expect(control.appReturned(boot: "b", at: Self.at(Self.day)) == [.apply(old), .request(known: old)])
        #expect(
            control.responseReceived(.received(new), boot: "b", at: Self.at(Self.day), randomFraction: 0) == [
                .recordChange(new), .save,
            ]
        )
        #expect(control.appReturned(boot: "b", at: Self.at(Self.day + 1)) == [.apply(old)])
        control = try JSONDecoder().decode(Control.self, from: JSONEncoder().encode(control))
        #expect(control.appStarted(boot: "b", at: Self.at(Self.day + 2)) == [.apply(new)])
    }

    @Test(arguments: [SensorsAnalyticsRemoteConfiguration.Effect.now, .nextStart])
    func `receiving the same configuration again is not a change`(_ effect: SensorsAnalyticsRemoteConfiguration.Effect)
    {
        let known = Self.configuration("1", effect)
        for answer in [SensorsAnalyticsRemoteExchange.Answer.unchanged, .received(known)] {
            var control = Self.controlWithConfiguration(known)
            _ = control.appReturned(boot: "b", at: Self.at(Self.day))
            #expect(control.responseReceived(answer, boot: "b", at: Self.at(Self.day), randomFraction: 0) == [.save])
        }
    }

    @Test(arguments: [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0), (-3.0, 1.0), (9.0, 2.0), (.nan, 1.0)])
    func `the next request follows 24 to 48 hours later, at a random time`(_ randomFraction: Double, _ days: Double)
        throws
    {
        let known = Self.configuration("1", .now)
        let due = Int64(days * Double(Self.day))
        for (offset, shouldRequest) in [(-1, false), (0, true), (1, true)] {
            var control = Self.controlWithConfiguration(known, randomFraction: randomFraction)
            let returned = control.appReturned(boot: "b", at: Self.at(due + Int64(offset)))
            #expect(returned.contains(.request(known: known)) == shouldRequest, "\(randomFraction) \(offset)")
            // The same applies after a restart of the app.
            control = try JSONDecoder().decode(
                Control.self,
                from: JSONEncoder().encode(Self.controlWithConfiguration(known, randomFraction: randomFraction))
            )
            let started = control.appStarted(boot: "b", at: Self.at(due + Int64(offset)))
            #expect(started.contains(.request(known: known)) == shouldRequest, "\(randomFraction) \(offset)")
        }
    }

    @Test
    func `a restarted device sends a request, regardless of its clock`() {
        let known = Self.configuration("1", .now)
        var control = Self.controlWithConfiguration(known)
        #expect(control.appReturned(boot: "other", at: Self.at(1)).contains(.request(known: known)))
    }

    @Test
    func `three attempts are made, half a minute apart; then the next start or return tries again`() {
        var control = Control()
        _ = control.appStarted(boot: "b", at: Self.at(0))
        for _ in 0..<2 {
            let failed = control.responseReceived(.failed(reason: "x"), boot: "b", at: Self.at(0), randomFraction: 0)
            #expect(failed == [.pause(.seconds(30))])
            #expect(control.pauseEnded() == [.request(known: nil)])
        }
        #expect(control.responseReceived(.failed(reason: "x"), boot: "b", at: Self.at(0), randomFraction: 0) == [])
        #expect(control.pauseEnded() == [])
        #expect(control.appReturned(boot: "b", at: Self.at(1)) == [.apply(nil), .request(known: nil)])
    }

    @Test
    func `leaving the app ends the request, and a late response changes nothing`() {
        var control = Control()
        _ = control.appStarted(boot: "b", at: Self.at(0))
        #expect(control.appLeft() == [])
        #expect(
            control.responseReceived(
                .received(Self.configuration("1", .now)),
                boot: "b",
                at: Self.at(1),
                randomFraction: 0
            ) == []
        )
        #expect(control.appReturned(boot: "b", at: Self.at(2)) == [.apply(nil), .request(known: nil)])
        _ = control.responseReceived(.failed(reason: "x"), boot: "b", at: Self.at(3), randomFraction: 0)
        _ = control.appLeft()
        #expect(control.pauseEnded() == [])
    }

    @Test
    func `a changed back end causes an immediate request, unless one is running`() {
        let known = Self.configuration("1", .now)
        var control = Self.controlWithConfiguration(known)
        #expect(control.updateRequested() == [.request(known: known)])
        #expect(control.updateRequested() == [])
        #expect(control.effective == known)
    }

    @Test
    func `only one request runs at a time`() {
        var control = Control()
        _ = control.appStarted(boot: "b", at: Self.at(0))
        #expect(control.appReturned(boot: "b", at: Self.at(1)) == [.apply(nil)])
    }

    @Test
    func `through 100,000 steps and restarts, requests and changes stay in order`() throws {
        var random = SeededGenerator(seed: 12)
        var control = Control()
        var now = Int64(0)
        var boot = 0
        var isAsking = false
        var attempts = 0
        var version = 0
        var lastAnswer: (boot: Int, at: Int64)?
        _ = control.appStarted(boot: "0", at: Self.at(0))
        isAsking = true
        attempts = 1
        for _ in 0..<100_000 {
            now += Int64(random.next(below: Int(Self.day) / 2))
            let actions: [Control.Action]
            switch random.next(below: 8) {
            case 0, 1:
                actions = control.appReturned(boot: "\(boot)", at: Self.at(now))
            case 2:
                actions = control.appLeft()
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
                actions = control.appStarted(boot: "\(boot)", at: Self.at(now))
            case 4, 5:
                actions = control.responseReceived(
                    .failed(reason: ""),
                    boot: "\(boot)",
                    at: Self.at(now),
                    randomFraction: 0.3
                )
                isAsking = false
            default:
                if random.nextBool() { version += 1 }
                let new = Self.configuration("\(version)", random.nextBool() ? .now : .nextStart)
                actions = control.responseReceived(
                    .received(new),
                    boot: "\(boot)",
                    at: Self.at(now),
                    randomFraction: 0.3
                )
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
