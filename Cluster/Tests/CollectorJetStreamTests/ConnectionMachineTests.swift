// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS
internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Connection state machine")
struct ConnectionMachineTests {
    private static let info = NATSServerInfo(name: "n0")
    private static let handshake: [NATSConnectionStateMachine.Action] = [
        .send(.connect(nil, client: "test")), .send(.subscribe(subject: "_INBOX.t.*", subscription: 1)), .send(.ping),
    ]

    private static func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private static func machine() -> NATSConnectionStateMachine {
        NATSConnectionStateMachine(inbox: "_INBOX.t", credentials: nil, client: "test", times: NATSTimes(), at: time(0))
    }

    private static func ready(at now: Int64 = 0) -> NATSConnectionStateMachine {
        var machine = machine()
        _ = machine.received(.info(info), at: time(now))
        _ = machine.received(.pong, at: time(now))
        return machine
    }

    @Test("after the greeting, the client introduces itself, and it is ready once the server has confirmed")
    func handshake() {
        var machine = Self.machine()
        #expect(machine.deadline == Self.time(2_000))
        #expect(machine.received(.info(Self.info), at: Self.time(100)) == Self.handshake)
        #expect(machine.deadline == Self.time(2_100))
        #expect(machine.received(.pong, at: Self.time(200)) == [.ready(Self.info)])
        #expect(machine.deadline == Self.time(10_200))
    }

    @Test("a server without a greeting is dropped after exactly two seconds")
    func silentGreeting() {
        var machine = Self.machine()
        #expect(machine.tick(at: Self.time(1_999)) == [])
        #expect(machine.tick(at: Self.time(2_000)) == [.close(.noGreeting)])
        #expect(machine.deadline == nil)
        #expect(machine.tick(at: Self.time(99_000)) == [])
        #expect(machine.closed() == [])
    }

    @Test("a server that falls silent after its greeting is dropped")
    func silentHandshake() {
        var machine = Self.machine()
        _ = machine.received(.info(Self.info), at: Self.time(1_000))
        #expect(machine.tick(at: Self.time(2_999)) == [])
        #expect(machine.tick(at: Self.time(3_000)) == [.close(.noHandshake)])
    }

    @Test("a server is dropped after two unanswered pings")
    func silence() {
        var machine = Self.ready()
        #expect(machine.tick(at: Self.time(10_000)) == [.send(.ping)])
        #expect(machine.tick(at: Self.time(20_000)) == [.send(.ping)])
        #expect(machine.tick(at: Self.time(30_000)) == [.close(.silent)])
    }

    @Test(
        "any message counts as activity of the server",
        arguments: [
            NATSServerMessage.pong, .ping, .ok, .info(info), .message(NATSMessage(subject: "a", subscription: 1)),
        ]
    )
    func signs(message: NATSServerMessage) {
        var machine = Self.ready()
        _ = machine.tick(at: Self.time(10_000))
        _ = machine.tick(at: Self.time(20_000))
        _ = machine.received(message, at: Self.time(29_999))
        #expect(machine.tick(at: Self.time(30_000)) == [.send(.ping)])
    }

    @Test("a ping of the server is answered immediately")
    func answersPing() {
        var machine = Self.machine()
        _ = machine.received(.info(Self.info), at: Self.time(0))
        #expect(machine.received(.ping, at: Self.time(0)) == [.send(.pong)])
        var ready = Self.ready()
        #expect(ready.received(.ping, at: Self.time(5)) == [.send(.pong)])
    }

    @Test("a server that announces its shutdown is dropped immediately, at any time")
    func leaving() {
        let leaving = NATSServerInfo(name: "n0", isLeaving: true)
        var fresh = Self.machine()
        #expect(fresh.received(.info(leaving), at: Self.time(0)) == [.close(.leaving)])
        var greeted = Self.machine()
        _ = greeted.received(.info(Self.info), at: Self.time(0))
        #expect(greeted.received(.info(leaving), at: Self.time(0)) == [.close(.leaving)])
        var ready = Self.ready()
        #expect(ready.received(.info(leaving), at: Self.time(0)) == [.close(.leaving)])
        #expect(ready.received(.message(NATSMessage(subject: "a", subscription: 1)), at: Self.time(1)) == [])
    }

