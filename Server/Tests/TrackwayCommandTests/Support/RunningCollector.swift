// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorHTTP
internal import Foundation
internal import Logging

@testable internal import TrackwayCommand

/// A complete collector in this process.
///
/// It listens on a free port, with the key `dev`.
enum RunningCollector {
    /// Runs `body` while a collector runs, and shuts it down afterward.
    static func with(
        folder: String,
        port: Int = 0,
        limits: AdmissionLimits = AdmissionLimits(),
        isEphemeral: Bool = false,
        plan: PlanChecker? = nil,
        _ body: @Sendable @escaping (CollectorAddress) async throws -> Void
    ) async throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var configuration = CollectorConfiguration(host: "127.0.0.1", port: port)
        configuration.limits = limits
        configuration.isEphemeral = isEphemeral
        let host = CollectorHost(
            folder: CollectorFolder(option: folder, environment: [:]),
            configuration: configuration,
            developmentKey: "dev",
            plan: plan,
            logger: logger
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            let ports = AsyncStream.makeStream(of: Int.self)
            group.addTask {
                defer { ports.continuation.finish() }
                try await host.run(endingOn: []) { ports.continuation.yield($0) }
            }
            for await port in ports.stream {
                try await body(try CollectorAddress("127.0.0.1:\(port)", key: "dev"))
                group.cancelAll()
            }
            try await group.waitForAll()
        }
    }

    /// Runs `body` with a new folder, and removes it afterward.
    static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trackway-command-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path)
    }
}
