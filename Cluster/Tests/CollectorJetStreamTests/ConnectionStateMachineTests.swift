// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Connection state machine")
struct ConnectionStateMachineTests {
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
        _ = machine.handle(.info(info), at: time(now))
        _ = machine.handle(.pong, at: time(now))
        return machine
    }

    @Test
    func `after the greeting, the client introduces itself, and it is ready once the server has confirmed`() {
        var machine = Self.machine()
        #expect(machine.deadline == Self.time(2_000))
        #expect(machine.handle(.info(Self.info), at: Self.time(100)) == Self.handshake)
        #expect(machine.deadline == Self.time(2_100))
        #expect(machine.handle(.pong, at: Self.time(200)) == [.ready(Self.info)])
        #expect(machine.deadline == Self.time(10_200))
    }

    @Test
    func `a server that sends no greeting is dropped after exactly two seconds`() {
        var machine = Self.machine()
        #expect(machine.tick(at: Self.time(1_999)) == [])
        #expect(machine.tick(at: Self.time(2_000)) == [.close(.greetingTimeout)])
        #expect(machine.deadline == nil)
        #expect(machine.tick(at: Self.time(99_000)) == [])
        #expect(machine.connectionClosed() == [])
    }

    @Test
    func `a server that falls silent after its greeting is dropped`() {
        var machine = Self.machine()
        _ = machine.handle(.info(Self.info), at: Self.time(1_000))
        #expect(machine.tick(at: Self.time(2_999)) == [])
        #expect(machine.tick(at: Self.time(3_000)) == [.close(.handshakeTimeout)])
    }

    @Test
    func `a server is dropped after two unanswered pings`() {
        var machine = Self.ready()
        #expect(machine.tick(at: Self.time(10_000)) == [.send(.ping)])
        #expect(machine.tick(at: Self.time(20_000)) == [.send(.ping)])
        #expect(machine.tick(at: Self.time(30_000)) == [.close(.unresponsive)])
    }

    @Test(arguments: [
        NATSServerMessage.pong, .ping, .ok, .info(info), .message(NATSMessage(subject: "a", subscription: 1)),
    ])
    func `any message counts as activity of the server`(message: NATSServerMessage) {
        var machine = Self.ready()
        _ = machine.tick(at: Self.time(10_000))
        _ = machine.tick(at: Self.time(20_000))
        _ = machine.handle(message, at: Self.time(29_999))
        #expect(machine.tick(at: Self.time(30_000)) == [.send(.ping)])
    }

    @Test
    func `a ping of the server is answered immediately`() {
        var machine = Self.machine()
        _ = machine.handle(.info(Self.info), at: Self.time(0))
        #expect(machine.handle(.ping, at: Self.time(0)) == [.send(.pong)])
        var ready = Self.ready()
        #expect(ready.handle(.ping, at: Self.time(5)) == [.send(.pong)])
    }

    @Test
    func `a server that announces its shutdown is dropped immediately, at any time`() {
        let shuttingDown = NATSServerInfo(name: "n0", isShuttingDown: true)
        var initial = Self.machine()
        #expect(initial.handle(.info(shuttingDown), at: Self.time(0)) == [.close(.shuttingDown)])
        var greeted = Self.machine()
        _ = greeted.handle(.info(Self.info), at: Self.time(0))
        #expect(greeted.handle(.info(shuttingDown), at: Self.time(0)) == [.close(.shuttingDown)])
        var ready = Self.ready()
        #expect(ready.handle(.info(shuttingDown), at: Self.time(0)) == [.close(.shuttingDown)])
        #expect(ready.handle(.message(NATSMessage(subject: "a", subscription: 1)), at: Self.time(1)) == [])
    }

    @Test
    func `an incompatible server is dropped with the reason`() {
        var encrypted = Self.machine()
        #expect(
            encrypted.handle(.info(NATSServerInfo(name: "n0", requiresTLS: true)), at: Self.time(0)) == [
                .close(.requiresTLS)
            ]
        )
        var old = Self.machine()
        let oldServer = NATSServerInfo(name: "n0", version: "2.1.0", supportsHeaders: false)
        #expect(old.handle(.info(oldServer), at: Self.time(0)) == [.close(.unsupportedVersion("2.1.0"))])
        var other = Self.machine()
        #expect(other.handle(.pong, at: Self.time(0)) == [.close(.notNATSServer)])
        var broken = Self.machine()
        let error = NATSProtocolError(.unknownOperation, "SSH-2.0".utf8)
        #expect(broken.decodingFailed(error) == [.close(.protocolViolation(error))])
    }

    @Test
    func `some server errors end the connection, others reject only a command`() {
        var machine = Self.ready()
        let permission = "Permissions Violation for Publish to \"x\""
        #expect(machine.handle(.error(permission), at: Self.time(0)) == [.serverError(permission)])
        #expect(
            machine.handle(.error("Authorization Violation"), at: Self.time(0))
                == [.close(.rejected("Authorization Violation"))]
        )
        var initial = Self.machine()
        _ = initial.handle(.info(Self.info), at: Self.time(0))
        #expect(initial.handle(.error("Authorization Violation"), at: Self.time(0)).count == 1)
    }

    @Test
    func `the end of a connection is reported once, and every reason has a distinct message`() {
        var machine = Self.ready()
        #expect(machine.close() == [.close(.closedByClient)])
        #expect(
            machine.close() == [] && machine.connectionClosed() == []
                && machine.decodingFailed(NATSProtocolError(.lineTooLong)) == []
        )
        var other = Self.ready()
        #expect(other.connectionClosed() == [.close(.closedByServer)])
        let all: [NATSConnectionEnd] = [
            .unreachable("refused"), .greetingTimeout, .notNATSServer, .handshakeTimeout, .unresponsive, .shuttingDown,
            .requiresTLS, .tlsNotOffered,
            .tlsFailed(.notTLS), .unsupportedVersion("1"),
            .rejected("x"), .protocolViolation(NATSProtocolError(.lineTooLong)), .closedByServer, .closedByClient,
        ]
        #expect(Set(all.map(\.description)).count == all.count)
    }

    @Test(arguments: 1...200)
    func `a connection ends at most once, and reports nothing afterwards, for any order of events`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Self.machine()
        var now: Int64 = 0
        var (readyCount, endCount) = (0, 0)
        for _ in 0..<200 {
            now += Int64.random(in: 0...4_000, using: &random)
            let actions: [NATSConnectionStateMachine.Action] =
                switch Int.random(in: 0..<40, using: &random) {
                case 0: machine.connectionClosed()
                case 1: machine.handle(.error("Stale Connection"), at: Self.time(now))
                case 2...12: machine.handle(.info(Self.info), at: Self.time(now))
                case 13...25: machine.handle(.pong, at: Self.time(now))
                case 26...30: machine.handle(.ping, at: Self.time(now))
                default: machine.tick(at: Self.time(now))
                }
            if endCount > 0 { #expect(actions.isEmpty) }
            for action in actions {
                if case .ready = action { readyCount += 1 }
                if case .close = action { endCount += 1 }
            }
            #expect((machine.deadline == nil) == (endCount > 0))
        }
        #expect(readyCount <= 1 && endCount <= 1)
    }

    @Test
    func `servers are tried in turn, with growing pauses once all have failed`() {
        let (a, b, c) = (NATSAddress(host: "a"), NATSAddress(host: "b"), NATSAddress(host: "c"))
        var rotation = AddressRotation([a, b], times: NATSTimes())
        var tried: [NATSAddress] = []
        var pauses: [Duration] = []
        for _ in 0..<14 {
            guard let (address, pause) = rotation.take() else { break }
            tried.append(address)
            pauses.append(pause)
            rotation.recordFailure()
        }
        #expect(tried.prefix(4) == [a, b, a, b])
        let expected: [Int64] = [0, 0, 100, 0, 200, 0, 400, 0, 800, 0, 1_600, 0, 2_000, 0]
        #expect(pauses == expected.map { .milliseconds($0) })
        rotation.recordSuccess()
        #expect(rotation.take()?.pause == .zero)
        rotation.updateLearnedAddresses(["b:4222", "c:4222", "c:4222", "no address"])
        #expect(rotation.addresses == [a, b, c])
        rotation.updateLearnedAddresses((0..<100).map { "h\($0):1" })
        #expect(rotation.addresses.count == 2 + AddressRotation.maxLearned)
        var none = AddressRotation([], times: NATSTimes())
        #expect(none.take() == nil)
    }
}
