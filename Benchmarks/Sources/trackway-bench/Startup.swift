// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters
import Foundation
import Trackway

/// Measures the time from just before `Analytics.init` to the first request at a sink on loopback.
///
/// Varies the number of events left by earlier processes, which exited without a shutdown.
struct Startup {
    /// The pending events: the number of ended writers and of events per writer.
    private static let scenarios = [
        (name: "nothing pending", writers: 0, events: 0),
        (name: "100,000 pending", writers: 1, events: 100_000),
        (name: "1,000,000 pending", writers: 1, events: 1_000_000),
        (name: "500 orphans", writers: 500, events: 20),
    ]

    func run() throws {
        for round in 1...3 {
            for (number, scenario) in Self.scenarios.enumerated() {
                let scratch = try ScratchFolder()
                defer { scratch.remove() }
                let folder = scratch.url.path
                for _ in 0..<scenario.writers { try Self.runSelf("record-and-exit", String(scenario.events), folder) }
                let port = 19_000 + Int(ProcessInfo.processInfo.processIdentifier) % 900 + number
                print("startup \(round), \(scenario.name):", terminator: " ")
                fflush(nil)
                try Self.runSelf("measure-start", String(port), folder)
            }
        }
    }

    /// Runs this program with other arguments.
    static func runSelf(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
    }

    /// `record-and-exit COUNT FOLDER`: records events and exits immediately.
    static func recordAndExit(_ arguments: [String]) throws {
        guard arguments.count == 2, let count = Int(arguments[0]) else {
            throw BenchError("record-and-exit COUNT FOLDER")
        }
        let analytics = try Analytics(configuration(port: 9, folder: arguments[1]))
        for index in 0..<count { analytics.record(Workload.name, Workload.attributes(index)) }
        _exit(0)
    }

    /// `measure-start PORT FOLDER`: starts, sends one new event with all pending ones, and prints how long that took.
    static func measureStart(_ arguments: [String]) async throws {
        guard arguments.count == 2, let port = UInt16(arguments[0]) else {
            throw BenchError("measure-start PORT FOLDER")
        }
        Thread.detachNewThread { ccounters_run_sink(port) }
        try await Task.sleep(for: .milliseconds(200))
        let readBefore = try bytesRead()
        let processorBefore = ccounters_processor_nanoseconds()
        let start = ccounters_nanoseconds()
        let analytics = try Analytics(configuration(port: Int(port), folder: arguments[1]))
        let initialized = ccounters_nanoseconds()
        analytics.setConsent(.granted)
        analytics.record(Workload.name, Workload.attributes(0))
        let flush = Task { await analytics.flush(timeout: .seconds(300)) }
        while ccounters_first_post() == 0 { usleep(100) }
        let first = ccounters_first_post()
        let processor = ccounters_processor_nanoseconds() - processorBefore
        let readCount = try bytesRead() - readBefore
        let report = await flush.value
        let end = ccounters_nanoseconds()
        func milliseconds(_ until: UInt64) -> String { String(format: "%.1f ms", Double(until - start) / 1e6) }
        print(
            "init \(milliseconds(initialized)), first request \(milliseconds(first)) after \(readCount / 1_000) kB read "
                + "and \(processor / 100_000) tenths of a ms of processor, "
                + "\(report.destinations["collector"]?.delivered ?? 0) delivered after \(milliseconds(end)) "
                + "and \((try bytesRead() - readBefore) / 1_000) kB"
        )
        await analytics.shutdown()
    }

    static func configuration(port: Int, folder: String, consent: Consent = .pending) throws -> Configuration {
        guard let endpoint = URL(string: "http://127.0.0.1:\(port)") else { throw BenchError("no such port: \(port)") }
        var configuration = Configuration(
            appID: "bench",
            destinations: [.collector(endpoint, writeKey: "bench")],
            consent: .granted
        )
        configuration.storage.folder = URL(filePath: folder).appending(path: "journal")
        configuration.storage.maximumBytes = 4 << 30
        configuration.privacy.consent = consent
        configuration.lifecycle.isObserved = false
        configuration.capture = []
        return configuration
    }

    /// Returns the bytes that this process has read from files, sockets and the like.
    static func bytesRead() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("rchar:") }
        return line.flatMap { Int($0.dropFirst("rchar: ".count)) } ?? 0
    }
}

/// Measures a process's reads with pending events during an outage of the collector.
struct OutageBenchmark {
    func run() throws {
        for megabytes in [1, 50, 200] {
            let scratch = try ScratchFolder()
            defer { scratch.remove() }
            try Startup.runSelf("record-and-exit", String(megabytes << 20 / 423), scratch.url.path)
            print("outage, \(megabytes) MB pending:", terminator: " ")
            fflush(nil)
            try Startup.runSelf("measure-outage", scratch.url.path)
        }
    }

    /// `measure-outage FOLDER`: delivers to a port without a listener and prints the bytes read after the initial scan.
    static func measure(_ arguments: [String]) async throws {
        guard let folder = arguments.first else { throw BenchError("measure-outage FOLDER") }
        let analytics = try Analytics(Startup.configuration(port: 9, folder: folder, consent: .granted))
        analytics.record(Workload.name, Workload.attributes(0))
        _ = await analytics.flush(timeout: .seconds(1))
        try await Task.sleep(for: .seconds(10))
        let before = (read: try Startup.bytesRead(), processor: ccounters_processor_nanoseconds())
        try await Task.sleep(for: .seconds(30))
        let readCount = try Startup.bytesRead() - before.read
        let processor = ccounters_processor_nanoseconds() - before.processor
        print("\(readCount / 30) bytes read a second, \(processor / 30_000) µs of processor a second")
        await analytics.shutdown(timeout: .zero)
    }
}

/// Measures the number and cost of requests for events that are recorded at a steady rate.
struct SteadyRateBenchmark {
    private let count: Int
    private let rate: Int

    /// - Parameter numbers: The number of events, and of events per second.
    init(_ numbers: [Int]) {
        count = numbers.first ?? 20_000
        rate = numbers.count > 1 ? numbers[1] : 9_000
    }

    func run() async throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let port = 19_000 + Int(ProcessInfo.processInfo.processIdentifier) % 900
        let sink = Process()
        sink.executableURL = URL(filePath: CommandLine.arguments[0])
        sink.arguments = ["sink", String(port)]
        try sink.run()
        defer { sink.terminate() }
        try await Task.sleep(for: .milliseconds(200))
        let analytics = try Analytics(
            Startup.configuration(port: port, folder: scratch.url.path, consent: .granted)
        )
        analytics.record(Workload.name, Workload.attributes(0))
        _ = await analytics.flush()
        let processor = ccounters_processor_nanoseconds()
        let start = ccounters_nanoseconds()
        for index in 1..<count {
            let nextTime = start + UInt64(index) * 1_000_000_000 / UInt64(max(1, rate))
            while ccounters_nanoseconds() < nextTime { usleep(50) }
            analytics.record(Workload.name, Workload.attributes(index))
        }
        let recorded = ccounters_nanoseconds()
        let report = await analytics.flush(timeout: .seconds(60))
        let used = ccounters_processor_nanoseconds() - processor
        print("steady: \(count) events in \((recorded - start) / 1_000_000) ms, sink \(try await Sink.stats(port))")
        print(
            "steady, processor µs per event: \(String(format: "%.1f", Double(used) / 1e3 / Double(count))), "
                + "pending \(report.destinations["collector"]?.pending ?? 0)"
        )
        await analytics.shutdown()
    }
}
