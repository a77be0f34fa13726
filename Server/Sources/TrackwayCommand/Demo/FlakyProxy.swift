// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import TrackwayCore

/// A proxy that mishandles half of the requests to a collector.
struct FlakyProxy: Sendable {
    private let target: CollectorAddress
    private let answers = Locked(RejectedResponses())

    /// Creates a proxy in front of `target`.
    init(before target: CollectorAddress) {
        self.target = target
    }

    /// The numbers of mishandled requests and of all requests.
    var statistics: (bad: Int, requests: Int) { answers.withLock { ($0.bad, $0.requests) } }

    /// Listens on a free port of this machine until the task is canceled.
    ///
    /// - Parameters:
    ///   - logger: Receives the server's messages.
    ///   - ready: Called once, with the port.
    func run(logger: Logger, ready: @escaping @Sendable (Int) -> Void) async throws {
        let router = Router()
        router.post("v1/events") { request, _ in try await handle(request) }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { ready($0.localAddress?.port ?? 0) },
            logger: logger
        )
        try await application.run()
    }

    private func handle(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 4 * 1024 * 1024)
        switch answers.withLock({ $0.next() }) {
        case .unavailable:
            return Response(status: .serviceUnavailable, headers: [.retryAfter: "1"])
        case .captivePortal:
            return Self.htmlResponse(.ok, "<html><title>Welcome to our network</title></html>")
        case .lostAnswer:
            _ = try await relay(request, body)
            return Self.htmlResponse(.badGateway, "<html><title>Bad gateway</title></html>")
        case .passed:
            return try await relay(request, body)
        }
    }

    private func relay(_ request: Request, _ body: ByteBuffer) async throws -> Response {
        let headers = request.headers.filter { $0.name != .contentLength && $0.name != .transferEncoding }
        let answer = try await CollectorClient(target).relay(
            "/v1/events",
            headers: headers.map { ($0.name.rawName, $0.value) },
            body: Array(body.readableBytesView)
        )
        return Response(
            status: HTTPResponse.Status(code: answer.status),
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }

    private static func htmlResponse(_ status: HTTPResponse.Status, _ page: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/html"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page))
        )
    }
}

/// The sequence of ways in which a faulty destination handles requests.
///
/// The sequence is deterministic, so that every demo is the same.
struct RejectedResponses: Sendable, Hashable {
    /// The handling of one request.
    enum Treatment: Sendable, Hashable {
        /// The request is temporarily rejected, with `Retry-After`.
        case unavailable
        /// The request is forwarded, but its response is lost.
        case lostAnswer
        /// A captive portal, as in a hotel's network, responds instead of the destination.
        case captivePortal
        /// The request is forwarded, and its response is returned.
        case passed
    }

    /// The number of mishandled requests so far.
    private(set) var bad = 0
    /// The number of requests so far.
    private(set) var requests = 0

    private static let cycle: [Treatment] = [
        .unavailable, .lostAnswer, .passed, .captivePortal, .passed, .lostAnswer, .passed, .passed,
    ]

    /// Returns the handling of the next request.
    mutating func next() -> Treatment {
        let treatment = Self.cycle[requests % Self.cycle.count]
        requests += 1
        if treatment != .passed { bad += 1 }
        return treatment
    }
}
