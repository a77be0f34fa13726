// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore
internal import TrackwayJournal

/// `GET /v1/expect`: waits until the events that a test expects have arrived.
///
/// If the timeout is reached first, the response states what arrived instead.
struct ExpectationEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    private let slots: ConcurrencySlots
    /// The maximum number of expectations that wait concurrently.
    private static let waiting = 64
    /// The maximum number of rejected events that are searched for likely matches.
    private static let searchedRefusals = 100

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        slots = ConcurrencySlots(limit: min(Self.waiting, dependencies.configuration.followers))
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/expect", .untimed) { try await expect($0.request, authorization: $0.authorization) }
    }

    /// Waits for the expected events and returns the result.
    ///
    /// The response is final: it covers all events that were acknowledged to a sender before the timeout.
    func expect(_ request: Request, authorization: ReadAuthorization) async throws -> Response {
        let expectation = try expectation(request)
        let slot = try takeSlot()
        defer { withExtendedLifetime(slot) {} }
        var tally = ExpectationTally(expectation, since: since(expectation))
        try await update(&tally, before: nil)
        if tally.status == .open, expectation.within > .zero { try await wait(&tally, authorization) }
        if tally.status == .open { try await catchUp(&tally, authorization) }
        return try await report(tally)
    }

    private func since(_ expectation: EventExpectation) -> EventPosition {
        switch expectation.since {
        case .beginning: dependencies.store.beginning
        case .now: EventPosition(dependencies.intake.end)
        case .position(let position): max(position, dependencies.store.beginning)
        }
    }

    /// Checks the events after each advance of the index.
    ///
    /// Returns when the outcome of the expectation is known or the timeout is reached.
    private func wait(_ tally: inout ExpectationTally, _ authorization: ReadAuthorization) async throws {
        var isOver = false
        let follower = follower(for: tally.expectation.within, authorization)
        try await follower.follow { signal in
            if case .tick = signal {
                isOver = true
                return false
            }
            try await update(&tally, before: nil)
            return tally.status == .open
        }
        try authorization.check()
        guard isOver || tally.status != .open else {
            // The outcome is unknown, because the expectation waited for less than the requested time.
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .closing,
                message: "The collector is shutting down, so it cannot wait for the requested time.",
                retryAfter: .seconds(1)
            )
        }
    }

    /// Checks all events acknowledged so far, and none acknowledged later.
    ///
    /// Called when the timeout is reached.
    private func catchUp(_ tally: inout ExpectationTally, _ authorization: ReadAuthorization) async throws {
        let store = dependencies.store
        let committed = await dependencies.intake.committedEnd().map { EventPosition($0) }
        guard committed != nil || store.isBuilding else { return }
        let end = committed ?? EventPosition(dependencies.intake.end)
        if store.indexed < end || store.isBuilding {
            try await follower(for: dependencies.configuration.expectationCatchUp, authorization).follow { signal in
                switch signal {
                case .advanced: store.indexed < end || store.isBuilding
                case .tick: false
                }
            }
        }
        guard store.indexed >= end, !store.isBuilding else {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .indexBehind,
                message:
                    "\(dependencies.store.failureReason ?? "The index has not read all accepted data.") Try again.",
                retryAfter: .seconds(1)
            )
        }
        try await update(&tally, before: end)
    }

    private func follower(for interval: Duration, _ authorization: ReadAuthorization) -> IndexFollower {
        IndexFollower(
            store: dependencies.store,
            interval: interval,
            authorization: authorization,
            authorizationCheckInterval: dependencies.configuration.authorizationCheckInterval
        )
    }

    /// Checks the indexed events.
    ///
    /// After a reset, the expectation starts over, because discarded events do not count.
    ///
    /// While the index is being built, no events are visible and the expectation stays open: the outcome is known once
    /// the index is built.
    private func update(_ tally: inout ExpectationTally, before end: EventPosition?) async throws(StoreError) {
        while !dependencies.store.isBuilding {
            let beginning = dependencies.store.beginning
            if beginning > tally.since { tally = ExpectationTally(tally.expectation, since: beginning) }
            var hasMore = true
            while hasMore, tally.status == .open {
                do throws(StoreError) {
                    (tally, hasMore) = try await dependencies.store.advance(tally, before: end)
                } catch  where error.kind == .behind {
                    return
                }
                guard tally.read <= EventExpectation.maxEvents else {
                    throw .overBudget(
                        "since",
                        "it covers more than \(EventExpectation.maxEvents) events: specify since=POSITION, or since=now"
                    )
                }
            }
            if dependencies.store.beginning == beginning { return }
        }
    }

    private func report(_ tally: ExpectationTally) async throws(StoreError) -> Response {
        let store = dependencies.store
        var events: [StoredEvent] = []
        for id in tally.events { if let event = try await store.event(id) { events.append(event) } }
        var closest: [(miss: ExpectationTally.Miss, event: StoredEvent)] = []
        var refused: [FailedEvent] = []
        if !tally.isSatisfiedNow {
            for miss in tally.closest {
                if let event = try await store.event(miss.id) { closest.append((miss, event)) }
            }
            let failed = try await store.failed(before: nil, limit: Self.searchedRefusals)
            refused = ExpectationReport.relatedRejections(for: tally, among: failed)
        }
        let report = ExpectationReport(
            tally,
            indexed: store.indexed,
            events: events,
            closest: closest,
            refused: refused
        )
        return JSONResponse.make { report.write(to: &$0) }
    }

    private func expectation(_ request: Request) throws(RequestFailure) -> EventExpectation {
        do {
            return try EventExpectation(parameters: QueryParameters(request.uri).parameters)
        } catch {
            throw RequestFailure(error)
        }
    }

    private func takeSlot() throws(RequestFailure) -> ConcurrencySlot {
        do {
            return try slots.take()
        } catch {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .tooManyExpectations,
                message: "Too many expectations are waiting; try again in a moment.",
                retryAfter: .seconds(1)
            )
        }
    }
}
