// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@Suite("Retry-After")
struct RetryAfterTests {
    @Test(
        arguments: [
            ("0", .zero),
            ("120", .seconds(120)),
            ("99999999999999999999999999", .seconds(366 * 24 * 3_600)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)),
            ("Sun Nov  6 08:50:37 1994", .seconds(60)),
            ("Sun, 06 Nov 1994 08:48:37 GMT", .zero),
            ("", nil),
            ("-1", nil),
            ("1.5", nil),
            ("soon", nil),
            ("Sun, 06 Now 1994 08:50:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:50:37 PST", nil),
            ("Sun, 32 Nov 1994 08:50:37 GMT", nil),
        ] as [(String, Duration?)]
    )
    func `seconds and dates are parsed, and anything else is ignored`(text: String, wait: Duration?) {
        let response = WireResponse(
            status: 503,
            headers: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": text]
        )
        #expect(RetryAfter.duration(in: response) == wait)
    }

    @Test
    func `a date is measured from the response's date, not from an incorrect device clock`() {
        var response = WireResponse(
            status: 429,
            headers: ["retry-after": "Sun, 06 Nov 1994 08:50:37 GMT", "date": "Sun, 06 Nov 1994 08:49:37 GMT"],
            receivedAt: Timestamp(milliseconds: 4_000_000_000_000)
        )
        #expect(RetryAfter.duration(in: response) == .seconds(60))
        response.headers["date"] = nil
        #expect(RetryAfter.duration(in: response) == .zero)
        response.receivedAt = nil
        #expect(RetryAfter.duration(in: response) == nil)
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777_000),
            ("Sun Nov  6 08:49:37 1994", 784_111_777_000),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000_000),
            ("Sunday, 01-Mar-26 00:00:00 GMT", 1_772_323_200_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799_000),
        ] as [(String, Int64)]
    )
    func `dates of all three formats are parsed`(text: String, milliseconds: Int64) {
        #expect(HTTPDate.parse(text) == Timestamp(milliseconds: milliseconds))
    }
}
