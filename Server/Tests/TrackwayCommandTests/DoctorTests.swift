// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable internal import TrackwayCommand

@Suite("Doctor")
struct DoctorTests {
    /// A server that gives one response to every request, or fails.
    private struct OneResponse: Transport {
        let result: Result<WireResponse, TransportError>

        func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
            try result.get()
        }
    }

    private static func findings(
        _ result: Result<WireResponse, TransportError>,
        _ url: String = "https://collector.example.com"
    ) async throws -> [DoctorFinding] {
        let client = CollectorClient(try CollectorAddress(url, key: "tw_x"), transport: OneResponse(result: result))
        return await CollectorDiagnosis(client: client, isListening: { _, _ in nil }).run()
    }

    @Test(arguments: [
        ("SSL certificate problem: certificate has expired (curl 60)", "certificate_expired"),
        ("SSL certificate problem: self-signed certificate in certificate chain (curl 60)", "certificate_untrusted"),
        ("SSL certificate problem: unable to get local issuer certificate (curl 60)", "certificate_untrusted"),
        (
            "SSL: no alternative certificate subject name matches target host name 'a' (curl 60)",
            "certificate_name"
        ),
        ("error:0A00010B:SSL routines::wrong version number (curl 35)", "url_needs_http"),
        ("something else", "tls_failed"),
    ])
    func `a failed encrypted connection has the code of its cause`(_ message: String, _ code: String) async throws {
        let findings = try await Self.findings(.failure(TransportError(.tls, message)))
        #expect(findings.map(\.name) == [code])
        #expect(findings.map(\.check) == [.certificate])
        #expect(findings.exitStatus == .negative)
    }

    @Test(arguments: [
        (200, "<html>hello", "url_is_not_a_collector"), (404, "not found", "url_is_not_a_collector"),
        (301, "", "url_redirects"), (400, "The plain HTTP request was sent to HTTPS port", "url_needs_https"),
        (502, "<html>Bad Gateway", "proxy_without_collector"),
        (421, #"{"error":{"code":"wrong_host","message":"This collector serves only this machine."}}"#, "wrong_host"),
    ])
    func `a response that is not the collector's has the code of its cause`(
        _ status: Int,
        _ body: String,
        _ code: String
    ) async throws {
        let findings = try await Self.findings(.success(WireResponse(status: status, body: Array(body.utf8))))
        #expect(findings.map(\.name) == [code])
        #expect(findings.allSatisfy { $0.status == .fault && !$0.remedy.isEmpty })
    }

    private static func connection(_ text: String) throws -> ReceivedConnection {
        let base = #""time":1000000,"host":"collector.example.com","has_proxy_headers":true,"#
        return try #require(ReceivedConnection(try JSONValue.parse(Array("{\(base)\(text)}".utf8))))
    }

    @Test(arguments: [
        (#""has_forwarded_for":true,"proxy_is_trusted":true,"key":{"state":"known"}"#, []),
        (#""has_forwarded_for":false,"key":{"state":"known"}"#, ["proxy_hides_clients"]),
        (#""has_forwarded_for":true,"key":{"state":"known"}"#, ["proxy_not_trusted"]),
        (
            #""has_forwarded_for":true,"proxy_is_trusted":true,"key":{"state":"missing"}"#, ["proxy_drops_key"]
        ),
        (
            #""has_forwarded_for":false,"reads_without_key":true,"key":{"state":"known"}"#,
            ["proxy_opens_reading", "proxy_hides_clients"]
        ),
    ])
    func `the headers that a proxy forwards decide its faults`(_ text: String, _ codes: [String]) throws {
        let address = try CollectorAddress("https://collector.example.com", key: "tw_x")
        let findings = try #require(try Self.connection(text).proxyFindings(address, server: "nginx"))
        #expect(findings.map(\.name) == codes)
    }

    @Test(arguments: [
        ("http://collector.example.com", "trackway", nil), ("http://collector.example.com", "nginx", 1),
        ("http://collector.example.com:8787", "trackway", 2), ("https://collector.example.com", "trackway", 1),
    ])
    func `a proxy is recognized by the host, the encryption or the name of the server`(
        _ url: String,
        _ server: String,
        _ count: Int?
    ) throws {
        let text = #"{"time":1,"host":"collector.example.com:80","has_proxy_headers":false,"has_forwarded_for":false,"#
        let json = try JSONValue.parse(Array((text + #""key":{"state":"known"}}"#).utf8))
        var connection = try #require(ReceivedConnection(json))
        if url.hasPrefix("https") { connection.host = "collector.example.com:443" }
        let findings = connection.proxyFindings(try CollectorAddress(url, key: "k"), server: server)
        #expect(findings?.count == count)
    }

    @Test(
        arguments: [
            (1_000_000, 1_000_000, "ok"), (960_000, 970_000, "ok"), (960_000, 969_999, "clock_wrong"),
            (1_030_000, 1_030_000, "ok"), (1_030_001, 1_031_000, "clock_wrong"), (900_000, 1_000_000, "ok"),
        ] as [(Int64, Int64, String)]
    )
    func `a clock is wrong beyond thirty seconds and the duration of the request`(
        _ sent: Int64,
        _ received: Int64,
        _ code: String
    ) throws {
        let connection = try Self.connection(#""has_forwarded_for":false,"key":{"state":"known"}"#)
        let finding = connection.clockFinding(
            sent: Timestamp(milliseconds: sent),
            received: Timestamp(milliseconds: received)
        )
        #expect(finding.name == code)
    }

    @Test(
        arguments: [
            (9, 1_000, 10, "disk_reserve"), (19, 300, 10, "disk_low"), (400, 10_000, 10, "disk_low"),
            (700, 10_000, 10, "disk_filling"), (1_000, 10_000, 64, "ok"),
            (133_169_152, 1_073_741_824, 67_108_864, "disk_low"), (107_374_182_400, 10_995_116_277_760, 0, "ok"),
        ] as [(Int64, Int64, Int64, String)]
    )
    func `the free space decides whether a disk is nearly full`(
        _ free: Int64,
        _ size: Int64,
        _ reserve: Int64,
        _ code: String
    ) {
        #expect(DiskThreshold(free: free, size: size, reserve: reserve).finding("/data").name == code)
    }

    @Test(arguments: [
        ("trackway_index_wal_bytes 2000000000", "wal_large"), ("trackway_index_lag_seconds 301.5", "index_lag"),
        ("trackway_index_damaged 1", "log_damaged"), ("trackway_alerts_unknown 2", "alerts_unknown"),
        ("trackway_connections_open 91\ntrackway_connections_limit 100", "connections_full"),
        (
            "trackway_disk_free_bytes 10\ntrackway_disk_size_bytes 1000\ntrackway_disk_reserve_bytes 20",
            "disk_reserve"
        ),
    ])
    func `only a metric beyond its limit is a finding`(_ text: String, _ code: String) {
        #expect(CollectorMetrics(text + "\n").findings.contains { $0.name == code })
        let healthy = text.split(separator: "\n").map { line in
            line.split(separator: " ")[0] + (line.contains("disk_free") ? " 900" : line.contains("limit") ? " 9" : " 0")
        }
        #expect(!CollectorMetrics(healthy.joined(separator: "\n")).findings.contains { $0.name == code })
    }

    @Test
    func `a healthy collector has no fault, and its findings cover address, clock, key, intake, index and load`()
        async throws
    {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder) { address in
                let findings = await CollectorDiagnosis(client: CollectorClient(address)).run()
                #expect(!findings.contains { $0.status == .fault && $0.check != .disk }, "\(findings)")
                let checks = Set(findings.map(\.check))
                #expect(checks.isSuperset(of: [.address, .clock, .key, .intake, .index, .disk, .load]))
                #expect(!checks.contains(.proxy))
            }
        }
    }

    @Test
    func `the troubleshooting page lists every code of the sources, and no other`() throws {
        let root = DocumentedCommands.repository
        let folder = root.appending(path: "Server/Sources/TrackwayCommand/Doctor")
        var codes: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\.(fault|warning)\(\s*\.\w+,\s*"(\w+)"/) { codes.insert(String(match.2)) }
        }
        #expect(codes.count > 30)
        let path = root.appending(path: "Documentation/Operations/Troubleshooting.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        let table = page.split(separator: "## Codes")[1].split(separator: "\n\nA collector")[0]
        var listed: Set<String> = []
        for line in table.split(separator: "\n") where line.hasPrefix("| `") {
            for match in line.split(separator: "|")[0].matches(of: /`(\w+)`/) { listed.insert(String(match.1)) }
        }
        #expect(codes == listed, "\(codes.symmetricDifference(listed).sorted())")
    }

    @Test
    func `findings are printed with code and remedy, and the exit status is that of the worst one`() {
        let warning = DoctorFinding.warning(.index, "index_lag", "It is behind.", "Wait.")
        let fault = DoctorFinding.fault(.clock, "clock_wrong", "It is wrong.", "Set it.")
        #expect([DoctorFinding.ok(.address, "Fine.")].exitStatus == .success)
        #expect([warning].exitStatus == .degraded)
        #expect([fault, warning].exitStatus == .negative)
        let lines = DoctorText.lines([fault, warning], style: Style(isColored: false))
        #expect(lines[0] == "FAULT   clock        It is wrong.")
        #expect(lines[1] == "        → Set it. (clock_wrong)")
        #expect(lines.last == "1 fault, 1 warning.")
        #expect(DoctorText.lines([], style: Style(isColored: false)) == ["No faults found."])
    }
}

@Suite("Request log file")
struct RequestLogFileTests {
    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test
    func `a moved file is created again, and no line is lost`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trackway-log-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // a leftover folder is harmless
        let path = folder.appending(path: "requests.jsonl").path
        try Data("earlier\n".utf8).write(to: URL(fileURLWithPath: path))
        let log = try RequestLogFile(path: path) { Issue.record("\($0)") }
        for number in 0..<100 { log.append(Array("a\(number)".utf8)) }
        log.flush()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        for number in 0..<100 { log.append(Array("b\(number)".utf8)) }
        log.flush()
        #expect(try Self.lines(path + ".1") == ["earlier"] + (0..<100).map { "a\($0)" })
        #expect(try Self.lines(path) == (0..<100).map { "b\($0)" })
    }

    @Test
    func `a file that cannot be opened is reported at the start, and one that cannot be written once`() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try RequestLogFile(path: "/nowhere/requests.jsonl") { _ in }
        }
        #expect(failure?.status == .cannotCreate)
        let warnings = Locked(0)
        let log = try RequestLogFile(path: "/dev/full") { _ in warnings.withLock { $0 += 1 } }
        for _ in 0..<3 {
            log.append([65])
            log.flush()
        }
        #expect(warnings.withLock { $0 } == 1)
    }
}
