// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Device clocks in the index")
struct DeviceClockTests {
    private static let now: Int64 = 1_700_006_400_000
    private static let hour: Int64 = 3_600_000

    private static func context(start: Int64) -> String {
        #"{"context":{"boot":"b","user":{"id":"u"},"session":{"id":"s","number":1,"start":\#(start)}}}"#
    }

    private static func event(_ id: UInt64, _ name: String, time: Int64, mono: Int64) -> String {
        #"{"id":"\#(EventID.numbered(id))","name":"\#(name)","time":\#(time),"mono":\#(mono)}"#
    }

    private static func index(_ lines: [String], sent: Int64?) async throws -> IndexEnvironment {
        var batch = Batch(1, 1, 1...UInt64(lines.count - 1))
        batch.lines = lines
        batch.sent = sent
        batch.received = now
        let environment = try IndexEnvironment()
        try environment.append(batch)
        try await environment.index()
        return environment
    }

    @Test(arguments: [-5 * hour, 5 * hour, 40 * 24 * hour, -20_000 * hour])
    func `events and sessions of a device whose clock is hours or days off get the correct time`(_ skew: Int64)
        async throws
    {
        let sent = Self.now + skew
        let environment = try await Self.index(
            [Self.context(start: sent - 9_000), Self.event(1, "tick", time: sent - 2_000, mono: 7_000)],
            sent: sent
        )
        let event = try #require(try await environment.all().first)
        #expect(event.time.milliseconds == Self.now - 2_000)
        // The device's own time is stored as received.
        #expect(String(decoding: event.json, as: UTF8.self).contains("\"time\":\(sent - 2_000)"))
        let session = try #require(try await environment.store.sessions(matching: SessionQuery()).first)
        #expect(session.start.milliseconds == Self.now - 9_000)
        #expect(session.last.milliseconds == Self.now - 2_000)
    }

    @Test
    func `setting the clock back between two funnel steps does not hide the second step`() async throws {
        let environment = try await Self.index(
            [
                Self.context(start: Self.now + Self.hour - 121_000),
                Self.event(1, "view", time: Self.now + Self.hour - 120_000, mono: 1_000),
                Self.event(2, "buy", time: Self.now - 60_000, mono: 61_000),
            ],
            sent: Self.now
        )
        let funnel = FunnelQuery(
            steps: ["view", "buy"].map { QueryFilter(names: [$0]) },
            from: Timestamp(milliseconds: Self.now - Self.hour),
            to: Timestamp(milliseconds: Self.now),
            window: Self.hour
        )
        let series = try #require(try await environment.store.funnel(funnel).series.first)
        #expect(series.steps.map(\.people) == [1, 1] && series.steps[1].median == 60_000)
        let session = try #require(try await environment.store.sessions(matching: SessionQuery()).first)
        #expect(session.start.milliseconds == Self.now - 121_000)
        #expect(session.last.milliseconds == Self.now - 60_000)
    }

    @Test
    func `the times of a sender that does not report its clock are used unchanged`() async throws {
        let environment = try await Self.index(
            [Self.context(start: Self.now - 9_000), Self.event(1, "tick", time: Self.now - 5 * Self.hour, mono: 7)],
            sent: nil
        )
        #expect(try await environment.all().map(\.time.milliseconds) == [Self.now - 5 * Self.hour])
    }
}
