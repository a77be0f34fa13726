// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents

/// `GET /v1/reports/usage`: the client data report of an application, as a table.
///
/// It covers events of all formats.
struct UsageReportEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    private let slots = ConcurrencySlots(limit: 8)

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/reports/usage") { try await report($0.request, pass: $0.pass) }
    }

    /// The number of events read at once.
    private static let pageSize = 1_000

    /// Responds with all events of the application in the period.
    ///
    /// They are in the order of arrival.
    ///
    /// The report is written page by page while it is read, so that its length takes no memory. If the index fails
    /// midway or the key is revoked, the response is cut off, which a client can detect.
    func report(_ request: Request, pass: ReadAuthorization) async throws -> Response {
        let slot = try slots.take()
        let query = Query(request.uri)
        let scope = UsageReportRow.Scope(application: query.text("application"))
        var filter = EventQuery(order: .oldestFirst, limit: Self.pageSize)
        filter.from = try query.time("from")
        filter.to = try query.time("to")
        let store = dependencies.store
        let end = store.indexed
        // Read the first page before the response begins: an index that cannot be read at all is an error with a
        // status.
        let first = try await store.events(matching: filter)
        var headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8; header=present",
            .contentDisposition: "attachment; filename=\"client-data-report.csv\"",
        ]
        Answer.protect(&headers)
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { [filter] writer in
                try await Self.write(first, of: scope, behind: filter, upTo: end, from: store, pass, to: &writer)
                try await writer.finish(nil)
                withExtendedLifetime(slot) {}
            }
        )
    }

    // Concurrent, as the framework's writer is: a writer must not move between executors.
    @concurrent
    private static func write(
        _ first: [StoredEvent],
        of scope: UsageReportRow.Scope,
        behind filter: EventQuery,
        upTo end: EventPosition,
        from store: any EventStore,
        _ pass: ReadAuthorization,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        try await writer.write(ByteBuffer(string: UsageReportRow.heading))
        var (filter, events) = (filter, first)
        while let last = events.last {
            try pass.check()
            let lines = events.compactMap { UsageReportRow($0, in: scope)?.line }.joined()
            if !lines.isEmpty { try await writer.write(ByteBuffer(string: lines)) }
            // Events that arrive in the meantime belong to the next report.
            guard last.position < end else { return }
            filter.after = last.position
            events = try await store.events(matching: filter)
        }
    }
}
