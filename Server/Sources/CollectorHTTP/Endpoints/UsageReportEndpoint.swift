// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore

/// `GET /v1/reports/usage`: the client data report of an application, as CSV.
///
/// The report covers events of all formats.
struct UsageReportEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    private let slots = ConcurrencySlots(limit: 8)

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/reports/usage") { try await report($0.request, authorization: $0.authorization) }
    }

    /// The number of events per page.
    private static let pageSize = 1_000

    /// Responds with all events of the application in the period.
    ///
    /// Events are in order of arrival.
    ///
    /// The report is written page by page while the index is read, so that memory use does not depend on the report's
    /// length. If the index fails midway or the key is revoked, the response is truncated, which a client can detect.
    func report(_ request: Request, authorization: ReadAuthorization) async throws -> Response {
        let slot = try slots.take()
        let query = QueryParameters(request.uri)
        let scope = UsageReportRow.Scope(application: try query.text("application"))
        var filter = EventQuery(order: .oldestFirst, limit: Self.pageSize)
        filter.from = try query.time("from")
        filter.to = try query.time("to")
        let store = dependencies.store
        let end = store.indexed
        // Read the first page before the response begins, so that an unreadable index results in an error status.
        let first = try await store.events(matching: filter)
        var headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8; header=present",
            .contentDisposition: "attachment; filename=\"client-data-report.csv\"",
        ]
        JSONResponse.addSecurityHeaders(to: &headers)
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { [filter] writer in
                try await Self.write(
                    first,
                    of: scope,
                    after: filter,
                    upTo: end,
                    from: store,
                    authorization,
                    to: &writer
                )
                try await writer.finish(nil)
                withExtendedLifetime(slot) {}
            }
        )
    }

    // The function is concurrent because the framework's writer is: a writer must not move between executors.
    @concurrent
    private static func write(
        _ first: [StoredEvent],
        of scope: UsageReportRow.Scope,
        after filter: EventQuery,
        upTo end: EventPosition,
        from store: any EventStore,
        _ authorization: ReadAuthorization,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        try await writer.write(ByteBuffer(string: UsageReportRow.heading))
        var (filter, events) = (filter, first)
        while let last = events.last {
            try authorization.check()
            let lines = events.compactMap { UsageReportRow($0, in: scope)?.line }.joined()
            if !lines.isEmpty { try await writer.write(ByteBuffer(string: lines)) }
            // Events that arrive while the report is written belong to the next report.
            guard last.position < end else { return }
            filter.after = last.position
            events = try await store.events(matching: filter)
        }
    }
}
