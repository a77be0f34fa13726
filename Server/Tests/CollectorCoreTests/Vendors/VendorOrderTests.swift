// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable import CollectorCore

@Suite("Bodies with many users")
struct VendorOrderTests {
    @Test
    func `events stay in the order of arrival, regardless of their users`() throws {
        let people = ["a", "b", "a", "c", "b", "a"]
        let events = people.enumerated().map { index, person in
            #"{"type":"track","event":"e\#(index)","time":1718000000000,"distinct_id":"\#(person)","properties":{}}"#
        }
        let batch = try VendorEnvironment.sensors(VendorEnvironment.form("[\(events.joined(separator: ","))]"))
        let kept = try VendorEnvironment.visit(batch)
        #expect(kept.map(\.name) == (0..<6).map { "e\($0)" })
        #expect(kept[0].installation == kept[2].installation && kept[0].installation != kept[1].installation)
        #expect(kept.allSatisfy { $0.context?["app"]?["project"]?.string == "production" })
    }

    @Test
    func `an event that names a project belongs to that project`() throws {
        let event =
            #"{"type":"track","event":"e","project":"other","time":1718000000000,"distinct_id":"d","properties":{}}"#
        let kept = try VendorEnvironment.visit(try VendorEnvironment.sensors(VendorEnvironment.form("[\(event)]")))
        #expect(kept.first?.context?["app"]?["project"]?.string == "other")
    }

    @Test
    func `an element longer than the maximum event is rejected without being parsed; the others are accepted`() throws {
        let long = "[" + String(repeating: "[],", count: 100_000) + "0]"
        let good = #"{"type":"track","event":"e","time":1718000000000,"distinct_id":"d","properties":{}}"#
        let bad = #"{"type":"track","event":"e","time":1,"distinct_id":"d","properties":{"x":\#(long)}}"#
        let sensors = try VendorEnvironment.sensors(VendorEnvironment.form("[\(good),\(bad),\(good)]", gzip: 0))
        #expect(sensors.accepted == 2 && sensors.rejected.map(\.code) == ["event_too_large"])
        #expect(sensors.records.reduce(0) { $0 + $1.count } < 16 << 10)
        let sift = try VendorEnvironment.sift(
            Array(#"{"data":[{"time":1},{"fields":{"x":\#(long)}},{"time":2}]}"#.utf8)
        )
        #expect(sift.accepted == 2 && sift.rejected.map(\.code) == ["event_too_large"])
        let click = try VendorEnvironment.clickstream(Array("[{\"x\":\(long)}]".utf8))
        #expect(click.accepted == 0 && click.rejected.map(\.code) == ["event_too_large"])
    }
}
