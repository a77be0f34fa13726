// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable import CollectorCore

@Suite("Names reserved by the collector in other formats")
struct ReservedNameTests {
    private static let names = ["_installation_erased", "_installation_moved", "_installation_"]

    private static func batches(_ name: String) throws -> [(format: String, batch: VendorBatch)] {
        let victim = InstallationSecret(high: 0, low: 1).installation(at: Timestamp(milliseconds: 1))
        let proof = #""installation":"\#(victim)","proof":"\#(InstallationSecret(high: 0, low: 1))""#
        let clickstream = """
            [{"event_type":"\(name)","event_id":"e","timestamp":1718000000000,"app_id":"shop_ios","device_id":"d",\
            "unique_id":"u","attributes":{\(proof)}}]
            """
        let sensors = """
            [{"type":"track","event":"\(name)","time":1718000000000,"distinct_id":"d","properties":{\(proof)}}]
            """
        let sift = """
            {"data":[{"time":1718000000000,"mobile_event_type":"\(name)","installation_id":"\(victim)","fields":{\(proof)}}]}
            """
        return [
            ("clickstream", try VendorEnvironment.clickstream(Array(clickstream.utf8))),
            ("sensors_analytics", try VendorEnvironment.sensors(VendorEnvironment.form(sensors))),
            ("sift", try VendorEnvironment.sift(Array(sift.utf8))),
        ]
    }

    @Test(arguments: names)
    func `an event of another format is renamed, keeping its name as an attribute with the reason`(_ name: String)
        throws
    {
        for (format, batch) in try Self.batches(name) {
            let kept = try VendorEnvironment.visit(batch)
            #expect(kept.map(\.name) == ["\(format):\(name)"], "\(format)")
            #expect(kept.first?.attributes?["_original_name"]?.string == name, "\(format)")
            #expect(kept.first?.attributes?["_renamed_because"]?.string?.isEmpty == false, "\(format)")
            #expect(kept.first?.attributes?["proof"]?.string != nil, "\(format)")
        }
    }

    @Test(arguments: ["installation_erased", "_Installation_erased", "_first_open"])
    func `other names stay unchanged`(_ name: String) throws {
        for (format, batch) in try Self.batches(name) {
            #expect(try VendorEnvironment.visit(batch).map(\.name) == [name], "\(format)")
        }
    }
}
