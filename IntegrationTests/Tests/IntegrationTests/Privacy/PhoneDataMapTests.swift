// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Compares `Scripts/data-map` with every byte that an iPhone app sends in the simulation on its first day.
///
/// The simulated phone sends with libcurl, so the header fields that URLSession adds are not covered.
@Suite("Data map of a simulated iPhone", .timeLimit(.minutes(10)))
struct PhoneDataMapTests {
    private let map = Result { try DataMap() }
    private let proxy: RecordingProxy
    private let network: SimulatedSystem
    private let collector: Collector
    private let folder: TemporaryFolder

    init() throws {
        collector = try Collector()
        proxy = try RecordingProxy(before: collector.port)
        network = try SimulatedSystem([:], port: proxy.port)
        folder = try TemporaryFolder()
    }

    private func start(version: String = "1.0") throws -> SimulatedAppProcess {
        var environment = network.environment.merging(proxy.environment) { $1 }
        // The facts about the phone come from the program.
        environment["TRACKWAY_SIMULATED_ROOT"] = nil
        return try SimulatedAppProcess(
            "user",
            data: folder.path("shop"),
            to: "http://collector.test",
            version: version,
            ["--day", "first", "--screens", "found"],
            environment: environment
        )
    }

    @Test
    func `every byte of a first day is in the map, every row for Apple platforms is sent, and nothing before consent`()
        throws
    {
        let map = try map.get()
        let morning = try start()
        try morning.execute("tap Running shoes", "touch add", "back", "snapshot", "flush")
        #expect(proxy.received.isEmpty, "sent before consent")
        try morning.execute("decide", "describe", "snapshot", "tap Triggers")
        try morning.wait(forText: "the line came into sight")
        try morning.execute(
            "touch targetAction",
            "help",
            "later 5",
            "letter",
            "list",
            "touch own_row1",
            "close-help",
            "back"
        )
        try morning.execute("tap Hiking boots", "touch add", "back", "tap buy", "back")
        try morning.deliverAll()
        try morning.suspend()
        try morning.kill()

        let evening = try start(version: "1.1")
        try evening.execute("report-crash", "snapshot")
        try evening.deliverAll()
        try evening.execute("sign-out")
        try evening.deliverAll()
        try evening.execute("erase")
        try evening.deliverAll()
        try evening.kill()

        let sent = Set(
            try proxy.received.flatMap { try RecordedRequest.parse($0) }.flatMap { try SentField.fields(in: $0) }
        )
        map.expectAll(sent)
        map.expectRowsSent(sent, for: ["apple", "uikit"]) { !$0.path.hasPrefix("header.") }
        #expect(network.refused == [], "connections past the proxy")
    }
}
