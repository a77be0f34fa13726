// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore
internal import TrackwayJournal

/// `POST /v1/failed/replay`: checks rejected events again for an operator.
///
/// The current validation rules apply.
struct ReplayEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    /// The slot that limits replays to one at a time.
    ///
    /// Concurrent replays would check the same events and needlessly write them twice.
    private let slots = ConcurrencySlots(limit: 1)
    /// The maximum number of rejected events per request.
    private static let maxEvents = 500

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
    }

    func register(in routes: inout RouteTable) {
        routes.add(.post, "/v1/failed/replay", .sending) { try await replay($0.request) }
    }

    /// Checks rejected events again, the latest first.
    ///
    /// The response means that the admitted events are on stable storage; the index adds the events when it reaches
    /// their positions in the log.
    ///
    /// The request requires a key with both write and read scope, regardless of its origin, because admitted events
    /// count in every result.
    func replay(_ request: Request) async throws -> Response {
        let grant = try dependencies.operatorGrant(request, to: "replay events")
        let query = QueryParameters(request.uri)
        try query.rejectUnknown(["code", "name", "position", "before", "limit", "dry_run"])
        let (failed, next) = try await failed(query)
        let isDryRun = try flag(query, "dry_run")
        let slot = try takeSlot()
        defer { withExtendedLifetime(slot) {} }
        var sum = ReplayTotals(isDryRun: isDryRun, next: next)
        let replay = Replay(
            admission: Admission(limits: dependencies.configuration.limits),
            at: dependencies.clock.now().wall,
            key: grant.name,
            isErased: dependencies.store.isErased
        )
        for events in Self.byRecord(failed) {
            try await take(events, replay, &sum)
        }
        return JSONResponse.make { sum.write(to: &$0) }
    }

    private func take(_ events: [FailedEvent], _ replay: Replay, _ sum: inout ReplayTotals) async throws {
        guard let place = events.first?.position else { return }
        let record: (kind: FrameKind, payload: [UInt8])?
        do {
            record = try await dependencies.intake.record(at: place)
        } catch {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .logUnreadable,
                message: "The intake log cannot be read now: \(error)",
                retryAfter: .seconds(5)
            )
        }
        let outcome = replay.outcome(of: events, kind: record?.kind, payload: record?.payload ?? [])
        if let bytes = outcome.record, !sum.isDryRun {
            do {
                sum.position = try await dependencies.intake.commit(kind: .intake, record: bytes, route: .unrouted)
                    .position
            } catch {
                throw RequestFailure(error)
            }
        }
        sum.add(outcome)
    }

    private func failed(_ query: QueryParameters) async throws -> (events: [FailedEvent], next: EventPosition?) {
        if let position: EventPosition = try query.value("position", "a position such as 3.88213.7") {
            guard let event = try await dependencies.store.failed(at: position) else {
                throw RequestFailure.notFound("There is no rejected event or batch at \(position).")
            }
            return ([event], nil)
        }
        let wanted = FailedQuery(
            before: try query.value("before", "a position such as 3.88213.7"),
            code: try query.text("code"),
            name: try query.text("name"),
            limit: try query.number("limit", in: 1...Self.maxEvents) ?? Self.maxEvents
        )
        let events = try await dependencies.store.failed(matching: wanted)
        return (events, events.isFull(limit: wanted.limit) ? events.last?.position : nil)
    }

    private func flag(_ query: QueryParameters, _ name: String) throws(RequestFailure) -> Bool {
        switch try query.text(name) {
        case nil, "0", "false": return false
        case "1", "true": return true
        case .some(let text): throw .malformed(name, "“\(text.prefix(64))” is neither 1 nor 0.")
        }
    }

    private func takeSlot() throws(RequestFailure) -> ConcurrencySlot {
        do {
            return try slots.take()
        } catch {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .replayRunning,
                message: "A replay is already running; try again in a moment.",
                retryAfter: .seconds(1)
            )
        }
    }

    /// Groups the events by record, given a list ordered by position.
    private static func byRecord(_ events: [FailedEvent]) -> [[FailedEvent]] {
        var groups: [[FailedEvent]] = []
        for event in events {
            let last = groups.last?.last?.position
            if last?.segment == event.position.segment, last?.offset == event.position.offset {
                groups[groups.count - 1].append(event)
            } else {
                groups.append([event])
            }
        }
        return groups
    }
}

/// The combined outcome of a replay.
private struct ReplayTotals {
    let isDryRun: Bool
    let next: EventPosition?
    var position: LogPosition?
    private var admitted = 0
    private var refused = 0
    private var unchanged = 0
    private var lost: [Replay.Loss] = []

    init(isDryRun: Bool, next: EventPosition?) {
        self.isDryRun = isDryRun
        self.next = next
    }

    mutating func add(_ outcome: Replay.Outcome) {
        admitted += outcome.admitted
        refused += outcome.refused
        unchanged += outcome.unchanged
        lost += outcome.lost
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("admitted", Int64(admitted))
        writer.member("refused", Int64(refused))
        writer.member("unchanged", Int64(unchanged))
        writer.list("not_kept", lost) { loss, writer in
            writer.beginObject()
            writer.member("position", loss.position.description)
            writer.member("reason", loss.reason.rawValue)
            writer.endObject()
        }
        writer.member("dry_run", isDryRun)
        if let position { writer.member("position", position.description) }
        if let next { writer.member("next", next.description) }
        writer.endObject()
    }
}
