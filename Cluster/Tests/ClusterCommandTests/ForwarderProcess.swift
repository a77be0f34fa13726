// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import trackway_cluster

/// A forwarder process, for tests to kill.
///
/// It exits when the test process ends, for whatever reason.
actor ForwarderProcess {
    private let options: [String]
    private var process: (process: Process, stdinPipe: Pipe)?

    private let errorFile: String?

    /// Creates a forwarder with these options.
    ///
    /// - Parameter errors: The file to which standard error is appended; nil to discard it.
    init(_ options: [String], errors: String? = nil) {
        self.options = options
        errorFile = errors
    }

    /// Starts the forwarder without waiting for it.
    func start() throws {
        let process = Process()
        let stdinPipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        // Use bash instead of sh: SIGCHLD is blocked here, and dash would wait for it.
        process.arguments =
            ["-c", #""$@" & forwarder=$!; read word; kill -$word $forwarder; wait $forwarder"#, "bash"]
            + [EngineCollector.command, "cluster", "forward", "--json"] + options
        process.standardInput = stdinPipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        if let errorFile {
            if !FileManager.default.fileExists(atPath: errorFile) {
                _ = FileManager.default.createFile(atPath: errorFile, contents: nil)
            }
            let file = FileHandle(forWritingAtPath: errorFile)
            _ = try file?.seekToEnd()
            if let file { process.standardError = file }
        }
        try process.run()
        self.process = (process, stdinPipe)
    }

    /// Ends the process with a signal and returns once it has ended.
    func stop(signal: String) {
        guard let (process, stdinPipe) = process else { return }
        self.process = nil
        // If the write fails, the process has already ended.
        try? stdinPipe.fileHandleForWriting.write(contentsOf: Data("\(signal)\n".utf8))
        try? stdinPipe.fileHandleForWriting.close()
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
        var accounts: [String: WriterAccount] = [:]
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
        let writers = try await server.query(
            "SELECT hex(installation), hex(writer), max(recorded), sum(repeats) FROM writers FINAL GROUP BY installation, writer "
                + "FORMAT TabSeparated"
        )
        for line in writers.split(separator: "\n") {
            let columns = line.split(separator: "\t")
            let key = try key(columns)
            accounts[key, default: WriterAccount()].recorded = try #require(UInt64(columns[2]))
            repeats[key] = UInt64(columns[3])
        }
        let ranges = try await server.query(
            "SELECT hex(installation), hex(writer), kind, first, last, reason FROM ranges FORMAT TabSeparated"
        )
        for line in ranges.split(separator: "\n") {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            let key = try key(columns)
            let range = try #require(UInt64(columns[3]))...(try #require(UInt64(columns[4])))
            switch columns[2] {
            case "0": accounts[key, default: WriterAccount()].received.insert(range)
            case "1": accounts[key, default: WriterAccount()].rejected.insert(range)
            case "2":
                accounts[key, default: WriterAccount()].dropped[String(columns[5]), default: SequenceRanges()].insert(
                    range
                )
            default: accounts[key, default: WriterAccount()].skipped.insert(range)
            }
        }
        rows = accounts.map { key, account in
            let totals = account.totals()
            return Self.line(
                key,
                [account.recorded, totals.received, totals.rejected, repeats[key] ?? 0],
                totals.dropped.values.reduce(0, +),
                totals.gaps.count
            )
        }.sorted()
    }
}
