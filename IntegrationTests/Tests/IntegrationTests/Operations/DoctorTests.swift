// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Plants faults in real collectors, proxies and folders, and runs `trackway doctor` on them.
@Suite("Faults found by the doctor")
struct DoctorTests {
    /// The result of one run.
    private struct Diagnosis {
        /// The codes of faults and warnings.
        var codes: [String]
        /// The findings by code.
        var findings: [String: JSONValue]
        var status: IntegrationTestSupport.ExitStatus

        /// Expects exactly these codes, a remedy for each, and the exit status of the worst finding.
        func expect(_ expected: [String], status: Int32 = 1) {
            #expect(codes.sorted() == expected.sorted())
            #expect(self.status == .exited(status))
            for code in expected {
                #expect(findings[code]?["remedy"]?.string?.isEmpty == false, "\(code)")
                #expect(findings[code]?["message"]?.string?.isEmpty == false, "\(code)")
            }
        }
    }

    /// Runs the doctor.
    ///
    /// - Parameters:
    ///   - data: The folder to check.
    ///   - ignoring: Codes that depend on the machine, such as its free disk space.
    private static func diagnose(
        _ url: String,
        _ options: [String] = [],
        data: String? = nil,
        key: String? = nil,
        environment: [String: String] = [:],
        ignoring: Set<String> = ["disk_filling", "disk_low"]
    ) throws -> Diagnosis {
        let empty = try TemporaryFolder()
        var words = ["doctor", "--json", "--url", url] + options
        if let key { words += ["--key", key] }
        if let data { words += ["--data", data] }
        let base = ["TRACKWAY_DATA": empty.path("none"), "TRACKWAY_KEY": ""]
        let program = try Program(CollectorBinary.path(), words, environment: base.merging(environment) { $1 })
        var findings: [String: JSONValue] = [:]
        var codes: [String] = []
        for line in try program.allLines() {
            let finding = try JSONValue.parse(Array(line.utf8))
            let code = try #require(finding["code"]?.string)
            findings[code] = finding
            guard ["fault", "warning"].contains(finding["status"]?.string), !ignoring.contains(code) else { continue }
            codes.append(code)
        }
        return Diagnosis(codes: codes, findings: findings, status: try program.status())
    }

    private static func run(_ words: [String], in folder: String) throws {
        let command = try Program("/usr/bin/env", ["-C", folder] + words)
        guard try command.status() == .exited(0) else { throw TestSupportError("\(words) failed:\n\(command.tail)") }
    }

    @Test
    func `a healthy collector and its folder have no fault`() throws {
        let collector = try Collector()
        _ = try collector.makeKey("app", [])
        let diagnosis = try Self.diagnose(collector.url, data: collector.data, key: Collector.key)
        #expect(diagnosis.codes == [])
    }

