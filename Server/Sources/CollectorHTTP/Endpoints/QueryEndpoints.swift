// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayJournal

/// The endpoints that read the index and answer at once.
struct QueryEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    /// Accounts may be long, and whoever sends decides how long: fewer are reckoned at once than the index has readers.
    let ledgerSlots = FollowerSlots(limit: 2)
    /// The most erased installations the ledger names; `/v1/stats` counts all.
    private static let maxErasures = 100
    /// The most names that are counted separately, and the most such counts in one answer.
    private static let maxNames = 40
    private static let maxCounts = 8_000

    func register(in routes: inout RouteTable) {
        routes.read("/v1/events") { try await events($0.request) }
        routes.read("/v1/events/{id}", .lookup) { try await event($0["id"]) }
        routes.read("/v1/ledger") { try await ledger($0.request) }
        routes.read("/v1/ledger/summary") { try await ledgerSummary($0.query).answer() }
        routes.read("/v1/rate") { try await rate($0.query).answer() }
        routes.read("/v1/stats", .other) { _ in try await stats() }
    }

    /// `GET /v1/events`; with `where` or `text` a search, which says how far it went.
    func events(_ request: Request) async throws -> Response {
        let query = Query(request.uri)
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
            let found = try await dependencies.store.found(search)
            let keptFrom = dependencies.store.keptFrom(asked: filter.from)
            return Answer.json { found.write(keptFrom: keptFrom, to: &$0) }
        }
        let events = try await dependencies.store.events(matching: filter)
        let keptFrom = dependencies.store.keptFrom(asked: filter.from)
        return Answer.json { writer in
            writer.beginObject()
            writer.list("events", events) { $0.write(to: &$1) }
            writer.next(behind: events, limit: limit) { $0.position.description }
            writer.keptFrom(keptFrom)
            writer.endObject()
        }
    }

    /// `GET /v1/events/{id}`
    func event(_ text: String) async throws -> Response {
        guard let id = EventID(text) else {
            throw RequestFailure.malformed("id", "“\(text.prefix(64))” is not an event's id.")
        }
        guard let event = try await dependencies.store.event(id) else {
            throw RequestFailure.notFound("No event with the id \(id) has arrived.")
        }
        return Answer.json { event.write(to: &$0) }
    }

    /// `GET /v1/ledger`: the accounts as of `indexed`; `end` is where the intake log ended when it was asked, so that a
    /// client can wait for it (`GET /v1/wait?position=…`) and ask again.
    func ledger(_ request: Request) async throws -> Response {
        let query = Query(request.uri)
        let installation: InstallationID? = try query.value("installation", "an installation's id")
        let limit = try query.number("limit", in: 1...1_000) ?? 1_000
        let after: Int64? = try query.value("after", "a number such as 17")
        let end = dependencies.intake.end
        let indexed = dependencies.store.indexed
        let wanted = LedgerQuery(installation: installation, after: after, limit: limit)
        let slot = try ledgerSlots.takeForQuestion()
        defer { withExtendedLifetime(slot) {} }
        let rows = try await dependencies.store.ledger(matching: wanted)
        let total = try await dependencies.store.writers(installation: installation)
        let erasures = try await dependencies.store.erasures(installation: installation, limit: Self.maxErasures)
        return Answer.json { writer in
            writer.beginObject()
            writer.member("indexed", indexed.description)
            writer.member("end", end.description)
            writer.list("writers", rows) { $0.write(to: &$1) }
            writer.member("total", Int64(total))
            writer.next(behind: rows, limit: limit) { String($0.number) }
            writer.list("erasures", erasures) { $0.write(to: &$1) }
            writer.endObject()
        }
    }

    /// `GET /v1/ledger/summary`: the newest writers' accounts as one.
    ///
    /// - Parameter isDetailed: Whether it may name the worst of them.
    func ledgerSummary(_ query: Query, isDetailed: Bool = true) throws -> PreparedAnswer {
        try query.takesOnly(isDetailed ? ["worst"] : [])
        let worst = try query.number("worst", in: 0...50) ?? 0
        return PreparedAnswer { [dependencies, ledgerSlots] in
            let slot = try ledgerSlots.takeForQuestion()
            defer { withExtendedLifetime(slot) {} }
            let summary = try await LedgerSummary.newest(of: dependencies.store, worst: worst)
            return Answer.json { summary.write(to: &$0) }
        }
    }

    /// `GET /v1/rate`: the busiest names of the time are counted separately, fewer the longer it is.
    func rate(_ query: Query) throws -> PreparedAnswer {
        let minutes = try query.number("minutes", in: 1...10_080) ?? 60
        return PreparedAnswer { [dependencies] in
            let since = dependencies.clock.now().wall.milliseconds - Int64(minutes) * 60_000
            let counts = try await dependencies.store.minutes(
                since: Timestamp(milliseconds: since),
                names: max(1, min(Self.maxNames, Self.maxCounts / minutes))
            )
            return Answer.json { writer in
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
        let refusal = dependencies.intake.trouble?.message
        let analysis = dependencies.analysis?.report
        let end = dependencies.intake.end.streamSequence
        return Answer.json { writer in
            writer.beginObject()
            totals.writeMembers(to: &writer)
            writer.member("indexed", indexed.description)
            // Who looks at what has arrived has to know that nothing can.
            if let refusal { writer.member("intake_trouble", refusal) }
            // The place behind the last record is one more than its number.
            analysis?.writeMember(before: end > 0 ? end - 1 : 0, to: &writer)
            writer.endObject()
        }
    }
}
