// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore

/// The endpoints for analytics queries, which read many events.
struct AnalyticsEndpoints: RoutedResource {
    private let dependencies: CollectorDependencies
    private let zones: ZoneDirectory
    /// The slots for queries; there are fewer slots than index readers.
    ///
    /// As a result, short queries do not wait for long ones.
    let slots = ConcurrencySlots(limit: 3)

    init(dependencies: CollectorDependencies, zones: @escaping ZoneDirectory) {
        self.dependencies = dependencies
        self.zones = zones
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/trends", .analytics) { try await trends($0.query).run() }
        routes.read("/v1/funnels", .analytics) { try await funnels($0.query).run() }
        routes.read("/v1/retention", .analytics) { try await retention($0.query).run() }
        routes.read("/v1/lifecycle", .analytics) { try await lifecycle($0.query).run() }
        routes.read("/v1/stickiness", .analytics) { try await stickiness($0.query).run() }
        routes.read("/v1/paths", .analytics) { try await paths($0.query).run() }
        routes.read("/v1/trends/people", .analytics) { try await people(.trends, $0.query).run() }
        routes.read("/v1/funnels/people", .analytics) { try await people(.funnels, $0.query).run() }
        routes.read("/v1/retention/people", .analytics) { try await people(.retention, $0.query).run() }
        routes.read("/v1/lifecycle/people", .analytics) { try await people(.lifecycle, $0.query).run() }
        routes.read("/v1/stickiness/people", .analytics) { try await people(.stickiness, $0.query).run() }
    }

    /// `GET /v1/trends`
    func trends(_ query: QueryParameters) throws -> DeferredResponse {
        try prepare(query) {
            try TrendQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.trend($1)
        } _: {
            $0.write(for: $1, retainedSince: $2, to: &$3)
        } since: {
            $0.time.start
        }
    }

    /// `GET /v1/funnels`
    func funnels(_ query: QueryParameters) throws -> DeferredResponse {
        try prepare(query) {
            try FunnelQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.funnel($1)
        } _: {
            $0.write(for: $1, retainedSince: $2, to: &$3)
        } since: {
            $0.from
        }
    }

    /// `GET /v1/retention`
    func retention(_ query: QueryParameters) throws -> DeferredResponse {
        try prepare(query) {
            try RetentionQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.retention($1)
        } _: {
            $0.write(for: $1, retainedSince: $2, to: &$3)
        } since: {
            $0.cohort == .first ? nil : $0.time.start
        }
    }

    /// `GET /v1/lifecycle`
    func lifecycle(_ query: QueryParameters) throws -> DeferredResponse {
        try prepare(query) {
            try ActivityQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.lifecycle($1)
        } _: {
            $0.write(for: $1, retainedSince: $2, to: &$3)
        } since: { _ in
            // A user who was active at any earlier time is not new.
            nil
        }
    }

    /// `GET /v1/stickiness`
    func stickiness(_ query: QueryParameters) throws -> DeferredResponse {
        try prepare(query) {
            try ActivityQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.stickiness($1)
        } _: {
            $0.write(for: $1, retainedSince: $2, to: &$3)
        } since: {
            $0.time.start
        }
    }

    /// `GET /v1/paths`
    func paths(_ query: QueryParameters) throws -> DeferredResponse {
        try prepare(query) {
            try PathQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.paths($1)
        } _: {
            $0.write(for: $1, retainedSince: $2, to: &$3)
        } since: {
            $0.from
        }
    }

    /// `GET /v1/…/people`: the people behind one point of an answer, as JSON or CSV.
    func people(_ kind: PointPeopleQuery.Kind, _ query: QueryParameters) throws -> DeferredResponse {
        let format = try query.text("format") ?? "json"
        guard format == "json" || format == "csv" else {
            throw RequestFailure.malformed("format", "“\(format.prefix(64))” is neither “json” nor “csv”.")
        }
        var asked = query.parameters.filter { $0.name != "format" }
        // A table is usually wanted as a whole.
        if format == "csv", try query.text("limit") == nil {
            asked.append(("limit", String(PointPeopleQuery.maximumLimit)))
        }
        return try prepare(QueryParameters(parameters: asked)) {
            try PointPeopleQuery(kind, parameters: $0, now: $1, zones: zones)
        } run: {
            try await $0.people($1)
        } respond: { people, query, retainedSince in
            guard format == "csv" else {
                return JSONResponse.make { people.write(retainedSince: retainedSince, to: &$0) }
            }
            return Self.table(people, isFirst: query.after == nil)
        } since: {
            $0.start
        }
    }

    /// Returns people as CSV; the header `trackway-next` is the cursor for the next page.
    private static func table(_ people: PointPeople, isFirst: Bool) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8; header=\(isFirst ? "present" : "absent")",
            .contentDisposition: "attachment; filename=\"people.csv\"",
        ]
        if let next = people.next { headers[.literal("trackway-next")] = next.description }
        JSONResponse.addSecurityHeaders(to: &headers)
        let text = (isFirst ? PointPeople.csvHeading : "") + people.csv
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Parses a query whose response is JSON.
    private func prepare<Query: Sendable, Result>(
        _ query: QueryParameters,
        _ read: @escaping @Sendable ([ProjectCalendar.Parameter], Timestamp) throws -> Query,
        _ run: @escaping @Sendable (any AnalyticsStore, Query) async throws -> Result,
        _ write: @escaping @Sendable (Result, Query, Timestamp?, inout JSONWriter) -> Void,
        since: @escaping @Sendable (Query) -> Timestamp?
    ) throws -> DeferredResponse {
        try prepare(
            query,
            read,
            run: run,
            respond: { result, query, retainedSince in
                JSONResponse.make { write(result, query, retainedSince, &$0) }
            },
            since: since
        )
    }

    /// Parses a query.
    ///
    /// Running the query takes a slot, reads the index or its replacement, and writes the response. A query for all
    /// time is parsed again when it runs, with the time of the first event.
    ///
    /// - Parameter since: Returns the time of the earliest event to include; nil for all events.
    private func prepare<Query: Sendable, Result>(
        _ query: QueryParameters,
        _ read: @escaping @Sendable ([ProjectCalendar.Parameter], Timestamp) throws -> Query,
        run: @escaping @Sendable (any AnalyticsStore, Query) async throws -> Result,
        respond: @escaping @Sendable (Result, Query, Timestamp?) -> Response,
        since: @escaping @Sendable (Query) -> Timestamp?
    ) throws -> DeferredResponse {
        let now = dependencies.clock.now().wall
        let parameters = dependencies.configuration.calendar.completing(query.parameters)
        let isAllTime = AllTimeRange.isRequested(by: parameters)
        let parse: @Sendable (Timestamp?) throws -> Query = { [zones] first in
            do {
                guard isAllTime else { return try read(parameters, now) }
                return try read(try AllTimeRange.resolved(parameters, first: first, now: now, zones: zones), now)
            } catch let error as InvalidQueryError {
                throw RequestFailure(error)
            }
        }
        let checkedQuery = try parse(nil)
        return DeferredResponse { [dependencies, slots] in
            let slot = try slots.takeForQuery()
            defer { withExtendedLifetime(slot) {} }
            let store = dependencies.analyticsStore
            let parsedQuery = isAllTime ? try parse(try await store.firstEvent()) : checkedQuery
            let result = try await run(store, parsedQuery)
            return respond(result, parsedQuery, store.retainedSince(queryStart: since(parsedQuery)))
        }
    }
}
