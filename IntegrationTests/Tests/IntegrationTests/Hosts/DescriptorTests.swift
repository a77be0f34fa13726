// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// The number of descriptors that several instances need; the SDK guide states these numbers.
@Suite("Descriptors of several instances")
struct DescriptorTests {
    private static let count = 20
    /// Descriptors per instance: the current segment, the next one, and the locks for writing and delivery.
    private static let each = 4
    /// Descriptors shared by all instances of a process: the network thread, its connections, and other shared ones.
    private static let shared = 16

    @Test
    func `each instance has at most four descriptors open, when idle and after sending`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: collector.url,
            ["--commands", "--no-life-cycle", "--interval", "20"]
        )
        _ = try recorder.installation()
        try recorder.execute("record 1")
        try recorder.deliverAll()
        func open() throws -> Int {
            try #require(Int(try recorder.response(to: "descriptors")))
        }
        let before = try open()
        try recorder.execute("open \(Self.count)")
        let resting = try open() - before
        #expect(resting <= Self.count * Self.each + Self.shared, "\(resting) for \(Self.count)")
        let delivered = try recorder.responses(to: "spread 60", startingWith: "delivered")
        #expect(delivered == ["\(Self.count)"])
        let sent = try open() - before
        #expect(sent <= Self.count * Self.each + Self.shared, "\(sent) for \(Self.count)")
        try recorder.exit()
    }
}
