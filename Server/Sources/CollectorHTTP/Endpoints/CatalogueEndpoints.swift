// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Hummingbird
internal import TrackwayEvents

/// The endpoints that tell which events there are, and what they look like.
struct CatalogueEndpoints: RoutedResource {
    private let dependencies: CollectorDependencies
    private let zones: ZoneDirectory
    /// Fewer than the index has readers: a description reads some thousand events.
    private let slots = FollowerSlots(limit: 3)

    init(dependencies: CollectorDependencies, zones: @escaping ZoneDirectory) {
        self.dependencies = dependencies
        self.zones = zones
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/catalogue") { try await list($0.query).answer() }
        routes.read("/v1/catalogue/{name}", .lookup) { try await describe($0.decoded("name"), $0.query) }
    }

    /// `GET /v1/catalogue`
    func list(_ parameters: Query) throws -> PreparedAnswer {
        try parameters.takesOnly(["search", "prefix", "order", "after", "limit", "zone"])
        var query = CatalogueQuery(
            order: try order(parameters) ?? .events,
            limit: try parameters.number("limit", in: 1...500) ?? 50,
            days: try days(parameters)
        )
        query.search = try short(parameters, "search")
        query.prefix = try short(parameters, "prefix")
        query.after = try parameters.value("after", "a place such as 1204.purchase")
        return PreparedAnswer { [dependencies, slots, query] in
            let slot = try slots.takeForQuestion()
            defer { withExtendedLifetime(slot) {} }
            let catalogue = try await dependencies.store.catalogue(matching: query)
            return Answer.json { catalogue.write(for: query, to: &$0) }
        }
    }

    /// The names of the most frequent events, and by which of some attributes the latest events of one name are told apart.
    ///
    /// - Parameters:
    ///   - limit: How many names.
    ///   - name: The name that is looked into, if it is among them.
    ///   - keys: The attributes, the one liked best first.
    func names(
        _ limit: Int,
        lookingInto name: String,
        for keys: [String]
    ) async throws -> (names: [String], key: String?) {
        let days = try days(Query(parameters: []))
        let slot = try slots.takeForQuestion()
        defer { withExtendedLifetime(slot) {} }
        let query = CatalogueQuery(order: .events, limit: limit, days: days)
        let names = try await dependencies.store.catalogue(matching: query).entries.map(\.name)
        guard names.contains(name) else { return (names, nil) }
        let description = try await dependencies.store.description(of: name, days: days)
        let found = Set(description?.attributes.map(\.name) ?? [])
        return (names, keys.first(where: found.contains))
    }

    /// `GET /v1/catalogue/{name}`
    private func describe(_ name: String, _ parameters: Query) async throws -> Response {
        try parameters.takesOnly(["zone"])
        let days = try days(parameters)
        let slot = try slots.takeForQuestion()
        defer { withExtendedLifetime(slot) {} }
        guard let description = try await dependencies.store.description(of: name, days: days) else {
            throw RequestFailure.notFound("No event with the name “\(name.prefix(64))” is stored.")
        }
        return Answer.json { description.write(to: &$0) }
    }

    private func order(_ parameters: Query) throws(RequestFailure) -> CatalogueQuery.Order? {
        guard let text = parameters.text("order") else { return nil }
        guard let order = CatalogueQuery.Order(rawValue: text) else {
            let orders = CatalogueQuery.Order.allCases.map(\.rawValue).joined(separator: ", ")
            throw .malformed("order", "“\(text.prefix(64))” is none of \(orders).")
        }
        return order
    }

    private func short(_ parameters: Query, _ name: String) throws(RequestFailure) -> String? {
        guard let text = parameters.text(name) else { return nil }
        guard text.utf8.count <= QuestionLimits.nameBytes else {
            throw .malformed(
                name,
                "“\(text.prefix(32))…” has \(text.utf8.count) bytes; at most \(QuestionLimits.nameBytes) are allowed."
            )
        }
        return text
    }

    private func days(_ parameters: Query) throws(RequestFailure) -> CatalogueDays {
        let now = dependencies.clock.now().wall
        let name = parameters.text("zone") ?? "UTC"
        guard name.utf8.count <= 64, let zone = zones(name, CatalogueDays.needed(around: now)) else {
            throw .malformed(
                "zone",
                "“\(name.prefix(64))” is not the name of a time zone, such as Europe/Berlin or UTC."
            )
        }
        guard let days = CatalogueDays(around: now, in: zone) else {
            throw .malformed("zone", "The collector's clock shows \(now), and no calendar is known for that.")
        }
        return days
    }
}

extension Query {
    /// Refuses a parameter that means nothing here: a request with a typing mistake must not get the answer to another one.
    func takesOnly(_ names: Set<String>) throws(RequestFailure) {
        guard let other = parameters.first(where: { !names.contains($0.name) })?.name else { return }
        throw .malformed(
            String(other.prefix(64)),
            "“\(other.prefix(64))” is no parameter of this; it takes \(names.sorted().joined(separator: ", "))."
        )
    }
}

extension FollowerSlots {
    /// A place among the questions that are answered at once.
    func takeForQuestion() throws(RequestFailure) -> FollowerSlot {
        do {
            return try take()
        } catch {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: "too_many_questions",
                message: "As many questions as may be are being answered already; ask again in a moment.",
                retryAfter: .seconds(1)
            )
        }
    }
}
