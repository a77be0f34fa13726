// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTLS
internal import Synchronization
internal import Testing
internal import TrackwayEvents

@testable import CollectorJetStream

@Suite(
    "NATS client over TLS",
    .enabled(if: TestCertificates.canBeMade, "openssl is not installed."),
    .timeLimit(.minutes(5))
)
struct EncryptedClientTests {
    private static let greeting =
        "INFO {\"server_id\":\"N0\",\"server_name\":\"n0\",\"version\":\"2.15.1\",\"headers\":true,\"tls_required\":true}\r\n"
    private static let credentials = NATSCredentials(user: "joe", password: "hunter2")

    /// Answers like a NATS server, as far as a new connection requires.
    private static func answer(_ text: String) -> String? { text.hasSuffix("PING\r\n") ? "PONG\r\n" : nil }

    /// Returns the client's first warning, or a fixed text if it connects.
    private static func refusal(_ address: NATSAddress, _ tls: TLSClient?) async -> String {
        let notices = Mutex<[String]>([])
        let (stream, told) = AsyncStream.makeStream(of: Void.self)
        let client = NATSClient(
            [address],
            credentials: credentials,
            tls: tls,
            times: .unhurried,
            chance: { 42 },
            sleep: { _ in await Task.yield() },
            notice: { notice in
                notices.withLock { $0.append(notice) }
                told.yield()
            },
            changed: { told.yield() }
        )
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            for await _ in stream where client.connection != nil || notices.withLock({ !$0.isEmpty }) { break }
            group.cancelAll()
        }
        return notices.withLock { $0.first } ?? "connected"
    }

    private static func address(_ port: Int, host: String = "127.0.0.1") -> NATSAddress {
        NATSAddress(host: host, port: port, isEncrypted: true)
    }

    @Test(
        "the client connects by host name or address, and sends nothing before encryption",
        arguments: [
            "127.0.0.1", "localhost",
        ]
    )
    func connects(host: String) async throws {
        try await TestCertificates.run { certificates in
            let pair = try certificates.issue("n0")
            let tls = try TLSClient(try certificates.files())
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

    /// A problem with a server's certificate or its demands.
    enum Fault: CaseIterable {
        case expired, otherName, otherAuthority, systemAuthorities, wantsCertificate, refusesCertificate
    }

    @Test(
        "an untrusted server is reported with the problem and receives no password",
        arguments: Fault.allCases
    )
    func untrusted(fault: Fault) async throws {
        try await TestCertificates.run { certificates in
            try await TestCertificates.run { strangers in
                var script = TLSServer.Script(
                    try certificates.issue("n0"),
                    greeting: Self.greeting,
                    answer: Self.answer
                )
                var files = try certificates.files()
                let words: String
                switch fault {
                case .expired:
                    let pair = try certificates.issue("old", isExpired: true)
                    script = TLSServer.Script(pair, greeting: Self.greeting, answer: Self.answer)
                    words = "certificate that expired at"
                case .otherName:
                    let pair = try certificates.issue("n1", for: "DNS:n1.example,IP:127.0.0.2")
                    script = TLSServer.Script(pair, greeting: Self.greeting, answer: Self.answer)
                    words = "is not valid for 127.0.0.1"
                case .otherAuthority:
                    files = try strangers.files()
                    words = strangers.authority
                case .systemAuthorities:
                    files = TLSFiles()
                    words = "--engine-ca"
                case .wantsCertificate:
                    script.clients = certificates.authority
                    words = "--engine-cert"
                case .refusesCertificate:
                    script.clients = strangers.authority
                    let mine = try certificates.issue("mine")
                    files = try certificates.files(mine)
                    words = "--engine-cert"
                }
                let tls = try TLSClient(files)
                try await TLSServer.run(script) { server in
                    let refusal = await Self.refusal(Self.address(server.port), tls)
                    #expect(refusal.contains("tls://127.0.0.1:\(server.port)") && refusal.contains(words), "\(refusal)")
                    #expect(server.received == "")
                }
            }
        }
    }

    @Test("the client connects to a server that requires client certificates")
    func showsCertificate() async throws {
        try await TestCertificates.run { certificates in
            var script = TLSServer.Script(try certificates.issue("n0"), greeting: Self.greeting, answer: Self.answer)
            script.clients = certificates.authority
            let tls = try TLSClient(try certificates.files(try certificates.issue("mine")))
            try await TLSServer.run(script) { server in
                let refusal = await Self.refusal(Self.address(server.port), tls)
                #expect(refusal == "connected")
            }
        }
    }

    @Test(
        "a server that offers no TLS, answers in plain text, or disconnects receives no password",
        arguments: [
            (ScriptedServer.greeting, "", "offers no TLS"),
            (greeting + "PONG\r\n", "", "sent extra plain text after its greeting"),
            (greeting, "PONG\r\nPONG\r\n", "does not speak TLS"),
            (greeting, "-ERR 'Secure Connection - TLS Required'\r\n", "does not speak TLS"),
            (greeting, "end", "after the TLS handshake"),
            ("SSH-2.0-OpenSSH_9.6\r\n", "", "violated the protocol"),
        ]
    )
    func interfered(greeting: String, answer: String, words: String) async throws {
        let received = TestText()
        let tls = try TLSClient(TLSFiles())
        try await ScriptedServer.run { peer, _ in
            try await peer.say(greeting)
            let hello = try await peer.bytes()
            received.append(hello)
            if answer == "end" { return }
            try await peer.say(answer)
            while case let more = try await peer.bytes(), !more.isEmpty { received.append(more) }
        } _: { server in
            let refusal = await Self.refusal(Self.address(server.port), tls)
            #expect(refusal.contains(words) && refusal.contains("tls://127.0.0.1:\(server.port)"), "\(refusal)")
        }
        #expect(!received.text.contains("hunter2") && !received.text.contains("CONNECT"))
    }

    @Test("a plain-text client sends nothing to a server that requires TLS, and reports the scheme to use")
    func plain() async throws {
        let received = TestText()
        try await ScriptedServer.run { peer, _ in
            try await peer.say(Self.greeting)
            while case let more = try await peer.bytes(), !more.isEmpty { received.append(more) }
        } _: { server in
            let refusal = await Self.refusal(server.address, nil)
            #expect(refusal.contains("write tls://"), "\(refusal)")
        }
        #expect(received.text == "")
    }

    @Test("without TLS settings, the client sends nothing in plain text")
    func nothing() async throws {
        let received = TestText()
        try await ScriptedServer.run { peer, _ in
            try await peer.say(Self.greeting)
            while case let more = try await peer.bytes(), !more.isEmpty { received.append(more) }
        } _: { server in
            let refusal = await Self.refusal(Self.address(server.port), nil)
            #expect(refusal.contains("TLS is not configured"), "\(refusal)")
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
