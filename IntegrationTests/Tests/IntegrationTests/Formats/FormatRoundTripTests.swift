// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Sends an app's events in three formats at the same time and compares two collectors.
@Suite("Round trips in other formats")
struct FormatRoundTripTests {
    enum Format: String, CaseIterable, Sendable {
        case clickstream
        case sensors

        /// Attributes of a captured event that the format cannot express; see Documentation/Compatibility.md.
        func unsupportedAttributes(of name: String) -> Set<String> {
            switch self {
            case .clickstream:
                [
                    "_start_kind", "_is_first_start", "_resumed_from_background", "_foreground_duration_msec",
                    CapturedKey.signedIn,
                    "_is_recovered",
                ]
            case .sensors:
                // The engagement time of the previous screen is only present on a slow machine: its minimum is one
                // second.
                name == CapturedName.screenView
                    ? ["_entrances", "_previous_screen_name", "_previous_timestamp", CapturedKey.engagementTime] : []
            }
        }

        /// The URL that clients of this format send their events to.
        func address(_ server: String) -> String {
            switch self {
            case .clickstream: "\(server)/collect"
            case .sensors: "\(server)/sa?project=recorder"
            }
        }
    }

    static let quick = [
        "--commands", "--capture", "--interval", "20", "--batch", "10", "--retry", "5", "40", "--timeout", "1000",
    ]

    @Test(arguments: Format.allCases)
    func `events sent in another format equal those in the native format`(_ format: Format) throws {
        let native = try Collector()
        let other = try Collector()
        try Self.recordAndDeliver(format, native: native.url, other: other.url)
        try Self.expectEqual(format, native, other)
    }

    @Test(arguments: Format.allCases)
    func `errors, lost responses and closed connections neither lose nor duplicate events`(_ format: Format) throws {
        let native = try Collector()
        let other = try Collector()
        let flaky = try FlakyServer(before: other.port) { request in
            switch request.number % 6 {
            case 1: .respond(503, type: "text/html", body: "busy")
            case 2: .loseResponse
            case 3: .hangUp
            case 4: .respond(500, type: "text/html", body: "<html>broken</html>")
            case 5: .respond(404, type: "text/html", body: "<html>nothing here</html>")
            default: .forward
            }
        }
        try Self.recordAndDeliver(format, native: native.url, other: flaky.url)
        #expect(flaky.received.count > 12)
        try Self.expectEqual(format, native, other)
    }

    @Test(arguments: Format.allCases)
    func `a collector killed during intake has every event once after its restart`(_ format: Format) throws {
        let native = try Collector()
        let other = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: native.url,
            Self.quick + ["--\(format)", format.address(other.url)]
        )
        try recorder.execute("sample")
        try other.kill()
        try recorder.execute("sample")
        try other.start()
        try recorder.execute("sample")
        try recorder.deliverAll()
        try Self.expectEqual(format, native, other)
    }

    /// Records the sample, restarts, records it again, and delivers everything.
    static func recordAndDeliver(_ format: Format, native: String, other: String) throws {
        let folder = try TemporaryFolder()
        let words = quick + ["--\(format)", format.address(other)]
        let first = try RecorderProcess(data: folder.path("data"), to: native, words)
        try first.execute("sample")
        try first.exit()
        let second = try RecorderProcess(data: folder.path("data"), to: native, words)
        try second.execute("sample")
        try second.deliverAll()
    }

    private static func expectEqual(_ format: Format, _ native: Collector, _ other: Collector) throws {
        let expected = try Arrival.all(in: native)
        let arrived = try Arrival.all(in: other)
        #expect(expected.count > 120)
        #expect(arrived.map(\.name) == expected.map(\.name))
        #expect(Set(arrived.map(\.id)).count == arrived.count)
        if format == .clickstream { #expect(arrived.map(\.id) == expected.map(\.id)) }
        for (arrived, expected) in zip(arrived, expected) {
            #expect(arrived.time == expected.time, "\(expected.name)")
            let unsaid = format.unsupportedAttributes(of: expected.name)
            let wanted = expected.attributes.filter { !unsaid.contains($0.key) }
            #expect(arrived.attributes == wanted, "\(expected.name)")
            #expect(arrived.user == expected.user, "\(expected.name)")
        }
    }
}
