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
    .enabled(if: TestCertificates.isAvailable, "openssl is not installed."),
    .timeLimit(.minutes(5))
)
struct EncryptedServerTests {
    /// How a client reads a response: as a whole, or in pieces.
    enum ReadMode: CaseIterable { case whole, pieces }

    private static let credentials = ClickHouseCredentials(user: "joe", password: "hunter2")

    private static func answer(_ text: String) -> String? {
        guard text.contains("\r\n\r\n") else { return nil }
        return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nyes\n"
    }

    private static func run(
        _ port: Int,
        _ tls: TLSClient?,
        _ mode: ReadMode,
        host: String = "127.0.0.1",
        isEncrypted: Bool = true
    ) async throws -> String {
        let address = ClickHouseAddress(host: host, port: port, isEncrypted: isEncrypted)
        let client = ClickHouseClient(address, credentials: credentials, tls: tls, option: "--clickhouse")
        switch mode {
        case .whole: return String(decoding: try await client.run("SELECT 1"), as: UTF8.self)
        case .pieces:
            var text = ""
            try await client.read("SELECT 1", [], within: .seconds(120)) { text += String(buffer: $0) }
            return text
        }
    }

    private static func failure(
        _ port: Int,
        _ tls: TLSClient?,
        _ mode: ReadMode,
        isEncrypted: Bool = true
    ) async -> ColumnFailure? {
        do {
            _ = try await run(port, tls, mode, isEncrypted: isEncrypted)
            return nil
        } catch {
            return error as? ColumnFailure
        }
    }

    @Test(
        arguments: ReadMode.allCases,
        ["127.0.0.1", "localhost"]
    )
    func `a trusted server receives the query, by name and by address`(mode: ReadMode, host: String) async throws {
        try await TestCertificates.run { certificates in
            var script = TLSServer.Script(try certificates.issue("ch"), answer: Self.answer)
            script.clientAuthority = certificates.authority
            let tls = try TLSClient(try certificates.tlsFiles(try certificates.issue("mine")))
            try await TLSServer.run(script) { server in
                let answer = try await Self.run(server.port, tls, mode, host: host)
                #expect(answer == "yes\n")
                #expect(server.received.contains("X-ClickHouse-Key: hunter2"))
            }
        }
    }

    /// A problem with a server's certificate or with its requirements for clients.
    enum Fault: CaseIterable { case expired, hostMismatch, otherAuthority, certificateRequired }

    @Test(
        arguments: Fault.allCases,
        ReadMode.allCases
    )
    func `an untrusted server is reported with the problem, and receives nothing`(fault: Fault, mode: ReadMode)
        async throws
    {
        try await TestCertificates.run { certificates in
            var script = TLSServer.Script(try certificates.issue("ch"), answer: Self.answer)
            var files = try certificates.tlsFiles()
            let expected: String
            switch fault {
            case .expired:
                script = TLSServer.Script(try certificates.issue("old", isExpired: true), answer: Self.answer)
                expected = "certificate that expired at"
            case .hostMismatch:
                script = TLSServer.Script(try certificates.issue("other", for: "DNS:ch.example"), answer: Self.answer)
                expected = "is not valid for 127.0.0.1"
            case .otherAuthority:
                files = TLSFiles()
                expected = "--clickhouse-ca"
            case .certificateRequired:
                script.clientAuthority = certificates.authority
                expected = "--clickhouse-cert"
            }
            let tls = try TLSClient(files)
            try await TLSServer.run(script) { server in
                let failure = await Self.failure(server.port, tls, mode)
                #expect(failure?.kind == .unreachable)
                let text = failure?.description ?? ""
                #expect(text.contains("https://127.0.0.1:\(server.port)") && text.contains(expected), "\(text)")
                #expect(server.received == "")
            }
        }
    }

    @Test(arguments: ReadMode.allCases)
    func `a server without TLS receives nothing readable, and the error names the missing TLS`(mode: ReadMode)
        async throws
    {
        let received = Mutex("")
        let tls = try TLSClient(TLSFiles())
        try await ScriptedServer.run { peer, number in
            let firstBytes = try await peer.readBytes()
            received.withLock { $0 += String(decoding: firstBytes, as: UTF8.self) }
            if number == 1 { try await peer.send("HTTP/1.1 400 Bad Request\r\n\r\n") }
            if number == 2 { try await peer.send("\u{15}") }
        } _: { server in
            let http = await Self.failure(server.port, tls, mode)
            #expect(
                http?.kind == .notClickHouse && http?.description.contains("does not speak TLS") == true,
                "\(http as Any)"
            )
            for _ in 0..<2 {
                let closed = await Self.failure(server.port, tls, mode)
                #expect(closed?.kind == .unreachable && closed?.description.contains("closed the connection") == true)
            }
        }
        #expect(!received.withLock { $0 }.contains("hunter2"))
    }

    @Test(arguments: ReadMode.allCases)
    func `a plain-text query to a TLS server fails with an error that names https`(mode: ReadMode) async throws {
        try await TestCertificates.run { certificates in
            try await TLSServer.run(TLSServer.Script(try certificates.issue("ch"))) { server in
                let failure = await Self.failure(server.port, nil, mode, isEncrypted: false)
                #expect(failure?.description.contains("https://") == true, "\(failure as Any)")
            }
        }
    }

    @Test(arguments: ReadMode.allCases)
    func `without TLS settings, no connection is made`(mode: ReadMode) async throws {
        let connections = Mutex(0)
        try await ScriptedServer.run { _, number in
            connections.withLock { $0 = number }
        } _: { server in
            #expect(await Self.failure(server.port, nil, mode)?.description.contains("TLS is not available") == true)
        }
        #expect(connections.withLock { $0 } == 0)
    }
}
