// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("TLS handshake of a connection")
struct EncryptionTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private static let credentials = NATSCredentials(user: "joe", password: "hunter2")
    private static let connectMessages: [NATSConnectionStateMachine.Action] = [
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

    private static func awaitingTLS() -> NATSConnectionStateMachine {
        var machine = machine()
        _ = machine.handle(.info(NATSServerInfo(name: "n0", requiresTLS: true)), at: time(1_000))
        return machine
    }

    @Test
    func `a server that offers TLS receives the credentials only after the connection is encrypted`() {
        for info in [NATSServerInfo(name: "n0", requiresTLS: true), NATSServerInfo(name: "n0", offersTLS: true)] {
            var machine = Self.machine()
            #expect(machine.handle(.info(info), at: Self.time(1_000)) == [.startTLS])
            #expect(machine.deadline == Self.time(3_000))
            #expect(machine.tlsHandshakeCompleted(pendingBytes: 0, at: Self.time(1_500)) == Self.connectMessages)
            #expect(machine.deadline == Self.time(3_500))
            #expect(machine.handle(.pong, at: Self.time(1_600)) == [.ready(info)])
            #expect(machine.tlsHandshakeCompleted(pendingBytes: 0, at: Self.time(1_700)) == [])
        }
    }

    @Test
    func `a server without TLS is dropped and receives nothing`() {
        var machine = Self.machine()
        #expect(machine.handle(.info(NATSServerInfo(name: "n0")), at: Self.time(0)) == [.close(.tlsNotOffered)])
        #expect(machine.tlsHandshakeCompleted(pendingBytes: 0, at: Self.time(1)) == [])
    }

    @Test
    func `a plain connection continues if the server offers TLS, and ends if it requires TLS`() {
        var offered = Self.machine(isEncrypted: false)
        let info = NATSServerInfo(name: "n0", offersTLS: true)
        #expect(offered.handle(.info(info), at: Self.time(0)) == Self.connectMessages)
        var required = Self.machine(isEncrypted: false)
        let requiringTLS = NATSServerInfo(name: "n0", requiresTLS: true)
        #expect(required.handle(.info(requiringTLS), at: Self.time(0)) == [.close(.requiresTLS)])
    }

    @Test(arguments: [
        NATSServerMessage.pong, .ping, .ok, .error("Permissions Violation"), .info(NATSServerInfo(name: "n1")),
        .message(NATSMessage(subject: "a", subscription: 1)),
    ])
    func `any plain-text message after the greeting ends the connection`(message: NATSServerMessage) {
        var machine = Self.awaitingTLS()
        #expect(machine.handle(message, at: Self.time(1_001)) == [.close(.tlsFailed(.unencryptedData))])
        #expect(machine.tlsHandshakeCompleted(pendingBytes: 0, at: Self.time(1_002)) == [])
    }

    @Test
    func `a partial plain-text message ends the connection, because it would precede the server's own messages`() {
        var machine = Self.awaitingTLS()
        #expect(
            machine.tlsHandshakeCompleted(pendingBytes: 1, at: Self.time(1_001)) == [
                .close(.tlsFailed(.unencryptedData))
            ]
        )
    }

    @Test
    func `a handshake that fails, ends, or takes two seconds ends the connection, and is reported once`() {
        var failed = Self.awaitingTLS()
        #expect(failed.tlsFailed(.notTLS) == [.close(.tlsFailed(.notTLS))])
        #expect(failed.tlsFailed(.notTLS) == [] && failed.connectionClosed() == [])
        var unresponsive = Self.awaitingTLS()
        #expect(unresponsive.tick(at: Self.time(2_999)) == [])
        #expect(unresponsive.tick(at: Self.time(3_000)) == [.close(.tlsFailed(.handshakeTimeout))])
        var closed = Self.awaitingTLS()
        #expect(closed.connectionClosed() == [.close(.tlsFailed(.closedDuringHandshake))])
        var closedAfterHandshake = Self.awaitingTLS()
        _ = closedAfterHandshake.tlsHandshakeCompleted(pendingBytes: 0, at: Self.time(1_001))
        #expect(closedAfterHandshake.connectionClosed() == [.close(.tlsFailed(.closedDuringHandshake))])
        var closedByClient = Self.awaitingTLS()
        #expect(closedByClient.close() == [.close(.closedByClient)])
        // A server rejects a client certificate after the client's side of the handshake is complete.
        var late = Self.awaitingTLS()
        _ = late.tlsHandshakeCompleted(pendingBytes: 0, at: Self.time(1_001))
        #expect(late.tlsFailed(.certificateRequired) == [.close(.tlsFailed(.certificateRequired))])
    }

    @Test
    func `addresses learned from servers are encrypted like the configured ones, whatever the servers send`() {
        for isEncrypted in [true, false] {
            let configured = NATSAddress(host: "a", isEncrypted: isEncrypted)
            var rotation = AddressRotation([configured], times: NATSTimes())
            rotation.updateLearnedAddresses(["b:4222", "nats://c:4222", "tls://d:4222", "a:4222"])
            #expect(rotation.addresses.map(\.host) == ["a", "b", "c", "d"])
            #expect(rotation.addresses.allSatisfy { $0.isEncrypted == isEncrypted })
        }
    }

    @Test
    func `an address states whether its connection is encrypted`() {
        #expect(NATSAddress("tls://a:4443") == NATSAddress(host: "a", port: 4443, isEncrypted: true))
        #expect(NATSAddress("tls://[::1]")?.description == "tls://[::1]:4222")
        #expect(NATSAddress("nats://a")?.isEncrypted == false && NATSAddress("a")?.isEncrypted == false)
        #expect(NATSAddress("ssl://a") == nil && NATSAddress("tls://joe:hunter2@a") == nil)
    }
}
