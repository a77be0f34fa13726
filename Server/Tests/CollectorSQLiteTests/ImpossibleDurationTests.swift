// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable import CollectorSQLite

@Suite("Impossible durations of use")
struct ImpossibleDurationTests {
    private static let tenYears: Int64 = 10 * 366 * 86_400_000

    /// The sum of two such durations overflows.
    ///
    /// An index that stopped at them would never get past them.
    @Test(arguments: [Int64.max, tenYears + 1, -1, .min])
    func `impossible durations are ignored, the index continues, and the other data of the events is counted`(
        _ milliseconds: Int64
    ) async throws {
        var batch = Batch(1, 1, 1...8)
        batch.lines = [
            #"{"context":{"session":{"id":"s1","number":1,"start":1000},"screen":{"name":"Home"}}}"#,
            Self.end(1, milliseconds), Self.end(2, milliseconds),
            Self.engagement(3, milliseconds), Self.engagement(4, milliseconds),
            Self.view(5, milliseconds), Self.view(6, milliseconds),
            Self.end(7, Self.tenYears), Self.end(8, 0),
        ]
        let environment = try IndexEnvironment()
        try environment.append(batch)
        try await environment.index()
        let session = try #require(try await environment.store.sessions(matching: SessionQuery()).first)
        #expect(session.events == 8 && session.engagement == 0 && session.foreground == Self.tenYears)
        #expect(session.launches.map(\.duration) == [nil, nil, Self.tenYears, 0])
        #expect(session.screens.map(\.engagement) == [0, 0])
    }

    private static func end(_ id: UInt64, _ milliseconds: Int64) -> String {
        line(id, "_app_end", attributes: #"{"_foreground_duration_msec":\#(milliseconds)}"#)
    }

    private static func engagement(_ id: UInt64, _ milliseconds: Int64) -> String {
        line(id, "_user_engagement", attributes: #"{"_engagement_time_msec":\#(milliseconds)}"#)
    }

    private static func view(_ id: UInt64, _ milliseconds: Int64) -> String {
        line(id, "_screen_view", attributes: #"{"_screen_name":"Home","_engagement_time_msec":\#(milliseconds)}"#)
    }
}
