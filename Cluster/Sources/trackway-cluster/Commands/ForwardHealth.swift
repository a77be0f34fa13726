// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import TrackwayCommand
internal import TrackwayEvents

/// Serves a forwarder's health over HTTP: `/livez`, `/readyz`, and `/metrics`.
///
/// Requires no key. Safe from any thread.
final class ForwardHealth: Sendable {
    /// A response.
    struct Told: Sendable, Hashable {
        var status: Int
        var type: String
        var body: String
    }

    /// The address and port to listen on; port 0 for any free one.
    let host: String
    let port: Int
    private let clock: any EventClock
    private let state = Locked(State())

    private struct State: Sendable {
        var figures = ForwardStatistics()
        var highest: (@Sendable () -> UInt64)?
    }

    init(host: String, port: Int, clock: any EventClock = SystemClock()) {
        self.host = host
        self.port = port
        self.clock = clock
    }

    /// Handles an event of forwarding.
    func tell(_ news: ForwardingRunner.News) { state.withLock { $0.figures.tell(news) } }

    /// Handles an expiry of weeks of events, or what blocks it.
    func expired(_ report: ExpiryReport) { state.withLock { $0.figures.expired(report) } }

    /// Handles the start, or a change of role.
    func stands(_ standing: ForwardingRunner.Standing) { state.withLock { $0.figures.stands(standing) } }

    /// Handles a search for records of erased installations.
    func erased(_ found: DeletionReport) { state.withLock { $0.figures.erased(found) } }

    /// Sets the source of the stream's known end.
    func follow(_ highest: @escaping @Sendable () -> UInt64) { state.withLock { $0.highest = highest } }

    /// Updates the stream's known end.
    func look() {
        let now = clock.now().monotonic
        // Called outside the lock, because it takes its own.
        guard let highest = state.withLock({ $0.highest })?() else { return }
        state.withLock { $0.figures.saw(highest, at: now) }
    }

    /// Returns the response for a path; nil for an unknown path.
    func answer(_ path: String) -> Told? {
        look()
        let (figures, now) = (state.withLock { $0.figures }, clock.now().monotonic)
        switch path {
        case "/livez", "/healthz":
            return Told(status: 200, type: "application/json", body: #"{"status":"alive"}"#)
        case "/readyz":
            if let reason = figures.reason(at: now) {
                let error = JSONValue.members(("code", .string("forward_behind")), ("message", .string(reason)))
                let json = JSONValue.members(("error", error))
                return Told(status: 503, type: "application/json", body: String(decoding: json.json(), as: UTF8.self))
            }
            let standing = figures.standing?.isStandingBy == true ? "standing_by" : "ready"
            return Told(status: 200, type: "application/json", body: #"{"status":"\#(standing)"}"#)
        case "/metrics":
            return Told(
                status: 200,
                type: "text/plain; version=0.0.4; charset=utf-8",
                body: figures.metrics(at: now)
            )
        default: return nil
        }
    }

    /// Serves requests until the task is canceled.
    ///
    /// Checks the stream once a second.
    ///
    /// - Parameter ready: Called once with the port.
    /// - Throws: ``CommandFailure`` if it cannot listen on the address.
    func run(logger: Logger, ready: @escaping @Sendable (Int) -> Void) async throws {
        let router = Router()
        for path in ["livez", "healthz", "readyz", "metrics"] {
            router.get(RouterPath(path)) { [self] _, _ in response(answer("/" + path)) }
        }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { ready($0.localAddress?.port ?? 0) },
            logger: quiet
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    self.look()
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

    private func response(_ told: Told?) -> Response {
        guard let told else { return Response(status: .notFound) }
        return Response(
            status: HTTPResponse.Status(code: told.status),
            headers: [.contentType: told.type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: told.body))
        )
    }
}
