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
        case "record": try Recording(count: count ?? 300_000).run()
        case "behavior": try FeatureCost(count: count ?? 300_000).run()
        case "plain": try PlainRecording(count: count ?? 100_000, switches: Switches(arguments.last)).run()
        case "ways": try WaysOfRecording(count: count ?? 60_000).run()
        case "way": try WaysOfRecording.run(arguments.last, count: count ?? 10_000)
        case "triggers": try await Triggers(count: count ?? 300_000).run()
        case "drain": try await Draining(count: count ?? 1_000_000).run()
        case "bodies": try Bodies(count: count ?? 256, folder: arguments.last ?? "bodies").run()
        case "large-bodies": try Bodies(count: count ?? 256, folder: arguments.last ?? "bodies", isLarge: true).run()
        case "startup": try Startup().run()
        case "start": try await Startup.start(arguments)
        case "leave": try Startup.leave(arguments)
        case "away": try Away().run()
        case "stay": try await Away.stay(arguments)
        case "paced": try await Paced(arguments.compactMap { Int($0) }).run()
        case "sink":
            if ccounters_sink(UInt16(clamping: count ?? 18_700)) != 0 {
                throw BenchError("port \(count ?? 18_700) is not available")
            }
        case "silence":
            if ccounters_silence(UInt16(clamping: count ?? 18_701)) != 0 {
                throw BenchError("port \(count ?? 18_701) is not available")
            }
        default:
            print(
                """
                usage: trackway-bench record [COUNT]      time per record, with baselines
                       trackway-bench behavior [COUNT]    time per record with all features on, and off
                       trackway-bench plain [COUNT] [off|on|dynamic|queue|unrepeated]
                                                          records only, for instruction counts
                       trackway-bench ways [COUNT]        time per record for each way of calling it
                       trackway-bench way COUNT NAME      records in one way only, for instruction counts
                       trackway-bench triggers [COUNT]    time per trigger, compared with a closure call
                       trackway-bench drain [COUNT]       memory with COUNT pending events, then drain rate
                       trackway-bench startup             time to the first delivery, by pending events
                       trackway-bench away                bytes read for maintenance during an outage
                       trackway-bench paced [COUNT] [RATE]
                                                          requests for COUNT events recorded at RATE a second
                       trackway-bench bodies [COUNT] DIR  request bodies for a load generator
                       trackway-bench large-bodies [COUNT] DIR
                       trackway-bench sink PORT           a collector that accepts and ignores everything
                       trackway-bench silence PORT        a server that never responds
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
final class Scratch {
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
        _ switches: Switches = .off,
        folder: String? = nil,
        interceptors: [Interceptor] = []
    ) throws -> Analytics {
        guard let endpoint = URL(string: "http://127.0.0.1:\(port)") else { throw BenchError("invalid port: \(port)") }
        var configuration = Configuration(
            appID: "bench",
            destinations: [.collector(endpoint, writeKey: "bench")]
        )
        configuration.storage.folder = url.appending(path: folder ?? "journal-\(switches.rawValue)")
        configuration.interceptors = interceptors
        configuration.storage.maximumBytes = 4 << 30
        configuration.privacy.consent = .pending
        configuration.lifecycle.isObserved = false
        try switches.prepare(&configuration)
        let analytics = try Analytics(configuration)
        switches.switchOn(analytics)
        return analytics
    }
}
