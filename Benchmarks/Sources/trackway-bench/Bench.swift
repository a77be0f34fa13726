// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters
import Foundation
import Trackway

/// The program: one measurement per call, results on standard output as `key: value` lines.
@main
struct Bench {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let command = arguments.isEmpty ? "help" : arguments.removeFirst()
        let count = arguments.compactMap { Int($0) }.first
        switch command {
        case "record": try RecordBenchmark(count: count ?? 300_000).run()
        case "behavior": try FeatureCost(count: count ?? 300_000).run()
        case "plain": try PlainRecording(count: count ?? 100_000, features: FeatureSet(arguments.last)).run()
        case "styles": try CallStyleBenchmark(count: count ?? 60_000).run()
        case "style": try CallStyleBenchmark.run(arguments.last, count: count ?? 10_000)
        case "triggers": try await TriggerBenchmark(count: count ?? 300_000).run()
        case "drain": try await DrainBenchmark(count: count ?? 1_000_000).run()
        case "bodies": try RequestBodies(count: count ?? 256, folder: arguments.last ?? "bodies").run()
        case "large-bodies":
            try RequestBodies(count: count ?? 256, folder: arguments.last ?? "bodies", isLarge: true).run()
        case "startup": try Startup().run()
        case "measure-start": try await Startup.measureStart(arguments)
        case "record-and-exit": try Startup.recordAndExit(arguments)
        case "outage": try OutageBenchmark().run()
        case "measure-outage": try await OutageBenchmark.measure(arguments)
        case "steady": try await SteadyRateBenchmark(arguments.compactMap { Int($0) }).run()
        case "sink":
            if ccounters_run_sink(UInt16(clamping: count ?? 18_700)) != 0 {
                throw BenchError("port \(count ?? 18_700) is not available")
            }
        case "unresponsive":
            if ccounters_run_unresponsive_server(UInt16(clamping: count ?? 18_701)) != 0 {
                throw BenchError("port \(count ?? 18_701) is not available")
            }
        default:
            print(
                """
                usage: trackway-bench record [COUNT]      time per record, with baselines
                       trackway-bench behavior [COUNT]    time per record with all features on, and off
                       trackway-bench plain [COUNT] [off|on|dynamic|queue|deduplicated]
                                                          records only, for instruction counts
                       trackway-bench styles [COUNT]      time per record for each way of calling it
                       trackway-bench style COUNT NAME    records in one way only, for instruction counts
                       trackway-bench triggers [COUNT]    time per trigger, compared with a closure call
                       trackway-bench drain [COUNT]       memory with COUNT pending events, then drain rate
                       trackway-bench startup             time to the first delivery, by pending events
                       trackway-bench outage              bytes read for maintenance during an outage
                       trackway-bench steady [COUNT] [RATE]
                                                          requests for COUNT events recorded at RATE a second
                       trackway-bench bodies [COUNT] DIR  request bodies for a load generator
                       trackway-bench large-bodies [COUNT] DIR
                       trackway-bench sink PORT           a collector that accepts and ignores everything
                       trackway-bench unresponsive PORT   a server that never responds
                """
            )
        }
    }
}

/// An error with a message.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A folder for one run.
///
/// The run must remove it.
final class ScratchFolder {
    let url: URL

    init() throws {
        let root = ProcessInfo.processInfo.environment["BENCH_FOLDER"] ?? FileManager.default.currentDirectoryPath
        url = URL(filePath: root).appending(path: ".bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            print("not removed: \(url.path)")
        }
    }

    /// Returns an SDK instance that stores all events and sends nothing until the run requests it.
    func analytics(
        port: Int = 9,
        _ features: FeatureSet = .off,
        folder: String? = nil,
        interceptors: [Interceptor] = []
    ) throws -> Analytics {
        guard let endpoint = URL(string: "http://127.0.0.1:\(port)") else { throw BenchError("invalid port: \(port)") }
        var configuration = Configuration(
            appID: "bench",
            destinations: [.collector(endpoint, writeKey: "bench")],
            consent: .granted
        )
        configuration.storage.folder = url.appending(path: folder ?? "journal-\(features.rawValue)")
        configuration.interceptors = interceptors
        configuration.storage.maximumBytes = 4 << 30
        configuration.privacy.consent = .pending
        configuration.lifecycle.isObserved = false
        try features.apply(to: &configuration)
        let analytics = try Analytics(configuration)
        features.apply(to: analytics)
        return analytics
    }
}
