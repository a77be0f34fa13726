// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorJetStream
internal import Foundation
internal import Testing

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// A collector process on a NATS cluster, for tests to kill.
///
/// It exits when the test process ends, for whatever reason.
actor EngineCollector {
    /// How a process ended.
    struct ExitResult: Sendable {
        let status: Int32
        let errors: String
    }

    private let folder: String
    private let cluster: NATSTestCluster
    private let options: [String]
    private var process: (process: Process, stdinPipe: Pipe)?
    /// Kept across restarts, so that senders can continue to use it.
    private(set) var port = 0

    /// Creates a collector with a data folder inside `folder`.
    ///
    /// - Parameter options: More options for `trackway-cluster serve`.
    init(_ name: String, in folder: String, _ cluster: NATSTestCluster, options: [String] = []) {
        self.folder = folder + "/" + name
        self.cluster = cluster
        self.options = options
    }

    /// The path of the command that was built with these tests.
    static var command: String {
        URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("trackway-cluster").path
    }

    /// Writes a credentials file to `folder` and returns the options for the NATS cluster.
    static func options(_ cluster: NATSTestCluster, _ folder: String) throws -> [String] {
        let file = folder + "/nats.json"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let credentials = #"{"user":"trackway","password":"secret","system":{"user":"sys","password":"other"}}"#
        try Data(credentials.utf8).write(to: URL(fileURLWithPath: file))
        return [
            "--nats", cluster.addresses.map(\.description).joined(separator: ","), "--nats-credentials", file,
        ]
    }

    /// Runs a command until it exits.
    static func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Both outputs are short enough to fit into their pipes.
        process.waitUntilExit()
        return (
            process.terminationStatus,
            String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        )
    }

    /// Starts the collector and returns its address once it is ready.
    ///
    /// - Throws: If the process ends before it is ready.
    func start() async throws -> CollectorAddress {
        let file = folder + ".address"
        try? FileManager.default.removeItem(atPath: file)
        let process = Process()
        let stdinPipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        // Use bash instead of sh: SIGCHLD is blocked here, and dash would wait for it.
        process.arguments =
            ["-c", #""$@" & server=$!; read word; kill -$word $server; wait $server"#, "bash", Self.command, "serve"]
            + (try Self.options(cluster, folder))
            + options + ["--data", folder, "--port", "\(port)", "--dev-key", "dev", "--address-file", file, "--json"]
        process.standardInput = stdinPipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: Self.createFile(folder + ".errors")) ?? .nullDevice
        try process.run()
        self.process = (process, stdinPipe)
        while true {
            if let text = try? String(contentsOfFile: file, encoding: .utf8),
                let url = URL(string: text.trimmingCharacters(in: .newlines)), let boundPort = url.port
            {
                port = boundPort
                return try CollectorAddress("127.0.0.1:\(boundPort)", key: "dev")
            }
            // Check the output as well: if the collector fails, the shell that started it keeps running.
            let failure = errors.split(separator: "\n").first { $0.hasPrefix("trackway: ") }
            guard failure == nil, process.isRunning else { throw CollectorEndedError(errors: errors) }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    /// A collector that ended instead of serving.
    struct CollectorEndedError: Error {
        let errors: String
    }

    private static func createFile(_ path: String) -> String {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return path
    }

    /// The standard error output since the last start.
    var errors: String { (try? String(contentsOfFile: folder + ".errors", encoding: .utf8)) ?? "" }

    /// Ends the process with a signal and returns once it has ended.
    @discardableResult
    func stop(signal: String) -> ExitResult? {
        guard let (process, stdinPipe) = process else { return nil }
        self.process = nil
        // If the write fails, the process has already ended.
        try? stdinPipe.fileHandleForWriting.write(contentsOf: Data("\(signal)\n".utf8))
        try? stdinPipe.fileHandleForWriting.close()
        process.waitUntilExit()
        return ExitResult(status: process.terminationStatus, errors: errors)
    }
}
