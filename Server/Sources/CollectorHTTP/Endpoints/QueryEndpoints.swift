// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore
internal import TrackwayJournal

/// The endpoints that read the index and respond immediately.
struct QueryEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    /// The slots for ledger queries; there are fewer slots than index readers.
    ///
    /// An account can be long, and its length depends on the sender.
    let ledgerSlots = ConcurrencySlots(limit: 2)
    /// The maximum number of erased installations in the ledger; `/v1/stats` counts all.
    private static let maxErasures = 100
    /// The maximum number of names counted separately.
    ///
    /// ``maxCounts`` limits the counts per response.
    private static let maxNames = 40
    private static let maxCounts = 8_000

    func register(in routes: inout RouteTable) {
        routes.read("/v1/events") { try await events($0.request) }
        routes.read("/v1/events/{id}", .lookup) { try await event($0["id"]) }
        routes.read("/v1/ledger") { try await ledger($0.request) }
        routes.read("/v1/ledger/summary") { try await ledgerSummary($0.query).run() }
        routes.read("/v1/rate") { try await rate($0.query).run() }
        routes.read("/v1/stats", .other) { _ in try await stats() }
    }

    /// `GET /v1/events`.
    ///
    /// With `where` or `text`, the request is a search that reports its progress.
    func events(_ request: Request) async throws -> Response {
        let query = QueryParameters(request.uri)
        let order = try query.order() ?? .newestFirst
        let limit = try query.number("limit", in: 1...1_000) ?? 100
        let filter = try query.filter(order: order, limit: limit)
        let search: EventSearch?
        do {
            search = try EventSearch(filter, parameters: query.parameters)
        } catch {
            throw RequestFailure(error)
        }
        if let search {
            let found = try await dependencies.store.search(search)
            let retainedSince = dependencies.store.retainedSince(queryStart: filter.from)
            return JSONResponse.make { found.write(retainedSince: retainedSince, to: &$0) }
        }
        let events = try await dependencies.store.events(matching: filter)
        let retainedSince = dependencies.store.retainedSince(queryStart: filter.from)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.list("events", events) { $0.write(to: &$1) }
            writer.writeNextCursor(after: events, limit: limit) { $0.position.description }
            writer.writeRetainedSince(retainedSince)
            writer.endObject()
        }
    }

    /// `GET /v1/events/{id}`
    func event(_ text: String) async throws -> Response {
        guard let id = EventID(text) else {
            throw RequestFailure.malformed("id", "“\(text.prefix(64))” is not an event id.")
        }
        guard let event = try await dependencies.store.event(id) else {
            throw RequestFailure.notFound("No event with the id \(id) has arrived.")
        }
        return JSONResponse.make { event.write(to: &$0) }
    }

    /// `GET /v1/ledger`: the accounts as of `indexed`.
    ///
    /// `end` is the end of the intake log at the time of the request.
    ///
    /// A client can wait for that position (`GET /v1/wait?position=…`) and send the request again.
    func ledger(_ request: Request) async throws -> Response {
        let query = QueryParameters(request.uri)
        let installation: InstallationID? = try query.value("installation", "an installation id")
        let limit = try query.number("limit", in: 1...1_000) ?? 1_000
        let after: Int64? = try query.value("after", "a number such as 17")
        let end = dependencies.intake.end
        let indexed = dependencies.store.indexed
        let wanted = LedgerQuery(installation: installation, after: after, limit: limit)
        let slot = try ledgerSlots.takeForQuery()
        defer { withExtendedLifetime(slot) {} }
        let rows = try await dependencies.store.ledger(matching: wanted)
        let total = try await dependencies.store.writers(installation: installation)
        let erasures = try await dependencies.store.erasures(installation: installation, limit: Self.maxErasures)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("indexed", indexed.description)
            writer.member("end", end.description)
            writer.list("writers", rows) { $0.write(to: &$1) }
            writer.member("total", Int64(total))
            writer.writeNextCursor(after: rows, limit: limit) { String($0.number) }
            writer.list("erasures", erasures) { $0.write(to: &$1) }
            writer.endObject()
        }
    }

    /// `GET /v1/ledger/summary`: the combined accounts of the newest writers.
    ///
    /// - Parameter isDetailed: Whether the response may name the writers with the worst accounts.
    func ledgerSummary(_ query: QueryParameters, isDetailed: Bool = true) throws -> DeferredResponse {
        try query.rejectUnknown(isDetailed ? ["worst"] : [])
        let worst = try query.number("worst", in: 0...50) ?? 0
        return DeferredResponse { [dependencies, ledgerSlots] in
            let slot = try ledgerSlots.takeForQuery()
            defer { withExtendedLifetime(slot) {} }
            let summary = try await LedgerSummary.newest(of: dependencies.store, worst: worst)
            return JSONResponse.make { summary.write(to: &$0) }
        }
    }

    /// `GET /v1/rate`: counts per minute, with the busiest names counted separately.
    ///
    /// The longer the period, the fewer names are counted separately.
    func rate(_ query: QueryParameters) throws -> DeferredResponse {
        let minutes = try query.number("minutes", in: 1...10_080) ?? 60
        return DeferredResponse { [dependencies] in
            let since = dependencies.clock.now().wall.milliseconds - Int64(minutes) * 60_000
            let counts = try await dependencies.store.minutes(
                since: Timestamp(milliseconds: since),
                names: max(1, min(Self.maxNames, Self.maxCounts / minutes))
            )
            return JSONResponse.make { writer in
                writer.beginObject()
                writer.list("minutes", counts) { $0.write(to: &$1) }
                writer.endObject()
            }
        }
    }

    /// `GET /v1/stats`
    func stats() async throws -> Response {
        let totals = try await dependencies.store.totals()
        let indexed = dependencies.store.indexed
        let refusal = dependencies.intake.failure?.message
        let analysis = dependencies.analysis?.report
        let end = dependencies.intake.end.streamSequence
        return JSONResponse.make { writer in
            writer.beginObject()
            totals.writeMembers(to: &writer)
            writer.member("indexed", indexed.description)
            // A client that watches for new events must know if none can arrive.
            if let refusal { writer.member("intake_trouble", refusal) }
            // The position after the last record is one more than the record's number.
            analysis?.writeMember(before: end > 0 ? end - 1 : 0, to: &writer)
            writer.endObject()
        }
    }
}
