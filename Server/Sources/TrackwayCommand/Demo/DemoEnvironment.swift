// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorHTTP
internal import Foundation
internal import Logging
internal import ServiceLifecycle

/// The servers of the demo: three collectors, and a proxy in front of the second collector.
struct DemoEnvironment: Sendable {
    /// The key that the collectors accept.
    static let key = "dev"

    /// The folder for all data.
    let folder: String
    /// The main collector's address.
    let collector: CollectorAddress
    /// The second collector's address.
    let audit: CollectorAddress
    /// The address of the collector that receives usage reports.
    let usage: CollectorAddress
    /// The proxy's address.
    let flaky: String
    private let proxy: FlakyProxy

    /// The numbers of mishandled requests and of all requests.
    var badAnswers: (bad: Int, requests: Int) { proxy.statistics }

    /// Starts the servers, runs `body`, and stops the servers.
    ///
    /// - Parameters:
    ///   - folder: The folder for all data; created if missing.
    ///   - port: The main collector's port; 0 for a free port.
    ///   - body: The demonstration.
    static func open(
        folder: String,
        port: Int,
        _ body: @Sendable @escaping (DemoEnvironment) async throws -> Void
    ) async throws {
        var logger = Logger(label: "trackway", factory: TerminalLogHandler.init(label:))
        // The servers stop while connections are still open; do not log the resulting errors.
        logger.logLevel = .critical
        try await withThrowingTaskGroup(of: Void.self) { group in
            let collector = try await start(folder + "/collector", port: port, logger: logger, in: &group)
            let audit = try await start(folder + "/audit", port: 0, logger: logger, in: &group)
            let usage = try await start(folder + "/usage", port: 0, logger: logger, in: &group)
            let proxy = FlakyProxy(before: audit)
            let ports = AsyncStream.makeStream(of: Int.self)
            group.addTask { [logger] in
                try await proxy.run(logger: logger) { port in
                    ports.continuation.yield(port)
                    ports.continuation.finish()
                }
            }
            var flaky = 0
            for await port in ports.stream { flaky = port }
            let environment = DemoEnvironment(
                folder: folder,
                collector: collector,
                audit: audit,
                usage: usage,
                flaky: "http://127.0.0.1:\(flaky)",
                proxy: proxy
            )
            defer { group.cancelAll() }
            try await body(environment)
        }
    }

    /// Starts a collector in the group and waits until it accepts connections.
    private static func start(
        _ folder: String,
        port: Int,
        logger: Logger,
        in group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws -> CollectorAddress {
        let host = CollectorHost(
            folder: CollectorFolder(option: folder, environment: [:]),
            configuration: CollectorConfiguration(host: "127.0.0.1", port: port),
            developmentKey: key,
            logger: logger
        )
        let ports = AsyncStream.makeStream(of: Int.self)
        group.addTask {
            defer { ports.continuation.finish() }
            try await host.run(endingOn: []) { port in
                ports.continuation.yield(port)
                ports.continuation.finish()
            }
        }
        for await port in ports.stream { return try CollectorAddress("http://127.0.0.1:\(port)", key: key) }
        // The collector ended before it was ready; rethrow its error.
        try await group.next()
        throw CommandFailure(.internalFailure, "a collector ended before it was ready")
    }
}
