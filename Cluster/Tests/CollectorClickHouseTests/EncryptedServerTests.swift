// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTLS
internal import NIOCore
internal import Synchronization
internal import Testing

@testable internal import CollectorClickHouse

@Suite(
    "ClickHouse over HTTPS",
    .enabled(if: TestCertificates.canBeMade, "openssl is not installed."),
    .timeLimit(.minutes(5))
)
struct EncryptedServerTests {
    /// How a client reads a response: as a whole, or in pieces.
    enum Way: CaseIterable { case whole, pieces }

    private static let credentials = ClickHouseCredentials(user: "joe", password: "hunter2")

    private static func answer(_ text: String) -> String? {
        guard text.contains("\r\n\r\n") else { return nil }
        return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nyes\n"
    }

    private static func ask(
        _ port: Int,
        _ tls: TLSClient?,
        _ way: Way,
        host: String = "127.0.0.1",
        isEncrypted: Bool = true
    ) async throws -> String {
        let address = ClickHouseAddress(host: host, port: port, isEncrypted: isEncrypted)
        let client = ClickHouseClient(address, credentials: credentials, tls: tls, option: "--analysis")
        switch way {
        case .whole: return String(decoding: try await client.ask("SELECT 1"), as: UTF8.self)
        case .pieces:
            var text = ""
            try await client.read("SELECT 1", [], within: .seconds(120)) { text += String(buffer: $0) }
            return text
        }
    }

    private static func failure(
        _ port: Int,
        _ tls: TLSClient?,
        _ way: Way,
        isEncrypted: Bool = true
    ) async -> ColumnFailure? {
        do {
            _ = try await ask(port, tls, way, isEncrypted: isEncrypted)
            return nil
        } catch {
            return error as? ColumnFailure
        }
    }

    @Test(
        "a trusted server receives the query, by name and by address",
        arguments: Way.allCases,
        ["127.0.0.1", "localhost"]
    )
    func asked(way: Way, host: String) async throws {
        try await TestCertificates.run { certificates in
            var script = TLSServer.Script(try certificates.issue("ch"), answer: Self.answer)
            script.clients = certificates.authority
            let tls = try TLSClient(try certificates.files(try certificates.issue("mine")))
            try await TLSServer.run(script) { server in
                let answer = try await Self.ask(server.port, tls, way, host: host)
                #expect(answer == "yes\n")
                #expect(server.received.contains("X-ClickHouse-Key: hunter2"))
            }
        }
    }

    /// A problem with a server's certificate or its demands.
    enum Fault: CaseIterable { case expired, otherName, otherAuthority, wantsCertificate }

    @Test(
        "an untrusted server is named with the problem, and receives nothing",
        arguments: Fault.allCases,
        Way.allCases
    )
    func untrusted(fault: Fault, way: Way) async throws {
        try await TestCertificates.run { certificates in
            var script = TLSServer.Script(try certificates.issue("ch"), answer: Self.answer)
            var files = try certificates.files()
            let words: String
            switch fault {
            case .expired:
                script = TLSServer.Script(try certificates.issue("old", isExpired: true), answer: Self.answer)
                words = "certificate that expired at"
            case .otherName:
                script = TLSServer.Script(try certificates.issue("other", for: "DNS:ch.example"), answer: Self.answer)
                words = "is not valid for 127.0.0.1"
            case .otherAuthority:
                files = TLSFiles()
                words = "--analysis-ca"
            case .wantsCertificate:
                script.clients = certificates.authority
                words = "--analysis-cert"
            }
            let tls = try TLSClient(files)
            try await TLSServer.run(script) { server in
                let failure = await Self.failure(server.port, tls, way)
                #expect(failure?.kind == .unreachable)
                let text = failure?.description ?? ""
                #expect(text.contains("https://127.0.0.1:\(server.port)") && text.contains(words), "\(text)")
                #expect(server.received == "")
            }
        }
    }

    @Test("a server without TLS receives nothing readable, and the error says so", arguments: Way.allCases)
    func plain(way: Way) async throws {
        let received = Mutex("")
        let tls = try TLSClient(TLSFiles())
        try await ScriptedServer.run { peer, number in
            let hello = try await peer.bytes()
            received.withLock { $0 += String(decoding: hello, as: UTF8.self) }
            if number == 1 { try await peer.say("HTTP/1.1 400 Bad Request\r\n\r\n") }
            if number == 2 { try await peer.say("\u{15}") }
        } _: { server in
            let http = await Self.failure(server.port, tls, way)
            #expect(
                http?.kind == .stranger && http?.description.contains("does not speak TLS") == true,
                "\(http as Any)"
            )
            for _ in 0..<2 {
                let ended = await Self.failure(server.port, tls, way)
                #expect(ended?.kind == .unreachable && ended?.description.contains("closed the connection") == true)
            }
        }
        #expect(!received.withLock { $0 }.contains("hunter2"))
    }

    @Test("a plain-text query to a TLS server fails with an error that names https", arguments: Way.allCases)
    func encrypted(way: Way) async throws {
        try await TestCertificates.run { certificates in
            try await TLSServer.run(TLSServer.Script(try certificates.issue("ch"))) { server in
                let failure = await Self.failure(server.port, nil, way, isEncrypted: false)
                #expect(failure?.description.contains("https://") == true, "\(failure as Any)")
            }
        }
    }

    @Test("without TLS settings, no connection is made", arguments: Way.allCases)
    func nothing(way: Way) async throws {
        let connections = Mutex(0)
        try await ScriptedServer.run { _, number in
            connections.withLock { $0 = number }
        } _: { server in
            #expect(await Self.failure(server.port, nil, way)?.description.contains("TLS is not available") == true)
        }
        #expect(connections.withLock { $0 } == 0)
    }
}
