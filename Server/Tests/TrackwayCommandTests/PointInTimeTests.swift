// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Times as arguments")
struct PointInTimeTests {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    @Test(
        arguments: [
            ("1700000000000", 1_700_000_000_000),
            ("2023-11-14", 1_699_920_000_000),
            ("2023-11-14T22:13", 1_699_999_980_000),
            ("2023-11-14T22:13:20", 1_700_000_000_000),
            ("2023-11-14T22:13:20Z", 1_700_000_000_000),
            ("2023-11-14T22:13:20.000Z", 1_700_000_000_000),
            ("30s", 1_699_999_970_000),
            ("2h", 1_699_992_800_000),
            ("1d", 1_699_913_600_000),
            ("0m", 1_700_000_000_000),
        ] as [(String, Int64)]
    )
    func `every accepted form is parsed`(text: String, milliseconds: Int64) throws {
        #expect(try PointInTime(text, now: now).timestamp.milliseconds == milliseconds)
    }

    @Test(arguments: ["", "yesterday", "2023-13-01", "12", "h", "-2h", "9999999d"])
    func `other text is rejected with an error that lists the accepted forms`(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try PointInTime(text, now: now) }
        #expect(failure?.status == .usage)
        #expect(failure?.remedy.contains("2h") == true)
    }
}
