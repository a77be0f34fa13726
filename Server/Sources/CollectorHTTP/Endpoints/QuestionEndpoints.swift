// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Hummingbird
internal import TrackwayEvents

/// The endpoints for queries over many events.
struct QuestionEndpoints: RoutedResource {
    private let dependencies: CollectorDependencies
    private let zones: ZoneDirectory
    /// Slots for queries, fewer than the index has readers.
    ///
    /// Short queries then need not wait for long ones.
    let slots = ConcurrencySlots(limit: 3)

    init(dependencies: CollectorDependencies, zones: @escaping ZoneDirectory) {
        self.dependencies = dependencies
        self.zones = zones
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/trends", .question) { try await trends($0.query).answer() }
        routes.read("/v1/funnels", .question) { try await funnels($0.query).answer() }
        routes.read("/v1/retention", .question) { try await retention($0.query).answer() }
        routes.read("/v1/lifecycle", .question) { try await lifecycle($0.query).answer() }
        routes.read("/v1/stickiness", .question) { try await stickiness($0.query).answer() }
        routes.read("/v1/paths", .question) { try await paths($0.query).answer() }
    }

    /// `GET /v1/trends`
    func trends(_ query: Query) throws -> DeferredResponse {
        try prepare(query) {
            try Question(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.trend($1)
        } _: {
            $0.write(for: $1, keptFrom: $2, to: &$3)
        } since: {
            $0.time.start
        }
    }

    /// `GET /v1/funnels`
    func funnels(_ query: Query) throws -> DeferredResponse {
        try prepare(query) {
            try FunnelQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.funnel($1)
        } _: {
            $0.write(for: $1, keptFrom: $2, to: &$3)
        } since: {
            $0.from
        }
    }

    /// `GET /v1/retention`
    func retention(_ query: Query) throws -> DeferredResponse {
        try prepare(query) {
            try RetentionQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.retention($1)
        } _: {
            $0.write(for: $1, keptFrom: $2, to: &$3)
        } since: {
            $0.cohort == .first ? nil : $0.time.start
        }
    }

    /// `GET /v1/lifecycle`
    func lifecycle(_ query: Query) throws -> DeferredResponse {
        try prepare(query) {
            try ActivityQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.lifecycle($1)
        } _: {
            $0.write(for: $1, keptFrom: $2, to: &$3)
        } since: { _ in
            // A user who was active at any earlier time is not new.
            nil
        }
    }

    /// `GET /v1/stickiness`
    func stickiness(_ query: Query) throws -> DeferredResponse {
        try prepare(query) {
            try ActivityQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.stickiness($1)
        } _: {
            $0.write(for: $1, keptFrom: $2, to: &$3)
        } since: {
            $0.time.start
        }
    }

    /// `GET /v1/paths`
    func paths(_ query: Query) throws -> DeferredResponse {
        try prepare(query) {
            try PathQuery(parameters: $0, now: $1, zones: zones)
        } _: {
            try await $0.paths($1)
        } _: {
            $0.write(for: $1, keptFrom: $2, to: &$3)
        } since: {
            $0.from
        }
    }

    /// Reads a query.
    ///
    /// Running it takes a slot, queries the index or its replacement, and writes the response.
    ///
    /// - Parameter since: Returns the earliest time of events that count; nil if all count.
    private func prepare<Asked: Sendable, Answered>(
        _ query: Query,
        _ read: ([(name: String, value: String)], Timestamp) throws -> Asked,
        _ ask: @escaping @Sendable (any AnalyticsStore, Asked) async throws -> Answered,
        _ write: @escaping @Sendable (Answered, Asked, Timestamp?, inout JSONWriter) -> Void,
        since: (Asked) -> Timestamp?
    ) throws -> DeferredResponse {
        let question: Asked
        do {
            question = try read(query.parameters, dependencies.clock.now().wall)
        } catch let error as InvalidQueryError {
            throw RequestFailure(error)
        }
        let earliest = since(question)
        return DeferredResponse { [dependencies, slots] in
            let slot = try slots.takeForQuery()
            defer { withExtendedLifetime(slot) {} }
            let answered = try await ask(dependencies.questions, question)
            let keptFrom = dependencies.questions.keptFrom(asked: earliest)
            return Answer.json { write(answered, question, keptFrom, &$0) }
        }
    }
}
