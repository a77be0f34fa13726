// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters
import Trackway

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Measures the SDK in a process that imports nothing else: memory, startup time, a drain, and processor time while
/// waiting.
///
///     trackway-footprint COUNT SINK-PORT UNRESPONSIVE-PORT FOLDER
///
/// A sink must listen on the first port, and a server that never responds on the second.
@main
struct Footprint {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let count = Int(arguments[1]), let sink = UInt16(arguments[2]),
            let unresponsive = UInt16(arguments[3])
        else {
            print("usage: trackway-footprint COUNT SINK-PORT UNRESPONSIVE-PORT FOLDER")
            return
        }
        printMemory("memory before the SDK")
        var start = ccounters_nanoseconds()
        let analytics = try Analytics(configuration(sink, arguments[4] + "/drain"))
        print("Analytics.init: \(microseconds(since: start)) µs")
        start = ccounters_nanoseconds()
        analytics.record(Workload.name, Workload.attributes(0))
        print("first record: \(microseconds(since: start)) µs")
        for index in 1..<1_000 { analytics.record(Workload.name, Workload.attributes(index)) }
        printMemory("memory after a thousand events")
        for index in 1_000..<count { analytics.record(Workload.name, Workload.attributes(index)) }
        printMemory("memory with \(count) pending")

        var processor = ccounters_processor_nanoseconds()
        start = ccounters_nanoseconds()
        analytics.setConsent(.granted)
        let report = await analytics.flush(timeout: .seconds(300))
        let delivered = report.destinations["collector"]?.delivered ?? 0
        print("drained: \(delivered), \(delivered * 1_000_000 / UInt64(max(1, microseconds(since: start)))) per second")
        let used = ccounters_processor_nanoseconds() - processor
        print("drain: \(used / 1_000_000) ms, \(Double(used / 10 / max(1, delivered)) / 100) µs per event")
        printMemory("memory after the drain")
        await analytics.shutdown()

        var unresponsiveConfiguration = configuration(unresponsive, arguments[4] + "/wait")
        unresponsiveConfiguration.privacy.consent = .granted
        let waitingAnalytics = try Analytics(unresponsiveConfiguration)
        waitingAnalytics.record(Workload.name, Workload.attributes(0))
        let flush = Task { await waitingAnalytics.flush(timeout: .seconds(20)) }
        // Wait until the request has been sent.
        try await Task.sleep(for: .seconds(2))
        processor = ccounters_processor_nanoseconds()
        try await Task.sleep(for: .seconds(5))
        print("processor time in a wait of 5 s: \((ccounters_processor_nanoseconds() - processor) / 1_000_000) ms")
        flush.cancel()
        printMemory("memory at the end")
    }

    private static func configuration(_ port: UInt16, _ folder: String) -> Configuration {
        var destinations: [DestinationConfiguration] = []
        if let url = URL(string: "http://127.0.0.1:\(port)") { destinations = [.collector(url, writeKey: "bench")] }
        var configuration = Configuration(appID: "footprint", destinations: destinations, consent: .granted)
        configuration.storage.folder = URL(fileURLWithPath: folder, isDirectory: true)
        configuration.storage.maximumBytes = 4 << 30
        configuration.privacy.consent = .pending
        configuration.lifecycle.isObserved = false
        configuration.capture = []
        return configuration
    }

    private static func microseconds(since start: UInt64) -> UInt64 { (ccounters_nanoseconds() - start) / 1_000 }

    private static func printMemory(_ label: String) {
        var memory = ccounters_memory()
        ccounters_read_memory(&memory)
        func megabytes(_ kilobytes: UInt64) -> String { "\(kilobytes / 1_024).\(kilobytes % 1_024 * 10 / 1_024)" }
        print(
            "\(label): \(megabytes(memory.resident)) MB resident, peak \(megabytes(memory.peak)), "
                + "anonymous \(megabytes(memory.anonymous))"
        )
    }
}
