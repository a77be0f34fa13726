// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTLS
internal import Synchronization
internal import Testing
internal import TrackwayEvents

@testable import CollectorJetStream

@Suite(
    "A client and servers that encrypt, or that pretend to",
    .enabled(if: TestCertificates.canBeMade, "There is no program openssl here."),
    .timeLimit(.minutes(5))
)
struct EncryptedClientTests {
    private static let greeting =
        "INFO {\"server_id\":\"N0\",\"server_name\":\"n0\",\"version\":\"2.15.1\",\"headers\":true,\"tls_required\":true}\r\n"
    private static let credentials = NATSCredentials(user: "joe", password: "hunter2")

    /// As a server of NATS answers, as far as a connection is made.
    private static func answer(_ text: String) -> String? { text.hasSuffix("PING\r\n") ? "PONG\r\n" : nil }

    /// Why a client does not connect; the sentence it gives notice with.
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
        return notices.withLock { $0.first } ?? "it is connected"
    }

    private static func address(_ port: Int, host: String = "127.0.0.1") -> NATSAddress {
        NATSAddress(host: host, port: port, isEncrypted: true)
    }

    @Test(
        "it connects to a server that shows itself by name or by address, and says nothing before",
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

    /// What is wrong with a server.
    enum Fault: CaseIterable {
        case expired, otherName, otherAuthority, systemAuthorities, wantsCertificate, refusesCertificate
    }

    @Test(
        "a server that cannot be trusted is named with what is wrong, and gets no password",
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
                    words = "was valid until"
                case .otherName:
                    let pair = try certificates.issue("n1", for: "DNS:n1.example,IP:127.0.0.2")
                    script = TLSServer.Script(pair, greeting: Self.greeting, answer: Self.answer)
                    words = "is not for 127.0.0.1"
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

    @Test("a server that takes its clients by their certificates takes this one")
    func showsCertificate() async throws {
        try await TestCertificates.run { certificates in
            var script = TLSServer.Script(try certificates.issue("n0"), greeting: Self.greeting, answer: Self.answer)
            script.clients = certificates.authority
            let tls = try TLSClient(try certificates.files(try certificates.issue("mine")))
            try await TLSServer.run(script) { server in
                let refusal = await Self.refusal(Self.address(server.port), tls)
                #expect(refusal == "it is connected")
            }
        }
    }

    @Test(
        "whoever takes the offer out of the greeting, answers in plain, or hangs up gets no password",
        arguments: [
            (ScriptedServer.greeting, "", "offers no TLS"),
            (greeting + "PONG\r\n", "", "before the TLS handshake"),
            (greeting, "PONG\r\nPONG\r\n", "does not answer in TLS"),
            (greeting, "-ERR 'Secure Connection - TLS Required'\r\n", "does not answer in TLS"),
            (greeting, "end", "in the TLS handshake"),
            ("SSH-2.0-OpenSSH_9.6\r\n", "", "not the protocol"),
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

    @Test("a plain client tells a server that wants encryption nothing, and says what to write")
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

    @Test("without anything to encrypt with nothing is said in plain")
    func nothing() async throws {
        let received = TestText()
        try await ScriptedServer.run { peer, _ in
            try await peer.say(Self.greeting)
            while case let more = try await peer.bytes(), !more.isEmpty { received.append(more) }
        } _: { server in
            let refusal = await Self.refusal(Self.address(server.port), nil)
            #expect(refusal.contains("nothing to encrypt"), "\(refusal)")
        }
        #expect(received.text == "")
    }
}

/// What came in, as text.
private final class TestText: Sendable {
    private let content = Mutex("")

    var text: String { content.withLock { $0 } }

    func append(_ bytes: [UInt8]) { content.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
}