    @Test
    func `a port without a program and a port of another program have different codes`() throws {
        try Self.diagnose("http://127.0.0.1:\(Listener.freePort())").expect(["nothing_listens"])
        let other = try FlakyServer(before: 0) { _ in .bytes(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)) }
        try Self.diagnose(other.url).expect(["port_in_use"])
        let silent = try FlakyServer(before: 0) { _ in .hangUp }
        try Self.diagnose(silent.url).expect(["port_in_use"])
    }

    @Test
    func `an address of another server is not a collector`() throws {
        let page = try FlakyServer(before: 0) { _ in
            .respond(404, type: "text/html", body: "<html><body>Not found</body></html>")
        }
        try Self.diagnose(page.url).expect(["url_is_not_a_collector"])
        page.setReply { _ in .respond(301, headers: [("location", "https://other.example/")], body: "") }
        try Self.diagnose(page.url).expect(["url_redirects"])
        let collector = try Collector()
        try Self.diagnose("https://127.0.0.1:\(collector.port)").expect(["url_needs_http"])
    }

    @Test
    func `a missing key, an unknown key and a key without the scope are faults`() throws {
        let collector = try Collector(options: [])
        let write = try collector.makeKey("app", [])
        let read = try collector.makeKey("support", ["--scope", "read"])
        try collector.wait(forStatus: 200, of: read)
        try Self.diagnose(collector.url).expect(["key_missing"])
        try Self.diagnose(collector.url, key: "tw_unknown").expect(["key_unknown"])
        try Self.diagnose(collector.url, key: write).expect(["key_scope"])
        try Self.diagnose(collector.url, ["--scope", "write"], key: read).expect(["key_scope"])
        #expect(try Self.diagnose(collector.url, ["--scope", "write"], key: write).codes == [])
        #expect(try Self.diagnose(collector.url, key: read).codes == [])
    }

    @Test
    func `a clock that is two hours off is a fault`() throws {
        let collector = try Collector()
        let clock = try ClockShift()
        try clock.set(.seconds(7_200))
        let diagnosis = try Self.diagnose(collector.url, key: Collector.key, environment: clock.environment)
        diagnosis.expect(["clock_wrong"])
        #expect(diagnosis.findings["clock_wrong"]?["message"]?.string?.contains("2 h behind") == true)
    }

    @Test
    func `a folder that others may read, a file of another user and a broken key file are faults`() throws {
        let collector = try Collector()
        _ = try collector.makeKey("app", [])
        try collector.stop()
        let url = "http://127.0.0.1:\(collector.port)"
        try Self.run(["chmod", "755", "."], in: collector.data)
        try Self.diagnose(url, data: collector.data).expect(["nothing_listens", "folder_readable_by_others"])
        try Self.run(["chmod", "700", "."], in: collector.data)
        try Data("broken line\n".utf8).write(to: URL(fileURLWithPath: collector.data + "/keys"))
        try Self.diagnose(url, data: collector.data).expect(["nothing_listens", "keys_unreadable"])
        try FileManager.default.removeItem(atPath: collector.data + "/keys")
        try Self.diagnose(url, data: collector.data).expect(["nothing_listens", "keys_missing"])
        try Self.diagnose(url, data: collector.data + "/none").expect(["nothing_listens", "folder_missing"])
        guard geteuid() == 0 else { return }
        try Self.run(["chown", "12345", "index.sqlite"], in: collector.data)
        try Self.diagnose(url, data: collector.data).expect(["nothing_listens", "keys_missing", "folder_owners_differ"])
    }

    @Test
    func `an index of another version and a large write-ahead log are found`() throws {
        let collector = try Collector()
        _ = try collector.makeKey("app", [])
        _ = try collector.post(Array(#"{"name":"a"}"#.utf8))
        try collector.waitForIndex()
        try collector.stop()
        let url = "http://127.0.0.1:\(collector.port)"
        func change(_ sql: String) throws {
            let script = "import sqlite3; c = sqlite3.connect('index.sqlite'); c.executescript(\"\(sql)\"); c.close()"
            try Self.run(["python3", "-c", script], in: collector.data)
        }
        #expect(try Self.diagnose(url, data: collector.data).codes == ["nothing_listens"])
        try change("DELETE FROM grdb_migrations WHERE identifier = '19'")
        try Self.diagnose(url, data: collector.data).expect(["nothing_listens", "index_old"])
        try change("INSERT INTO grdb_migrations VALUES ('19'); INSERT INTO grdb_migrations VALUES ('future')")
        try Self.diagnose(url, data: collector.data).expect(["nothing_listens", "index_newer"])
        try change("DELETE FROM grdb_migrations WHERE identifier = 'future'")
        // A sparse file, which takes no space.
        try Self.run(["truncate", "-s", "1100M", "index.sqlite-wal"], in: collector.data)
        try Self.diagnose(url, data: collector.data).expect(["nothing_listens", "wal_large"])
        try Self.run(["rm", "index.sqlite-wal"], in: collector.data)
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: collector.data + "/index.sqlite"))
        try Self.diagnose(url, data: collector.data).expect(["nothing_listens", "index_unreadable"])
    }

    @Test(.enabled("mounting a small disk needs root") { SmallDisk.isSupported })
    func `a disk below the reserve is a fault, and a disk with free space is not`() throws {
        let disk = try SmallDisk(megabytes: 400)
        let collector = try Collector(data: disk.path + "/collector")
        _ = try collector.makeKey("app", [])
        func diagnose() throws -> Diagnosis {
            try Self.diagnose(collector.url, data: collector.data, key: Collector.key, ignoring: [])
        }
        #expect(try diagnose().codes == [])
        try disk.fill(leaving: 100 << 20)
        try diagnose().expect(["disk_low"])
        try disk.freeSpace()
        try disk.fill(leaving: 20 << 20)
        // The intake checks the space at most once a second.
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while try collector.send(HTTPMessage(startLine: "GET /readyz/intake HTTP/1.1")).status == 200 {
            guard Date() < deadline else { throw TimeoutError("the intake does not refuse batches") }
            _ = try collector.post(Array(#"{"name":"a"}"#.utf8))
        }
        try diagnose().expect(["disk_low", "disk_reserve"])
    }

    // MARK: Proxies

    @Test(.enabled(if: Nginx.isInstalled))
    func `faults of nginx are found, and the documented settings have none`() throws {
        let documented = try Nginx.documentedSettings()
        let collector = try Collector(options: ["--trusted-proxy", "127.0.0.1"])
        let key = try collector.makeKey("support", ["--scope", "read"])
        try collector.wait(forStatus: 200, of: key)
        func diagnose(_ settings: String, _ port: UInt16) throws -> Diagnosis {
            let nginx = try Nginx(before: port, settings)
            return try Self.diagnose(nginx.url, key: key)
        }
        #expect(try diagnose(documented, collector.port).codes == [])
        try diagnose("", collector.port)
            .expect(["proxy_hides_clients", "proxy_changes_host", "proxy_limits_bodies"])
        try diagnose(documented + "proxy_set_header Authorization \"\";", collector.port)
            .expect(["proxy_drops_key"])
        try diagnose(documented, Listener.freePort()).expect(["proxy_without_collector"])

        let untrusting = try Collector(options: [])
        let own = try untrusting.makeKey("support", ["--scope", "read"])
        try untrusting.wait(forStatus: 200, of: own)
        let nginx = try Nginx(before: untrusting.port, documented)
        try Self.diagnose(nginx.url, key: own).expect(["proxy_not_trusted"])
    }

    @Test
    func `a proxy that lets its clients read without a key is a fault`() throws {
        let collector = try Collector()
        // The proxy adds no header, and forwards the host of the collector.
        let proxy = try FlakyServer(before: collector.port) { _ in .forward }
        let diagnosis = try Self.diagnose(proxy.url, key: Collector.key)
        #expect(!diagnosis.codes.contains("proxy_opens_reading"), "the proxy does not differ from the collector")
        guard Nginx.isInstalled else { return }
        let settings = "proxy_http_version 1.1; proxy_set_header Connection \"\"; client_max_body_size 16m;"
        let nginx = try Nginx(before: collector.port, settings)
        let found = try Self.diagnose(nginx.url, key: Collector.key)
        found.expect(["proxy_opens_reading", "proxy_hides_clients", "proxy_changes_host"])
    }

    @Test(.enabled(if: Nginx.isInstalled))
    func `certificates that are untrusted, expired or for another name are faults`() throws {
        let collector = try Collector(options: ["--trusted-proxy", "127.0.0.1"])
        let key = try collector.makeKey("support", ["--scope", "read"])
        try collector.wait(forStatus: 200, of: key)
        let documented = try Nginx.documentedSettings()
        let folder = try TemporaryFolder()
        func openSSL(_ words: String) throws {
            try Self.run(["openssl"] + words.split(separator: " ").map(String.init), in: folder.path)
        }
        let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout"
        try openSSL("req -x509 -days 2 -subj /CN=authority -out ca.pem \(newKey) ca.key")
        func certificate(_ name: String, _ subject: String, days: Int) throws {
            let extensions = "subjectAltName=\(subject)\n"
            try Data(extensions.utf8).write(to: URL(fileURLWithPath: folder.path("\(name).ext")))
            try openSSL("req -new -subj /CN=\(name) -out \(name).csr \(newKey) \(name).key")
            try openSSL(
                "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days)"
                    + " -extfile \(name).ext -out \(name).pem"
            )
        }
        try certificate("valid", "IP:127.0.0.1", days: 2)
        try certificate("expired", "IP:127.0.0.1", days: -1)
        try certificate("other", "DNS:other.example", days: 2)
        func diagnose(_ name: String, _ options: [String]) throws -> Diagnosis {
            let files = (folder.path("\(name).pem"), folder.path("\(name).key"))
            let nginx = try Nginx(before: collector.port, documented, certificate: files)
            return try Self.diagnose(nginx.url, options, key: key)
        }
        let trusted = ["--ca", folder.path("ca.pem")]
        #expect(try diagnose("valid", trusted).codes == [])
        try diagnose("valid", []).expect(["certificate_untrusted"])
        try diagnose("expired", trusted).expect(["certificate_expired"])
        try diagnose("other", trusted).expect(["certificate_name"])
        let nginx = try Nginx(
            before: collector.port,
            documented,
            certificate: (folder.path("valid.pem"), folder.path("valid.key"))
        )
        try Self.diagnose(nginx.url.replacing("https:", with: "http:"), key: key).expect(["url_needs_https"])
    }
}
