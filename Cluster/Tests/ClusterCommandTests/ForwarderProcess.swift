// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import Collector
internal import Foundation
internal import Testing
internal import TrackwayEvents

@testable internal import trackway_cluster

/// A forwarder process, for tests to kill.
///
/// It ends with the test process, however that ends.
actor ForwarderProcess {
    private let options: [String]
    private var process: (process: Process, lifeline: Pipe)?

    /// Creates a forwarder with these options.
    init(_ options: [String]) {
        self.options = options
    }

    /// Starts the forwarder without waiting for it.
    func start() throws {
        let process = Process()
        let lifeline = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        // Use bash instead of sh: SIGCHLD is blocked here, and dash would wait for it.
        process.arguments =
            ["-c", #""$@" & forwarder=$!; read word; kill -$word $forwarder; wait $forwarder"#, "bash"]
            + [EngineCollector.command, "forward", "--json"] + options
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = (process, lifeline)
    }

    /// Ends the process with a signal, and returns once it has ended.
    func end(_ signal: String) {
        guard let (process, lifeline) = process else { return }
        self.process = nil
        // If the write fails, the process has already ended.
        try? lifeline.fileHandleForWriting.write(contentsOf: Data("\(signal)\n".utf8))
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// The accounts of all writers, from tables or a collector, as comparable lines.
struct ForwardedAccounts {
    let rows: [String]

    private static func line(_ key: String, _ counts: [UInt64], _ dropped: UInt64, _ gaps: Int) -> String {
        "\(key) \(counts) dropped \(dropped) gaps \(gaps)"
    }

    /// Creates the lines from a collector's ledger.
    init(_ ledger: JSONValue) {
        rows = (ledger["writers"]?.array ?? []).map { row in
            let key = "\(row["installation"]?.string ?? "") \(row["writer"]?.string ?? "")"
            let counts = ["recorded", "received", "rejected", "duplicates"].map {
                UInt64(clamping: row[$0]?.integer ?? -1)
            }
            let dropped = row["dropped"]?.object?.members.reduce(0) { $0 + ($1.value.integer ?? 0) } ?? 0
            return Self.line(key, counts, UInt64(clamping: dropped), row["gaps"]?.array?.count ?? 0)
        }.sorted()
    }

    /// Creates the lines from a server's tables.
    init(_ server: ClickHouseServer) async throws {
        var accounts: [String: Account] = [:]
        var repeats: [String: UInt64] = [:]
        func key(_ columns: [Substring]) throws -> String {
            let ids = try columns.prefix(2).map { digits in
                EventID(
                    high: try #require(UInt64(digits.prefix(16), radix: 16)),
                    low: try #require(UInt64(digits.dropFirst(16), radix: 16))
                ).description
            }
            return ids.joined(separator: " ")
        }
        let writers = try await server.ask(
            "SELECT hex(installation), hex(writer), max(recorded), sum(repeats) FROM writers FINAL GROUP BY installation, writer "
                + "FORMAT TabSeparated"
        )
        for line in writers.split(separator: "\n") {
            let columns = line.split(separator: "\t")
            let key = try key(columns)
            accounts[key, default: Account()].recorded = try #require(UInt64(columns[2]))
            repeats[key] = UInt64(columns[3])
        }
        let ranges = try await server.ask(
            "SELECT hex(installation), hex(writer), kind, first, last, reason FROM ranges FORMAT TabSeparated"
        )
        for line in ranges.split(separator: "\n") {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            let key = try key(columns)
            let range = try #require(UInt64(columns[3]))...(try #require(UInt64(columns[4])))
            switch columns[2] {
            case "0": accounts[key, default: Account()].received.insert(range)
            case "1": accounts[key, default: Account()].rejected.insert(range)
            case "2":
                accounts[key, default: Account()].dropped[String(columns[5]), default: SequenceRanges()].insert(range)
            default: accounts[key, default: Account()].skipped.insert(range)
            }
        }
        rows = accounts.map { key, account in
            let reckoning = account.reckoning()
            return Self.line(
                key,
                [account.recorded, reckoning.received, reckoning.rejected, repeats[key] ?? 0],
                reckoning.dropped.values.reduce(0, +),
                reckoning.gaps.count
            )
        }.sorted()
    }
}
