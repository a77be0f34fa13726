// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTLS
internal import Synchronization
internal import Testing
internal import TrackwayCore

@testable import CollectorJetStream

@Suite(
    "NATS client over TLS",
    .enabled(if: TestCertificates.isAvailable, "openssl is not installed."),
    .timeLimit(.minutes(5))
)
struct EncryptedClientTests {
    private static let greeting =
        "INFO {\"server_id\":\"N0\",\"server_name\":\"n0\",\"version\":\"2.15.1\",\"headers\":true,\"tls_required\":true}\r\n"
    private static let credentials = NATSCredentials(user: "joe", password: "hunter2")

    /// Answers like a NATS server, to the extent that a new connection requires.
    private static func answer(_ text: String) -> String? { text.hasSuffix("PING\r\n") ? "PONG\r\n" : nil }

    /// Returns the client's first warning, or a fixed text if it connects.
    private static func rejection(_ address: NATSAddress, _ tls: TLSClient?) async -> String {
        let warnings = Mutex<[String]>([])
        let (stream, events) = AsyncStream.makeStream(of: Void.self)
        let client = NATSClient(
            [address],
            credentials: credentials,
            tls: tls,
            times: .lenient,
            randomUInt64: { 42 },
            sleep: { _ in await Task.yield() },
            onWarning: { warning in
                warnings.withLock { $0.append(warning) }
                events.yield()
            },
            onConnectionChange: { events.yield() }
        )
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            for await _ in stream where client.connection != nil || warnings.withLock({ !$0.isEmpty }) { break }
            group.cancelAll()
        }
        return warnings.withLock { $0.first } ?? "connected"
    }

    private static func address(_ port: Int, host: String = "127.0.0.1") -> NATSAddress {
        NATSAddress(host: host, port: port, isEncrypted: true)
    }

    @Test(arguments: [
        "127.0.0.1", "localhost",
    ])
    func `the client connects by host name or address, and sends nothing before encryption`(host: String) async throws {
        try await TestCertificates.run { certificates in
            let pair = try certificates.issue("n0")
            let tls = try TLSClient(try certificates.tlsFiles())
            let script = TLSServer.Script(pair, greeting: Self.greeting, answer: Self.answer)
            try await TLSServer.run(script) { server in
                let port = server.port
                try await NATSClient.run([Self.address(port, host: host)], credentials: Self.credentials, tls: tls) {
                    _,
                    changes in
                    #expect(await changes.connection()?.server.name == "n0")
                }
                #expect(server.received.hasPrefix("CONNECT") && server.received.contains("hunter2"))
            }
        }
    }

    /// A problem with a server's certificate or with its requirements for clients.
    enum Fault: CaseIterable {
        case expired, hostMismatch, otherAuthority, systemAuthorities, certificateRequired, certificateRejected
    }

    @Test(arguments: Fault.allCases)
    func `an untrusted server is reported with the problem and receives no password`(fault: Fault) async throws {
        try await TestCertificates.run { certificates in
            try await TestCertificates.run { otherCertificates in
                var script = TLSServer.Script(
                    try certificates.issue("n0"),
                    greeting: Self.greeting,
                    answer: Self.answer
                )
                var files = try certificates.tlsFiles()
                let expected: String
                switch fault {
                case .expired:
                    let pair = try certificates.issue("old", isExpired: true)
                    script = TLSServer.Script(pair, greeting: Self.greeting, answer: Self.answer)
                    expected = "certificate that expired at"
                case .hostMismatch:
                    let pair = try certificates.issue("n1", for: "DNS:n1.example,IP:127.0.0.2")
                    script = TLSServer.Script(pair, greeting: Self.greeting, answer: Self.answer)
                    expected = "is not valid for 127.0.0.1"
                case .otherAuthority:
                    files = try otherCertificates.tlsFiles()
                    expected = otherCertificates.authority
                case .systemAuthorities:
                    files = TLSFiles()
                    expected = "--nats-ca"
                case .certificateRequired:
                    script.clientAuthority = certificates.authority
                    expected = "--nats-cert"
                case .certificateRejected:
                    script.clientAuthority = otherCertificates.authority
                    let mine = try certificates.issue("mine")
                    files = try certificates.tlsFiles(mine)
                    expected = "--nats-cert"
                }
                let tls = try TLSClient(files)
                try await TLSServer.run(script) { server in
                    let rejection = await Self.rejection(Self.address(server.port), tls)
                    #expect(
                        rejection.contains("tls://127.0.0.1:\(server.port)") && rejection.contains(expected),
                        "\(rejection)"
                    )
                    #expect(server.received == "")
                }
            }
        }
    }

    @Test
    func `the client connects to a server that requires client certificates`() async throws {
        try await TestCertificates.run { certificates in
            var script = TLSServer.Script(try certificates.issue("n0"), greeting: Self.greeting, answer: Self.answer)
            script.clientAuthority = certificates.authority
            let tls = try TLSClient(try certificates.tlsFiles(try certificates.issue("mine")))
            try await TLSServer.run(script) { server in
                let rejection = await Self.rejection(Self.address(server.port), tls)
                #expect(rejection == "connected")
            }
        }
    }

    @Test(arguments: [
        (ScriptedServer.greeting, "", "offers no TLS"),
        (greeting + "PONG\r\n", "", "sent extra plain text after its greeting"),
        (greeting, "PONG\r\nPONG\r\n", "does not speak TLS"),
        (greeting, "-ERR 'Secure Connection - TLS Required'\r\n", "does not speak TLS"),
        (greeting, "end", "after the TLS handshake"),
        ("SSH-2.0-OpenSSH_9.6\r\n", "", "violated the protocol"),
    ])
    func `a server that offers no TLS, answers in plain text, or disconnects receives no password`(
        greeting: String,
        answer: String,
        expected: String
    ) async throws {
        let received = TestText()
        let tls = try TLSClient(TLSFiles())
        try await ScriptedServer.run { peer, _ in
            try await peer.send(greeting)
            let firstBytes = try await peer.readBytes()
            received.append(firstBytes)
            if answer == "end" { return }
            try await peer.send(answer)
            while case let more = try await peer.readBytes(), !more.isEmpty { received.append(more) }
        } _: { server in
            let rejection = await Self.rejection(Self.address(server.port), tls)
            #expect(
                rejection.contains(expected) && rejection.contains("tls://127.0.0.1:\(server.port)"),
                "\(rejection)"
            )
        }
        #expect(!received.text.contains("hunter2") && !received.text.contains("CONNECT"))
    }

    @Test
    func `a plain-text client sends nothing to a server that requires TLS, and reports the scheme to use`() async throws
    {
        let received = TestText()
        try await ScriptedServer.run { peer, _ in
            try await peer.send(Self.greeting)
            while case let more = try await peer.readBytes(), !more.isEmpty { received.append(more) }
        } _: { server in
            let rejection = await Self.rejection(server.address, nil)
            #expect(rejection.contains("write tls://"), "\(rejection)")
        }
        #expect(received.text == "")
    }

    @Test
    func `without TLS settings, the client sends nothing in plain text`() async throws {
        let received = TestText()
        try await ScriptedServer.run { peer, _ in
            try await peer.send(Self.greeting)
            while case let more = try await peer.readBytes(), !more.isEmpty { received.append(more) }
        } _: { server in
            let rejection = await Self.rejection(Self.address(server.port), nil)
            #expect(rejection.contains("TLS is not configured"), "\(rejection)")
        }
        #expect(received.text == "")
    }
}

/// The received bytes as text.
private final class TestText: Sendable {
    private let content = Mutex("")

    var text: String { content.withLock { $0 } }

    func append(_ bytes: [UInt8]) { content.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
}