    @Test("an incompatible server is dropped with the reason")
    func unfit() {
        var encrypted = Self.machine()
        #expect(
            encrypted.received(.info(NATSServerInfo(name: "n0", needsTLS: true)), at: Self.time(0)) == [
                .close(.needsTLS)
            ]
        )
        var old = Self.machine()
        let ancient = NATSServerInfo(name: "n0", version: "2.1.0", knowsHeaders: false)
        #expect(old.received(.info(ancient), at: Self.time(0)) == [.close(.tooOld("2.1.0"))])
        var other = Self.machine()
        #expect(other.received(.pong, at: Self.time(0)) == [.close(.noServer)])
        var broken = Self.machine()
        let error = NATSProtocolError(.unknownOperation, "SSH-2.0".utf8)
        #expect(broken.failed(error) == [.close(.garbage(error))])
    }

    @Test("some server errors end the connection, others reject only a command")
    func refusals() {
        var machine = Self.ready()
        let permission = "Permissions Violation for Publish to \"x\""
        #expect(machine.received(.error(permission), at: Self.time(0)) == [.complain(permission)])
        #expect(
            machine.received(.error("Authorization Violation"), at: Self.time(0))
                == [.close(.refused("Authorization Violation"))]
        )
        var fresh = Self.machine()
        _ = fresh.received(.info(Self.info), at: Self.time(0))
        #expect(fresh.received(.error("Authorization Violation"), at: Self.time(0)).count == 1)
    }

    @Test("the end of a connection is reported once, and every reason has a distinct message")
    func ends() {
        var machine = Self.ready()
        #expect(machine.leave() == [.close(.left)])
        #expect(
            machine.leave() == [] && machine.closed() == [] && machine.failed(NATSProtocolError(.lineTooLong)) == []
        )
        var other = Self.ready()
        #expect(other.closed() == [.close(.closed)])
        let all: [NATSConnectionEnd] = [
            .unreachable("refused"), .noGreeting, .noServer, .noHandshake, .silent, .leaving, .needsTLS, .offersNoTLS,
            .insecure(.noTLS), .tooOld("1"),
            .refused("x"), .garbage(NATSProtocolError(.lineTooLong)), .closed, .left,
        ]
        #expect(Set(all.map(\.description)).count == all.count)
    }

    @Test("a connection ends at most once, and reports nothing afterwards, for any order of events", arguments: 1...200)
    func walk(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Self.machine()
        var now: Int64 = 0
        var (readies, ends) = (0, 0)
        for _ in 0..<200 {
            now += Int64.random(in: 0...4_000, using: &random)
            let actions: [NATSConnectionStateMachine.Action] =
                switch Int.random(in: 0..<40, using: &random) {
                case 0: machine.closed()
                case 1: machine.received(.error("Stale Connection"), at: Self.time(now))
                case 2...12: machine.received(.info(Self.info), at: Self.time(now))
                case 13...25: machine.received(.pong, at: Self.time(now))
                case 26...30: machine.received(.ping, at: Self.time(now))
                default: machine.tick(at: Self.time(now))
                }
            if ends > 0 { #expect(actions.isEmpty) }
            for action in actions {
                if case .ready = action { readies += 1 }
                if case .close = action { ends += 1 }
            }
            #expect((machine.deadline == nil) == (ends > 0))
        }
        #expect(readies <= 1 && ends <= 1)
    }

    @Test("servers are tried in turn, with growing pauses once all have failed")
    func rotation() {
        let (a, b, c) = (NATSAddress(host: "a"), NATSAddress(host: "b"), NATSAddress(host: "c"))
        var rotation = AddressRotation([a, b], times: NATSTimes())
        var tried: [NATSAddress] = []
        var pauses: [Duration] = []
        for _ in 0..<14 {
            guard let (address, pause) = rotation.take() else { break }
            tried.append(address)
            pauses.append(pause)
            rotation.failed()
        }
        #expect(tried.prefix(4) == [a, b, a, b])
        let expected: [Int64] = [0, 0, 100, 0, 200, 0, 400, 0, 800, 0, 1_600, 0, 2_000, 0]
        #expect(pauses == expected.map { .milliseconds($0) })
        rotation.succeeded()
        #expect(rotation.take()?.pause == .zero)
        rotation.learned(["b:4222", "c:4222", "c:4222", "no address"])
        #expect(rotation.addresses == [a, b, c])
        rotation.learned((0..<100).map { "h\($0):1" })
        #expect(rotation.addresses.count == 2 + AddressRotation.maxLearned)
        var none = AddressRotation([], times: NATSTimes())
        #expect(none.take() == nil)
    }
}
