// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS
internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("TLS handshake of a connection")
struct EncryptionTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private static let credentials = NATSCredentials(user: "joe", password: "hunter2")
    private static let introduction: [NATSConnectionStateMachine.Action] = [
        .send(.connect(credentials, client: "test")), .send(.subscribe(subject: "_INBOX.t.*", subscription: 1)),
        .send(.ping),
    ]

    private static func machine(isEncrypted: Bool = true) -> NATSConnectionStateMachine {
        NATSConnectionStateMachine(
            inbox: "_INBOX.t",
            credentials: credentials,
            client: "test",
            isEncrypted: isEncrypted,
            times: NATSTimes(),
            at: time(0)
        )
    }

    private static func securing() -> NATSConnectionStateMachine {
        var machine = machine()
        _ = machine.received(.info(NATSServerInfo(name: "n0", needsTLS: true)), at: time(1_000))
        return machine
    }

    @Test("a server that offers TLS receives the credentials only after the connection is encrypted")
    func order() {
        for info in [NATSServerInfo(name: "n0", needsTLS: true), NATSServerInfo(name: "n0", offersTLS: true)] {
            var machine = Self.machine()
            #expect(machine.received(.info(info), at: Self.time(1_000)) == [.secure])
            #expect(machine.deadline == Self.time(3_000))
            #expect(machine.secured(pendingBytes: 0, at: Self.time(1_500)) == Self.introduction)
            #expect(machine.deadline == Self.time(3_500))
            #expect(machine.received(.pong, at: Self.time(1_600)) == [.ready(info)])
            #expect(machine.secured(pendingBytes: 0, at: Self.time(1_700)) == [])
        }
    }

    @Test("a server without TLS is dropped and receives nothing")
    func downgrade() {
        var machine = Self.machine()
        #expect(machine.received(.info(NATSServerInfo(name: "n0")), at: Self.time(0)) == [.close(.offersNoTLS)])
        #expect(machine.secured(pendingBytes: 0, at: Self.time(1)) == [])
    }

    @Test("a plain connection continues if the server offers TLS, and ends if it requires TLS")
    func plain() {
        var offered = Self.machine(isEncrypted: false)
        let info = NATSServerInfo(name: "n0", offersTLS: true)
        #expect(offered.received(.info(info), at: Self.time(0)) == Self.introduction)
        var wanted = Self.machine(isEncrypted: false)
        let strict = NATSServerInfo(name: "n0", needsTLS: true)
        #expect(wanted.received(.info(strict), at: Self.time(0)) == [.close(.needsTLS)])
    }

    @Test(
        "any plain-text message after the greeting ends the connection",
        arguments: [
            NATSServerMessage.pong, .ping, .ok, .error("Permissions Violation"), .info(NATSServerInfo(name: "n1")),
            .message(NATSMessage(subject: "a", subscription: 1)),
        ]
    )
    func injected(message: NATSServerMessage) {
        var machine = Self.securing()
        #expect(machine.received(message, at: Self.time(1_001)) == [.close(.insecure(.plainBytes))])
        #expect(machine.secured(pendingBytes: 0, at: Self.time(1_002)) == [])
    }

    @Test("a partial plain-text message ends the connection, because it would precede the server's own messages")
    func pending() {
        var machine = Self.securing()
        #expect(machine.secured(pendingBytes: 1, at: Self.time(1_001)) == [.close(.insecure(.plainBytes))])
    }

    @Test("a handshake that fails, ends, or takes two seconds ends the connection, and is reported once")
    func failures() {
        var failed = Self.securing()
        #expect(failed.insecure(.noTLS) == [.close(.insecure(.noTLS))])
        #expect(failed.insecure(.noTLS) == [] && failed.closed() == [])
        var silent = Self.securing()
        #expect(silent.tick(at: Self.time(2_999)) == [])
        #expect(silent.tick(at: Self.time(3_000)) == [.close(.insecure(.unanswered))])
        var closed = Self.securing()
        #expect(closed.closed() == [.close(.insecure(.ended))])
        var closedBehind = Self.securing()
        _ = closedBehind.secured(pendingBytes: 0, at: Self.time(1_001))
        #expect(closedBehind.closed() == [.close(.insecure(.ended))])
        var left = Self.securing()
        #expect(left.leave() == [.close(.left)])
        // A server rejects a client certificate after the client's side of the handshake is complete.
        var late = Self.securing()
        _ = late.secured(pendingBytes: 0, at: Self.time(1_001))
        #expect(late.insecure(.wantsCertificate) == [.close(.insecure(.wantsCertificate))])
    }

    @Test("addresses learned from servers are encrypted like the configured ones, whatever the servers send")
    func learned() {
        for isEncrypted in [true, false] {
            let given = NATSAddress(host: "a", isEncrypted: isEncrypted)
            var rotation = AddressRotation([given], times: NATSTimes())
            rotation.learned(["b:4222", "nats://c:4222", "tls://d:4222", "a:4222"])
            #expect(rotation.addresses.map(\.host) == ["a", "b", "c", "d"])
            #expect(rotation.addresses.allSatisfy { $0.isEncrypted == isEncrypted })
        }
    }

    @Test("an address states whether its connection is encrypted")
    func addresses() {
        #expect(NATSAddress("tls://a:4443") == NATSAddress(host: "a", port: 4443, isEncrypted: true))
        #expect(NATSAddress("tls://[::1]")?.description == "tls://[::1]:4222")
        #expect(NATSAddress("nats://a")?.isEncrypted == false && NATSAddress("a")?.isEncrypted == false)
        #expect(NATSAddress("ssl://a") == nil && NATSAddress("tls://joe:hunter2@a") == nil)
    }
}
