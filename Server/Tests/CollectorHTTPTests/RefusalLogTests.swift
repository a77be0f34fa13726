// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Logging
internal import Testing
internal import TrackwayCore

@testable internal import CollectorHTTP

@Suite("The log of rejected requests")
struct RefusalLogTests {
    @Test(
        arguments: [
            ([:], [:], nil), (["key_missing": 3], ["key_missing": 3], nil),
            (["key_missing": 2], ["key_missing": 3], nil),
            (
                ["key_missing": 5, "address_rate": 40, "a": 5], ["key_missing": 3, "address_rate": 1, "a": 3],
                "Requests refused or failed in the last minute: address_rate 39, a 2, key_missing 2."
            ),
        ] as [([String: UInt64], [String: UInt64], String?)]
    )
    func
        `a minute is logged as one line with its counts, the most frequent first; without rejections, none is logged`(
            _ counts: [String: UInt64],
            _ before: [String: UInt64],
            _ line: String?
        )
    {
        #expect(RefusalLog.line(counts, since: before) == line)
    }

    @Test
    func `services have descriptions for logs that do not reveal their contents`() {
        // The compiler checks that the others have names.
        let named: [any CustomStringConvertible.Type] = [CollectorServer.self, AlertService.self, RefusalLog.self]
        #expect(named.count == 3)
        let log = RefusalLog(statistics: Locked(RequestStatistics()), logger: Logger(label: "test"))
        #expect("\(log)" == "log of refused requests")
    }
}
