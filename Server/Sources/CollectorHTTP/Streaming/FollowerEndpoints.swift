// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore

/// The endpoints that keep requests open.
///
/// These endpoints stream events live and wait for arrivals.
struct FollowerEndpoints: RoutedResource {
    private let dependencies: CollectorDependencies
    private let slots: ConcurrencySlots
    private let counts: SharedCounts
    /// The maximum number of events that the stream reads in one query.
    private static let pageEvents = 200

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        slots = ConcurrencySlots(limit: dependencies.configuration.followers)
        counts = SharedCounts(in: dependencies.store)
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/live", .untimed) { try live($0.request, authorization: $0.authorization) }
        routes.read("/v1/wait", .untimed) { try await wait($0.request, authorization: $0.authorization) }
    }

    /// `GET /v1/live`: streams events.
    ///
    /// The stream ends when the reader disconnects or is no longer permitted to read.
    func live(_ request: Request, authorization: ReadAuthorization) throws(RequestFailure) -> Response {
        let slot = try slots.take()
        let query = QueryParameters(request.uri)
        var filter = try query.filter(order: .oldestFirst, limit: Self.pageEvents)
        let last = try query.number("last", in: 0...1_000) ?? 0
        if let text = request.headers[Self.lastEventID], !text.isEmpty {
            guard let position = EventPosition(text) else {
                throw .malformed("last-event-id", "“\(text.prefix(64))” is not a position such as 3.88213.7.")
            }
            filter.after = position
        }
        var headers: HTTPFields = [.contentType: "text/event-stream", Self.buffering: "no"]
        JSONResponse.addSecurityHeaders(to: &headers)
        let body = ResponseBody { [dependencies, filter] writer in
            try await Self.stream(dependencies, filter, authorization, replaying: last, to: &writer)
            try await writer.finish(nil)
            withExtendedLifetime(slot) {}
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// `GET /v1/wait`: waits for a condition.
    ///
    /// The wait ends when the condition holds, the timeout is reached, or the reader is no longer permitted to read.
    func wait(_ request: Request, authorization: ReadAuthorization) async throws -> Response {
        let slot = try slots.take()
        defer { withExtendedLifetime(slot) {} }
        let query = QueryParameters(request.uri)
        let timeout = try query.number("timeout", in: 0...60) ?? 10
        let condition = await resolved(try WaitCondition(query), within: .seconds(timeout))
        var state = try await condition.currentState(in: dependencies.store, counts: counts)
        if !state.isDone, timeout > 0 {
            let follower = IndexFollower(
                store: dependencies.store,
                interval: .seconds(timeout),
                authorization: authorization,
                authorizationCheckInterval: dependencies.configuration.authorizationCheckInterval
            )
            try await follower.follow { signal in
                state = try await condition.currentState(in: dependencies.store, counts: counts)
                switch signal {
                case .advanced: return !state.isDone
                case .tick: return false
                }
            }
            try authorization.check()
        }
        return JSONResponse.make { state.write(to: &$0) }
    }

    /// Converts a condition's position to one that the index knows.
    ///
    /// The position of a record that was committed a moment ago may not be known yet.
    private func resolved(_ condition: WaitCondition, within limit: Duration) async -> WaitCondition {
        guard case .position(let position) = condition,
            let place = await dependencies.intake.indexedPosition(of: position, within: limit)
        else { return condition }
        return .position(place)
    }

    // The function is concurrent because the framework's writer is: a writer must not move between executors.
    @concurrent
    private static func stream(
        _ dependencies: CollectorDependencies,
        _ filter: EventQuery,
        _ authorization: ReadAuthorization,
        replaying last: Int,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        var filter = filter
        try await writer.write(ServerSentEvents.opening)
        let follower = IndexFollower(
            store: dependencies.store,
            interval: dependencies.configuration.heartbeat,
            authorization: authorization,
            authorizationCheckInterval: dependencies.configuration.authorizationCheckInterval
        )
        // Events that the index reads while it is being built are not new, because they arrived earlier.
        if dependencies.store.isBuilding {
            try await follower.follow { signal in
                if case .tick = signal { try await writer.write(ServerSentEvents.heartbeat) }
                return dependencies.store.isBuilding
            }
        }
        if filter.after == nil {
            // All indexed events are before `indexed`, and the next event may be exactly at that position.
            filter.after = EventPosition(rawValue: dependencies.store.indexed.rawValue - 1)
            if last > 0 {
                var newest = filter
                newest.after = nil
                newest.order = .newestFirst
                newest.limit = last
                let events = try await dependencies.store.events(matching: newest)
                if !events.isEmpty { try await writer.write(ServerSentEvents.buffer(events.reversed())) }
                if let position = events.first?.position { filter.after = max(position, filter.after ?? position) }
            }
        }
        try await follower.follow { signal in
            var isSilent = true
            while !dependencies.store.isBuilding {
                let reached = dependencies.store.indexed
                let events = try await dependencies.store.events(matching: filter)
                // The reader's key may have been revoked since the previous check, for example while a slow reader was
                // receiving events.
                guard authorization.isValid else { return false }
                if let newest = events.last {
                    try await writer.write(ServerSentEvents.buffer(events))
                    filter.after = newest.position
                    isSilent = false
                }
                guard !events.isFull(limit: pageEvents) else { continue }
                // Remember the position reached, so that the same events are not searched again for the next match.
                let seen = EventPosition(rawValue: reached.rawValue - 1)
                filter.after = max(filter.after ?? seen, seen)
                break
            }
            if case .tick = signal, isSilent { try await writer.write(ServerSentEvents.heartbeat) }
            return true
        }
    }

    private static let lastEventID = HTTPField.Name.literal("last-event-id")
    /// The header that makes proxies forward the stream without buffering.
    private static let buffering = HTTPField.Name.literal("x-accel-buffering")
}

/// Writes stored events as server-sent events.
private enum ServerSentEvents {
    /// The first message of the stream, which sets the reconnection delay for browsers.
    static let opening = ByteBuffer(string: "retry: 2000\n\n")
    /// A comment that indicates that the stream is alive.
    static let heartbeat = ByteBuffer(string: ": alive\n\n")

    /// Returns several events in one buffer.
    ///
    /// The id of each event is its position, which browsers send back to resume the stream.
    static func buffer(_ events: [StoredEvent]) -> ByteBuffer {
        JSONWriter.withThreadBuffer { writer in
            for event in events {
                writer.raw("event: event\nid: \(event.position)\ndata: ".utf8)
                // Raw line breaks would end the data field. In valid JSON they occur only between values, where a space
                // is equivalent.
                if event.json.contains(where: isLineEnd) || event.context.contains(where: isLineEnd) {
                    var flat = event
                    flat.json = flat.json.map { isLineEnd($0) ? UInt8(ascii: " ") : $0 }
                    flat.context = flat.context.map { isLineEnd($0) ? UInt8(ascii: " ") : $0 }
                    flat.write(to: &writer)
                } else {
                    event.write(to: &writer)
                }
                writer.raw("\n\n".utf8)
            }
            return ByteBuffer(bytes: writer.bytes)
        }
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
