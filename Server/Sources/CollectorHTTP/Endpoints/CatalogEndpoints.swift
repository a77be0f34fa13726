// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore

/// The endpoints that list the stored event names and describe their events.
struct CatalogEndpoints: RoutedResource {
    private let dependencies: CollectorDependencies
    private let zones: ZoneDirectory
    /// The slots for descriptions; there are fewer slots than index readers.
    ///
    /// A description reads several thousand events.
    private let slots = ConcurrencySlots(limit: 3)

    init(dependencies: CollectorDependencies, zones: @escaping ZoneDirectory) {
        self.dependencies = dependencies
        self.zones = zones
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/catalogue") { try await list($0.query).run() }
        routes.read("/v1/catalogue/{name}", .lookup) { try await describe($0.decoded("name"), $0.query) }
    }

    /// `GET /v1/catalog`
    func list(_ parameters: QueryParameters) throws -> DeferredResponse {
        try parameters.rejectUnknown(["search", "prefix", "order", "after", "limit", "zone"])
        var query = CatalogQuery(
            order: try order(parameters) ?? .events,
            limit: try parameters.number("limit", in: 1...500) ?? 50,
            days: try days(parameters)
        )
        query.search = try short(parameters, "search")
        query.prefix = try short(parameters, "prefix")
        query.after = try parameters.value("after", "a cursor such as 1204.purchase")
        return DeferredResponse { [dependencies, slots, query] in
            let slot = try slots.takeForQuery()
            defer { withExtendedLifetime(slot) {} }
            let catalog = try await dependencies.store.catalog(matching: query)
            return JSONResponse.make { catalog.write(for: query, to: &$0) }
        }
    }

    /// Returns the most frequent event names, and an attribute for one of them.
    ///
    /// The attribute is the first of `keys` that the latest events of that name have.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of names.
    ///   - name: The name whose events are examined if it is among the most frequent names.
    ///   - keys: The attributes, in order of preference.
    func names(
        _ limit: Int,
        lookingInto name: String,
        for keys: [String]
    ) async throws -> (names: [String], key: String?) {
        let days = try days(QueryParameters(parameters: []))
        let slot = try slots.takeForQuery()
        defer { withExtendedLifetime(slot) {} }
        let query = CatalogQuery(order: .events, limit: limit, days: days)
        let names = try await dependencies.store.catalog(matching: query).entries.map(\.name)
        guard names.contains(name) else { return (names, nil) }
        let description = try await dependencies.store.description(of: name, days: days)
        let found = Set(description?.attributes.map(\.name) ?? [])
        return (names, keys.first(where: found.contains))
    }

    /// `GET /v1/catalog/{name}`
    private func describe(_ name: String, _ parameters: QueryParameters) async throws -> Response {
        try parameters.rejectUnknown(["zone"])
        let days = try days(parameters)
        let slot = try slots.takeForQuery()
        defer { withExtendedLifetime(slot) {} }
        guard let description = try await dependencies.store.description(of: name, days: days) else {
            throw RequestFailure.notFound("No event with the name “\(name.prefix(64))” is stored.")
        }
        return JSONResponse.make { description.write(to: &$0) }
    }

    private func order(_ parameters: QueryParameters) throws(RequestFailure) -> CatalogQuery.Order? {
        guard let text = try parameters.text("order") else { return nil }
        guard let order = CatalogQuery.Order(rawValue: text) else {
            let orders = CatalogQuery.Order.allCases.map(\.rawValue).joined(separator: ", ")
            throw .malformed("order", "“\(text.prefix(64))” is not one of \(orders).")
        }
        return order
    }

    private func short(_ parameters: QueryParameters, _ name: String) throws(RequestFailure) -> String? {
        guard let text = try parameters.text(name) else { return nil }
        guard text.utf8.count <= QueryLimits.nameBytes else {
            throw .malformed(
                name,
                "“\(text.prefix(32))…” has \(text.utf8.count) bytes; at most \(QueryLimits.nameBytes) are allowed."
            )
        }
        return text
    }

    private func days(_ parameters: QueryParameters) throws(RequestFailure) -> CatalogDays {
        let now = dependencies.clock.now().wall
        let name = try parameters.text("zone") ?? dependencies.configuration.calendar.timeZone ?? "UTC"
        guard name.utf8.count <= 64, let zone = zones(name, CatalogDays.needed(around: now)) else {
            throw .malformed(
                "zone",
                "“\(name.prefix(64))” is not the name of a time zone, such as Europe/Berlin or UTC."
            )
        }
        guard let days = CatalogDays(around: now, in: zone) else {
            throw .malformed("zone", "The collector's clock shows \(now), which is outside the supported calendar.")
        }
        return days
    }
}

extension QueryParameters {
    /// Rejects unknown parameters.
    ///
    /// A typo must not silently change the query.
    func rejectUnknown(_ names: Set<String>) throws(RequestFailure) {
        guard let other = parameters.first(where: { !names.contains($0.name) })?.name else { return }
        throw .malformed(
            String(other.prefix(64)),
            """
            “\(other.prefix(64))” is not a parameter of this request; \
            it takes \(names.sorted().joined(separator: ", ")).
            """
        )
    }
}

extension ConcurrencySlots {
    /// Takes a slot for running a query.
    func takeForQuery() throws(RequestFailure) -> ConcurrencySlot {
        do {
            return try take()
        } catch {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .tooManyQuestions,
                message: "The maximum number of queries is already running; try again in a moment.",
                retryAfter: .seconds(1)
            )
        }
    }
}
