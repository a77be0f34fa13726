// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// The endpoints for the collector's liveness, readiness, clock, and metrics.
struct StatusEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    let alerts: AlertStore

    func register(in routes: inout RouteTable) {
        routes.add(.get, "/livez", .open) { _ in liveness() }
        routes.add(.get, "/readyz", .open) { _ in try ready() }
        routes.add(.get, "/readyz/intake", .open) { _ in try readyForIntake() }
        routes.add(.get, "/readyz/questions", .open) { _ in try readyForQueries() }
        routes.add(.get, "/v1/time", .open) { _ in time() }
        routes.read("/metrics", .untimed) { _ in await metrics() }
    }

    /// `GET /livez`: whether the process responds.
    func liveness() -> Response {
        JSONResponse.make { writer in
            writer.beginObject()
            writer.member("status", "alive")
            writer.endObject()
        }
    }

    /// `GET /readyz`: whether batches are accepted and the index follows the log.
    ///
    /// If the collector is not ready, the response contains the reason.
    ///
    /// Batches are accepted even while the index does not follow the log; in that case, only reading is unavailable.
    func ready() throws(RequestFailure) -> Response {
        try checkIntake()
        try checkIndex("Batches are accepted and stored.")
        // If the index follows the log but lags, every response reports this, and the collector stays available to
        // senders.
        let partial = dependencies.store.incompleteReason
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("status", "ready")
            writer.member("durability", dependencies.intake.durability.rawValue)
            if let partial { writer.member(IncompleteResponse.member, partial) }
            writer.endObject()
        }
    }

    /// `GET /v1/time`: returns the current time, so that devices can determine their clock error.
    func time() -> Response {
        let now = dependencies.clock.now().wall
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("time", now)
            writer.endObject()
        }
    }

    /// `GET /metrics`: metrics in the Prometheus text format.
    func metrics() async -> Response {
        var text = PrometheusText()
        text.write(dependencies.statistics.withLock { $0 })
        text.write(
            connections: dependencies.connections.count,
            limit: dependencies.configuration.connections,
            evicted: dependencies.connections.evicted
        )
        text.write(dependencies.intake.statistics, isReady: dependencies.intake.failure == nil)
        if let engine = dependencies.intake.engineStatistics { text.write(engine) }
        text.write(dependencies.resources())
        text.write(
            started: dependencies.started.wall,
            uptime: dependencies.started.monotonic.duration(to: dependencies.clock.now().monotonic),
            reads: dependencies.reads.withLock { $0 },
            intakes: dependencies.intakes.withLock { $0 },
            delay: dependencies.indexDelay()
        )
        text.write(await alerts.statistics())
        do {
            text.write(try await dependencies.store.totals(), lag: lag())
            text.write(isIndexUp: true)
        } catch {
            // The failure of the index to respond is itself a metric; the other metrics remain valid.
            text.write(isIndexUp: false)
        }
        var headers: HTTPFields = [.contentType: PrometheusText.contentType]
        JSONResponse.addSecurityHeaders(to: &headers)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text.text)))
    }

    /// Returns the amount of data that the index has not read yet.
    private func lag() -> IndexLag {
        let end = dependencies.intake.end
        let indexed = dependencies.store.indexed
        if dependencies.intake.durability == .replicated {
            return .records(Int(clamping: end.streamSequence) - Int(clamping: indexed.streamSequence))
        }
        guard end.segment == indexed.segment else { return .segments(max(0, Int(end.segment) - Int(indexed.segment))) }
        return .bytes(max(0, Int(end.offset) - Int(indexed.offset)))
    }
}

/// The part of the log or stream not yet in the index.
enum IndexLag: Sendable, Hashable {
    /// A number of segments of the log.
    case segments(Int)
    /// A number of bytes of the log's newest segment.
    case bytes(Int)
    /// A number of records of a stream.
    case records(Int)
}
