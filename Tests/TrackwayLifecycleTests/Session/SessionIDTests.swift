// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Session ids")
struct SessionIDTests {
    @Test(
        arguments: [
            ("0E6614B7-2D2C-4774-AB2F-B0A9dc7a7a18", 1_693_919_966_703, "dc7a7a18-20230905-131926703"),
            ("dc7a7a18", 1_685_082_158_846, "dc7a7a18-20230526-062238846"),
            ("12345678", 0, "12345678-19700101-000000000"),
            ("12345678", 951_782_399_999, "12345678-20000228-235959999"),
            ("12345678", 951_782_400_000, "12345678-20000229-000000000"),
            ("12345678", 4_107_542_399_999, "12345678-21000228-235959999"),
            ("12345678", 4_107_542_400_000, "12345678-21000301-000000000"),
            ("12345678", -1, "12345678-19691231-235959999"),
            ("abc", 0, "_____abc-19700101-000000000"),
            ("", 0, "________-19700101-000000000"),
            ("用户一二三四五六七八九", 0, "二三四五六七八九-19700101-000000000"),
            ("👨‍👩‍👧‍👦👩🏽‍🚀", 0, "______👨‍👩‍👧‍👦👩🏽‍🚀-19700101-000000000"),
            ("12345678", Int64.max, "12345678-99991231-235959999"),
            ("12345678", Int64.min, "12345678-00000101-000000000"),
        ] as [(String, Int64, String)]
    )
    func `a session id consists of the end of the unique id and the start time in UTC`(
        uniqueID: String,
        milliseconds: Int64,
        id: String
    ) {
        #expect(SessionID.make(uniqueID: uniqueID, start: Timestamp(milliseconds: milliseconds)) == id)
    }
}
