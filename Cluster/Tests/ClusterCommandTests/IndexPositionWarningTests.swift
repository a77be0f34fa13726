// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing

@testable internal import trackway_cluster

@Suite("Logging of index positions that could not be reported")
struct IndexPositionWarningTests {
    @Test(arguments: [
        ("ok", ""), ("fail ok", ""), ("fail fail ok", ""), ("fail fail fail fail fail", "2 worse"),
        ("fail fail fail ok ok", "2 worse, 3 better"),
        ("fail fail ok fail fail fail ok fail ok", "5 worse, 6 better"),
    ])
    func `fewer than three failures in a row are not logged, and a lasting problem is logged at its start and end`(
        _ outcomes: String,
        _ expected: String
    ) {
        var reportLog = PositionReportLog()
        var logged: [String] = []
        for (index, outcome) in outcomes.split(separator: " ").enumerated() {
            if outcome == "ok" {
                if reportLog.reportSucceeded() != nil { logged.append("\(index) better") }
            } else if let warning = reportLog.reportFailed(StreamMaintenanceError("the connection was lost")) {
                #expect(warning.contains("purge") && warning.hasSuffix("the connection was lost"))
                logged.append("\(index) worse")
            }
        }
        #expect(logged.joined(separator: ", ") == expected)
    }
}
