// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// The state of the collector: liveness, readiness, its clock, and metrics.
struct StatusEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    let alerts: AlertStore

    func register(in routes: inout RouteTable) {
        routes.add(.get, "/livez", .open) { _ in alive() }
        routes.add(.get, "/readyz", .open) { _ in try ready() }
        routes.add(.get, "/readyz/intake", .open) { _ in try readyForIntake() }
        routes.add(.get, "/readyz/questions", .open) { _ in try readyForQuestions() }
        routes.add(.get, "/v1/time", .open) { _ in time() }
        routes.read("/metrics", .untimed) { _ in await metrics() }
    }

    /// `GET /livez`: whether the process responds.
    func alive() -> Response {
        Answer.json { writer in
            writer.beginObject()
            writer.member("status", "alive")
            writer.endObject()
        }
    }

    /// `GET /readyz`: whether batches are accepted and the index follows.
    ///
    /// If not, the response has the reason.
    ///
    /// Batches are accepted even while the index does not follow: then only reading is not ready.
    func ready() throws(RequestFailure) -> Response {
        try checkIntake()
        try checkIndex("Batches are accepted and stored.")
        // An index that follows but lags reports this in every response, and does not make the collector unavailable to
        // senders.
        let partial = dependencies.store.partial
        return Answer.json { writer in
            writer.beginObject()
            writer.member("status", "ready")
            writer.member("durability", dependencies.intake.durability.rawValue)
            if let partial { writer.member(IncompleteResponse.member, partial) }
            writer.endObject()
        }
    }

    /// `GET /v1/time`: for devices that determine the error of their clock.
    func time() -> Response {
        let now = dependencies.clock.now().wall
        return Answer.json { writer in
            writer.beginObject()
            writer.member("time", now)
            writer.endObject()
        }
    }

    /// `GET /metrics`: metrics in the Prometheus text format.
    func metrics() async -> Response {
        var text = PrometheusText()
        text.write(dependencies.statistics.withLock { $0 })
        text.write(evictedConnections: dependencies.connections.evicted)
        text.write(dependencies.intake.statistics, isReady: dependencies.intake.trouble == nil)
        if let engine = dependencies.intake.engineStatistics { text.write(engine) }
        text.write(dependencies.resources())
        text.write(
            started: dependencies.started.wall,
            reads: dependencies.reads.withLock { $0 },
            lag: dependencies.indexLag()
        )
        text.write(await alerts.statistics())
        do {
            text.write(try await dependencies.store.totals(), lag: lag())
            text.write(isIndexUp: true)
        } catch {
            // An index that cannot respond is itself a metric; the others still count.
            text.write(isIndexUp: false)
        }
        var headers: HTTPFields = [.contentType: PrometheusText.contentType]
        Answer.protect(&headers)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text.text)))
    }

    /// Returns what the index has not read yet.
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
