// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters
import Foundation
import Trackway

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Measures memory with pending events, and the rate and cost of sending them to a sink on loopback.
struct DrainBenchmark {
    let count: Int

    func run() async throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let port = 18_000 + Int(ProcessInfo.processInfo.processIdentifier) % 2000
        let sink = Process()
        sink.executableURL = URL(filePath: CommandLine.arguments[0])
        sink.arguments = ["sink", String(port)]
        try sink.run()
        defer { sink.terminate() }

        let idle = try Memory.now()
        let analytics = try scratch.analytics(port: port)
        for index in 0..<1000 { analytics.record(Workload.name, Workload.attributes(index)) }
        let afterThousand = try Memory.now()
        let recordingStart = ccounters_processor_nanoseconds()
        for index in 1000..<count { analytics.record(Workload.name, Workload.attributes(index)) }
        let recording = ccounters_processor_nanoseconds() - recordingStart
        let pending = try Memory.now()
        print(
            "memory, MB resident: \(idle.resident) before the SDK, \(afterThousand.resident) after a thousand events, "
                + "\(pending.resident) with \(count) pending (peak \(pending.peak))"
        )
        print("of that anonymous: \(idle.anonymous), \(afterThousand.anonymous), \(pending.anonymous)")
        print("recording, processor µs per event: \(microseconds(recording, count))")

        let processorStart = ccounters_processor_nanoseconds()
        let start = ccounters_nanoseconds()
        analytics.setConsent(.granted)
        let report = await analytics.flush(timeout: .seconds(300))
        let elapsed = ccounters_nanoseconds() - start
        let processor = ccounters_processor_nanoseconds() - processorStart
        let delivered = report.destinations["collector"]?.delivered ?? 0
        guard delivered > 0 else { throw BenchError("no events were delivered: \(report)") }
        let drained = try Memory.now()
        let ledger = analytics.ledger()
        print("drained: \(delivered) of \(ledger.recorded), pending \(ledger.destinations["collector"]?.pending ?? 0)")
        print("drain, events per second: \(Int(Double(delivered) / (Double(elapsed) / 1e9)))")
        print("draining, processor µs per event: \(microseconds(processor, Int(delivered)))")
        print("whole processor µs per delivered event: \(microseconds(recording + processor, Int(delivered)))")
        print(
            "memory, MB resident after the drain: \(drained.resident) (peak \(drained.peak)), anonymous \(drained.anonymous)"
        )
        print("sink: \(try await Sink.stats(port))")
        await analytics.shutdown()
    }

    private func microseconds(_ nanoseconds: UInt64, _ events: Int) -> String {
        String(format: "%.2f", Double(nanoseconds) / 1000 / Double(max(1, events)))
    }
}

/// The statistics of a sink that runs in another process of this program.
enum Sink {
    static func stats(_ port: Int) async throws -> String {
        guard let url = URL(string: "http://127.0.0.1:\(port)/stats") else { throw BenchError("invalid port") }
        return String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    }
}

/// The kernel's statistics of this process's memory.
struct Memory {
    let resident: String
    let peak: String
    let anonymous: String

    static func now() throws -> Memory {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        func megabytes(_ key: String) -> String {
            let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") } ?? ""
            let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) } ?? 0
            return String(format: "%.1f", kilobytes / 1024)
        }
        return Memory(resident: megabytes("VmRSS"), peak: megabytes("VmHWM"), anonymous: megabytes("RssAnon"))
    }
}
