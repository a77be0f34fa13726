// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters
import IdleCounting
import Trackway

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Measures wake-ups and writes of an app while it is idle or nearly idle.
///
///     trackway-idle off|on|steady|two-apps SECONDS SINK-PORT FOLDER    nothing captured | everything captured |
///                                                                      an event every 10 s | a second app runs too
///     trackway-idle second-process SINK-PORT FOLDER                    lets the first process deliver an event, and
///                                                                      prints the delay
///     trackway-idle run SECONDS SINK-PORT FOLDER                       runs without doing anything
@main
struct Idle {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let mode = arguments.isEmpty ? "help" : arguments.removeFirst()
        if mode == "second-process", arguments.count == 2, let port = UInt16(arguments[0]) {
            return try await deliverFromSecondProcess(port, arguments[1])
        }
        guard arguments.count == 3, let seconds = Int(arguments[0]), let port = UInt16(arguments[1]) else {
            print(
                "usage: trackway-idle off|on|steady|two-apps|run SECONDS SINK-PORT FOLDER, or second-process SINK-PORT FOLDER"
            )
            return
        }
        let analytics = try Analytics(configuration(port, arguments[2], captures: mode == "on"))
        analytics.record("started")
        _ = await analytics.flush(timeout: .seconds(10))
        // Wait until all work after a start is done: reports, removals, and, with capture, the heartbeat half a minute
        // after the start.
        try await Task.sleep(for: .seconds(mode == "run" ? 0 : 10))
        if mode == "on" {
            let started = IdleCount()
            try await Task.sleep(for: .seconds(30))
            IdleCount().report(since: started, label: "on, 10 to 40 s after its start", includesThreads: false)
        }
        let before = IdleCount()
        if mode == "steady" {
            for _ in 0..<seconds / 10 {
                analytics.record("product_viewed", ["category": "shoes", "price": 9.99])
                try await Task.sleep(for: .seconds(10))
            }
        } else {
            try await Task.sleep(for: .seconds(seconds))
        }
        if mode != "run" { IdleCount().report(since: before, label: "\(mode), \(seconds) s", includesThreads: true) }
        let accounts = analytics.ledger().destinations["collector"]
        if mode == "steady" { print("    delivered: \(accounts?.delivered ?? 0), pending: \(accounts?.pending ?? 0)") }
    }

    /// Records one event in a second process and lets the first one deliver it.
    private static func deliverFromSecondProcess(_ port: UInt16, _ folder: String) async throws {
        let analytics = try Analytics(configuration(port, folder, captures: false))
        // Wait until this process knows that another one delivers.
        try await Task.sleep(for: .seconds(3))
        analytics.record("second_process")
        let start = ccounters_nanoseconds()
        let report = await analytics.flush(timeout: .seconds(20))
        let milliseconds = (ccounters_nanoseconds() - start) / 1_000_000
        let account = report.destinations["collector"]
        print("delivered for a second process: \(milliseconds) ms, \(account?.pending ?? 0) still pending")
        await analytics.shutdown(timeout: .zero)
    }

    private static func configuration(_ port: UInt16, _ folder: String, captures: Bool) -> Configuration {
        var destinations: [DestinationConfiguration] = []
        if let url = URL(string: "http://127.0.0.1:\(port)") { destinations = [.collector(url, writeKey: "bench")] }
        var configuration = Configuration(appID: "idle", destinations: destinations, consent: .granted)
        configuration.storage.folder = URL(fileURLWithPath: folder, isDirectory: true)
        configuration.privacy.consent = .granted
        if !captures { configuration.capture = [] }
        return configuration
    }
}
