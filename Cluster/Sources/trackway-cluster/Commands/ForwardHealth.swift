// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import TrackwayCommand
internal import TrackwayCore

/// Serves a forwarder's health over HTTP: `/livez`, `/readyz`, and `/metrics`.
///
/// Requests need no key. Thread-safe.
final class ForwardHealth: Sendable {
    /// An HTTP response.
    struct HealthResponse: Sendable, Hashable {
        var status: Int
        var type: String
        var body: String
    }

    /// The address and port to listen on; port 0 selects a free port.
    let host: String
    let port: Int
    private let clock: any EventClock
    private let state = Locked(State())

    private struct State: Sendable {
        var statistics = ForwardStatistics()
        var highest: (@Sendable () -> UInt64)?
    }

    init(host: String, port: Int, clock: any EventClock = SystemClock()) {
        self.host = host
        self.port = port
        self.clock = clock
    }

    /// Records a forwarding event.
    func record(_ event: ForwardingRunner.Event) { state.withLock { $0.statistics.record(event) } }

    /// Records the result of expiring weeks of events, or the obstacle to it.
    func record(_ report: ExpiryReport) { state.withLock { $0.statistics.record(report) } }

    /// Records that forwarding started, or that the forwarder's role changed.
    func update(_ status: ForwardingRunner.Status) { state.withLock { $0.statistics.update(status) } }

    /// Records the result of deleting records of erased installations.
    func record(_ report: DeletionReport) { state.withLock { $0.statistics.record(report) } }

    /// Sets the source of the stream's known end.
    func setStreamEndSource(_ highest: @escaping @Sendable () -> UInt64) { state.withLock { $0.highest = highest } }

    /// Updates the stream's known end.
    func refreshStreamEnd() {
        let now = clock.now().monotonic
        // Called outside the lock, because the closure takes a lock of its own.
        guard let highest = state.withLock({ $0.highest })?() else { return }
        state.withLock { $0.statistics.recordEnd(highest, at: now) }
    }

    /// Returns the response for a path; nil for an unknown path.
    func response(forPath path: String) -> HealthResponse? {
        refreshStreamEnd()
        let (statistics, now) = (state.withLock { $0.statistics }, clock.now().monotonic)
        switch path {
        case "/livez", "/healthz":
            return HealthResponse(status: 200, type: "application/json", body: #"{"status":"alive"}"#)
        case "/readyz":
            if let reason = statistics.reason(at: now) {
                let error = JSONValue.members(("code", .string("forward_behind")), ("message", .string(reason)))
                let json = JSONValue.members(("error", error))
                return HealthResponse(
                    status: 503,
                    type: "application/json",
                    body: String(decoding: json.json(), as: UTF8.self)
                )
            }
            let status = statistics.status?.isStandingBy == true ? "standing_by" : "ready"
            return HealthResponse(status: 200, type: "application/json", body: #"{"status":"\#(status)"}"#)
        case "/metrics":
            return HealthResponse(
                status: 200,
                type: "text/plain; version=0.0.4; charset=utf-8",
                body: statistics.metrics(at: now)
            )
        default: return nil
        }
    }

    /// Serves requests until the task is canceled.
    ///
    /// Checks the stream once a second.
    ///
    /// - Parameter ready: Called once with the port in use.
    /// - Throws: ``CommandFailure`` if it cannot listen on the address.
    func run(logger: Logger, ready: @escaping @Sendable (Int) -> Void) async throws {
        let router = Router()
        for path in ["livez", "healthz", "readyz", "metrics"] {
            router.get(RouterPath(path)) { [self] _, _ in httpResponse(response(forPath: "/" + path)) }
        }
        var quietLogger = logger
        quietLogger.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { ready($0.localAddress?.port ?? 0) },
            logger: quietLogger
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    self.refreshStreamEnd()
                    await CollectorHost.sleep(.seconds(1))
                }
            }
            group.addTask {
                do {
                    try await application.run()
                } catch let error as IOError {
                    throw CommandFailure(
                        .cannotCreate,
                        "cannot listen on \(self.host):\(self.port) (--health-host and --health-port): \(error)",
                        remedy: "choose another port with --health-port"
                    )
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func httpResponse(_ response: HealthResponse?) -> Response {
        guard let response else { return Response(status: .notFound) }
        return Response(
            status: HTTPResponse.Status(code: response.status),
            headers: [.contentType: response.type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: response.body))
        )
    }
}
