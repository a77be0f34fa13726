// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

@Suite("Forged erasures")
struct ForgedErasureTests {
    private static let secret = InstallationSecret.generate()
    private static let victim = secret.installation(at: Timestamp(milliseconds: 1_795_000_000_000))

    private static func batch(_ sender: InstallationID, _ first: Int, _ lines: [String]) -> [UInt8] {
        let header = """
            {"batch":{"installation":"\(sender)","writer":"\(sender)","first":\(first),"last":\(first + lines.count - 1)}}
            """
        return Array(([header] + lines).joined(separator: "\n").utf8)
    }

    private static func tombstone(_ more: String = "") -> String {
        #"{"name":"_installation_erased","time":1795000000000,"attributes":{"installation":"\#(victim)"\#(more)}}"#
    }

    @Test
    func `only the installation itself or an operator can erase it, not a forged request in any format`() throws {
        let collector = try Collector()
        #expect(try collector.post(Self.batch(Self.victim, 1, [#"{"name":"a"}"#, #"{"name":"b"}"#])).status == 200)
        let otherInstallation = InstallationID.generate(at: Timestamp(milliseconds: 1_795_000_000_000))
        let forgeries = [
            ("content-type", "text/plain"), ("origin", "https://evil.example"), ("sec-fetch-site", "cross-site"),
        ]
        let attributes = #"{"installation":"\#(Self.victim)","proof":"\#(InstallationSecret.generate())"}"#
        let click = """
            [{"event_type":"_installation_erased","event_id":"x","timestamp":1795000000000,"app_id":"shop","device_id":"d",\
            "unique_id":"u","attributes":\(attributes)}]
            """
        let sensors = """
            {"type":"track","event":"_installation_erased","time":1795000000000,"distinct_id":"d","properties":\(attributes)}
            """
        let sift = """
            {"data":[{"time":1795000000000,"mobile_event_type":"_installation_erased","installation_id":"\(Self.victim)",\
            "fields":\(attributes)}]}
            """
        #expect(collector.send("POST /collect?appId=shop", forgeries, Array(click.utf8)) != nil)
        #expect(collector.send("POST /sa?project=shop", [], Array("data=\(sensors)".utf8))?.status == 200)
        let key = ("authorization", "Bearer \(Collector.key)")
        #expect(collector.send("PUT /v3/accounts/shop/mobile_events", [key], Array(sift.utf8))?.status == 200)
        for (sender, first) in [(otherInstallation, 1), (Self.victim, 3)] {
            for more in ["", #","proof":"\#(Self.victim)""#, #","proof":7"#] {
                let response = try collector.post(Self.batch(sender, first, [Self.tombstone(more)]))
                #expect(response.status == 200 && response.text.contains("erasure_unproved"), "\(response.text)")
            }
        }
        #expect(collector.send("DELETE /v1/installations/\(Self.victim)", forgeries, [])?.status == 401)
        try collector.waitForIndex()
        #expect(try collector.rows(of: "\(Self.victim)").count == 2 + 1)
        #expect(try collector.get("/v1/ledger")["erasures"]?.array?.isEmpty == true)
        // After a restart, a new index built from the same log has the same result.
        try collector.kill()
        for suffix in ["", "-wal", "-shm"] {
            // The file may not exist.
            try? FileManager.default.removeItem(atPath: collector.data + "/index.sqlite" + suffix)
        }
        try collector.start()
        try collector.waitForIndex()
        #expect(try collector.rows(of: "\(Self.victim)").count == 2 + 1)

        let proved = try collector.post(
            Self.batch(otherInstallation, 9, [Self.tombstone(#","proof":"\#(Self.secret)""#)])
        )
        #expect(proved.status == 200 && !proved.text.contains("rejected\":[{"), "\(proved.text)")
        try collector.waitForIndex()
        #expect(try collector.rows(of: "\(Self.victim)").isEmpty)
        let lateResponse = try collector.post(Self.batch(Self.victim, 4, [#"{"name":"late"}"#]))
        #expect(
            lateResponse.status == 200 && lateResponse.text.contains("installation_erased")
                && lateResponse.text.contains(#""accepted":0"#)
        )
        try collector.waitForIndex()
        let erasures = try collector.get("/v1/ledger")["erasures"]?.array
        #expect(erasures?.count == 1 && erasures?.first?["by"]?.string == "installation")
        #expect(erasures?.first?["events"]?.integer == 4)
        #expect(try collector.metric("trackway_index_erased_installations") == 1)

        let erase = try Program(
            try CollectorBinary.path(),
            ["installations", "erase", "\(otherInstallation)", "--url", collector.url, "--key", Collector.key]
        )
        #expect(try erase.allLines().joined().contains("Erased \(otherInstallation)"))
        #expect(try erase.status() == .exited(0))
        #expect(try collector.get("/v1/ledger")["erasures"]?.array?.count == 2)
    }
}
