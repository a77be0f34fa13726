// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayEvents
internal import TrackwayJournal

/// `GET /v1/expect`: waits until the events that a test expects have arrived.
///
/// If the time runs out first, the response states what arrived instead.
struct ExpectationEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    private let slots: ConcurrencySlots
    /// The maximum number of expectations waiting at once.
    private static let waiting = 64
    /// The maximum number of rejected events searched for likely matches.
    private static let searchedRefusals = 100

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        slots = ConcurrencySlots(limit: min(Self.waiting, dependencies.configuration.followers))
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/expect", .untimed) { try await expect($0.request, pass: $0.pass) }
    }

    /// Waits and responds.
    ///
    /// The response is final: it covers everything that was acknowledged to a sender before the time was over.
    func expect(_ request: Request, pass: ReadAuthorization) async throws -> Response {
        let expectation = try expectation(request)
        let slot = try takeSlot()
        defer { withExtendedLifetime(slot) {} }
        var tally = ExpectationTally(expectation, since: since(expectation))
        try await look(&tally, before: nil)
        if tally.standing == .open, expectation.within > .zero { try await wait(&tally, pass) }
        if tally.standing == .open { try await lookUntilNow(&tally, pass) }
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
    /// Returns when the expectation is decided or the time is over.
    private func wait(_ tally: inout ExpectationTally, _ pass: ReadAuthorization) async throws {
        var isOver = false
        let follower = follower(for: tally.expectation.within, pass)
        try await follower.follow { signal in
            if case .tick = signal {
                isOver = true
                return false
            }
            try await look(&tally, before: nil)
            return tally.standing == .open
        }
        try pass.check()
        guard isOver || tally.standing != .open else {
            // An expectation that waited for less than the requested time proves nothing.
            throw RequestFailure(
                status: .serviceUnavailable,
                code: "closing",
                message: "The collector is shutting down before the end of the requested time.",
                retryAfter: .seconds(1)
            )
        }
    }

    /// Checks everything that was acknowledged until now, and nothing later.
    ///
    /// Called when the time is over.
    private func lookUntilNow(_ tally: inout ExpectationTally, _ pass: ReadAuthorization) async throws {
        let store = dependencies.store
        let committed = await dependencies.intake.committedEnd().map { EventPosition($0) }
        guard committed != nil || store.isBuilding else { return }
        let end = committed ?? EventPosition(dependencies.intake.end)
        if store.indexed < end || store.isBuilding {
            try await follower(for: dependencies.configuration.expectationCatchUp, pass).follow { signal in
                switch signal {
                case .advanced: store.indexed < end || store.isBuilding
                case .tick: false
                }
            }
        }
        guard store.indexed >= end, !store.isBuilding else {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: "index_behind",
                message: "\(dependencies.store.trouble ?? "The index has not read all accepted data.") Try again.",
                retryAfter: .seconds(1)
            )
        }
        try await look(&tally, before: end)
    }

    private func follower(for interval: Duration, _ pass: ReadAuthorization) -> IndexFollower {
        IndexFollower(
            store: dependencies.store,
            interval: interval,
            pass: pass,
            passInterval: dependencies.configuration.passInterval
        )
    }

    /// Checks the indexed events.
    ///
    /// After a reset it starts again: discarded events do not count.
    ///
    /// While the index is being built, no events are visible and the expectation stays open: whether it holds is known
    /// once the index is built.
    private func look(_ tally: inout ExpectationTally, before end: EventPosition?) async throws(StoreError) {
        while !dependencies.store.isBuilding {
            let beginning = dependencies.store.beginning
            if beginning > tally.since { tally = ExpectationTally(tally.expectation, since: beginning) }
            var isMore = true
            while isMore, tally.standing == .open {
                do throws(StoreError) {
                    (tally, isMore) = try await dependencies.store.look(tally, before: end)
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
        if !tally.holdsNow {
            for miss in tally.closest {
                if let event = try await store.event(miss.id) { closest.append((miss, event)) }
            }
            let failed = try await store.failed(before: nil, limit: Self.searchedRefusals)
            refused = ExpectationReport.meant(by: tally, among: failed)
        }
        let report = ExpectationReport(
            tally,
            indexed: store.indexed,
            events: events,
            closest: closest,
            refused: refused
        )
        return Answer.json { report.write(to: &$0) }
    }

    private func expectation(_ request: Request) throws(RequestFailure) -> EventExpectation {
        do {
            return try EventExpectation(parameters: Query(request.uri).parameters)
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
                code: "too_many_expectations",
                message: "Too many expectations are waiting; try again in a moment.",
                retryAfter: .seconds(1)
            )
        }
    }
}
