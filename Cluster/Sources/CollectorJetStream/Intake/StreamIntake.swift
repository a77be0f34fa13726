// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents
package import TrackwayJournal
package import TrackwayWire

/// An intake whose records lie in a replicated stream: a record whose commit has returned is on the disks of a majority of
/// servers that were proven to sync always.
///
/// While the engine has no majority records are held, within bounds, and published again under the same id; what became of a
/// record is never guessed. Safe from any thread.
package final class StreamIntake: RecordIntake {
    /// How long a record waits for the engine's answer before it counts as not known.
    static let answerTime: Duration = .seconds(2)

    private let engine: any StreamEngine
    private let watch: @Sendable () -> DurabilityState.Standing
    private let place: StreamPlace
    private let clock: any EventClock
    private let nonce: [UInt64]
    private let sleep: @Sendable (Duration) async -> Void
    private let committed: @Sendable (LogPosition) -> Void
    private let state: Locked<State>

    private struct State: Sendable {
        var gate: StreamIntakeGate
        var statistics = IntakeStatistics()
        var records: UInt64 = 0
        /// When the engine made the stream, in its words.
        var created: String?
    }

    /// An intake on a stream.
    ///
    /// - Parameters:
    ///   - engine: Where the stream is.
    ///   - place: Which stream it is.
    ///   - standing: Whether the stream is proven to be durable now.
    ///   - options: How much may be held.
    ///   - known: The highest sequence that was read from the stream before: it must never end before that.
    ///   - clock: The time.
    ///   - chance: Makes the ids of records that have none of their own.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - committed: Called with the place up to which this intake knows all to be committed. It must return at once.
    package init(
        _ engine: any StreamEngine,
        place: StreamPlace = StreamPlace(),
        standing: @escaping @Sendable () -> DurabilityState.Standing,
        options: IntakeOptions = IntakeOptions(),
        known: UInt64 = 0,
        clock: any EventClock,
        chance: () -> UInt64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        committed: @escaping @Sendable (LogPosition) -> Void = { _ in }
    ) {
        self.engine = engine
        self.place = place
        watch = standing
        self.clock = clock
        nonce = [chance(), chance()]
        self.sleep = sleep
        self.committed = committed
        state = Locked(State(gate: StreamIntakeGate(stream: place.stream, options: options, known: known)))
    }

    package var durability: CollectorDurability { .replicated }

    package func commit(
        kind: FrameKind,
        record: [UInt8],
        route: IntakeRoute
    ) async throws(IntakeError) -> Commit {
        if let refusal = state.withLock({ $0.gate.offered(bytes: record.count) }) { throw refusal }
        defer { state.withLock { $0.gate.released(bytes: record.count) } }
        let began = now
        let publication = publication(kind, record, route)
        var held = HeldRecord(at: began)
        var first: UInt64?
        while true {
            let step: HeldRecord.Step
            let connection = engine.connection?.number
            let standing = watch()
            switch state.withLock({ $0.gate.permission(standing) }) {
            case .refuse(let error):
                throw error
            case .wait(let reason):
                step = held.isBarred(reason, at: now)
            case .publish(let floor, let isProbe):
                let outcome = await publish(publication)
                let lowest = first ?? floor
                first = lowest
                if let error = state.withLock({ $0.gate.published(outcome, floor: lowest, isProbe: isProbe) }) {
                    throw error
                }
                step = held.published(outcome, at: now)
            }
            switch step {
            case .stored(let sequence, _):
                return acknowledged(sequence, record.count, in: began.duration(to: now))
            case .again(let wait, let elsewhere):
                if elsewhere, let connection { engine.leave(connection) }
                await sleep(wait)
                if Task.isCancelled {
                    throw IntakeError(code: .closing, message: "The sender went away before the engine answered.")
                }
            case .refuse(let refusal):
                let error = IntakeError(refusal)
                let now = now
                state.withLock { state in
                    state.gate.refused(error, at: now)
                    state.statistics.refused += 1
                }
                throw error
            }
        }
    }

    private var now: MonotonicTime { clock.now().monotonic }

    private func acknowledged(_ sequence: UInt64, _ bytes: Int, in duration: Duration) -> Commit {
        let position = place.position(behind: sequence)
        let end = state.withLock { state in
            state.statistics.flushed(records: 1, bytes: bytes, in: duration)
            return state.gate.highest
        }
        committed(place.position(behind: end))
        return Commit(position: position, durability: .replicated)
    }

    // MARK: Publishing

    private struct Publication: Sendable {
        let subject: String
        let headers: NATSHeaders
        let body: [UInt8]
    }

    private func publication(_ kind: FrameKind, _ record: [UInt8], _ route: IntakeRoute) -> Publication {
        let id: String
        if let identity = route.identity {
            id = "\(kind.streamName).\(identity.hexadecimal)"
        } else {
            let number = state.withLock { state in
                state.records += 1
                return state.records
            }
            id = "\(String(nonce[0], radix: 16)).\(String(nonce[1], radix: 16)).\(number)"
        }
        return Publication(
            subject: place.subject(of: route.installation),
            headers: [
                "Nats-Msg-Id": id,
                "Nats-Expected-Stream": place.stream,
                StreamPlace.kindHeader: kind.streamName,
            ],
            body: record
        )
    }

    private func publish(_ publication: Publication) async -> PublishOutcome {
        do throws(NATSRequestFailure) {
            let answer = try await engine.request(
                publication.subject,
                headers: publication.headers,
                body: publication.body,
                within: Self.answerTime
            )
            return PublishOutcome(answer, stream: place.stream)
        } catch {
            return PublishOutcome(error)
        }
    }

    // MARK: What is known

    /// The engine told of the stream.
    ///
    /// - Parameter floor: ``highest`` as it was before the engine was asked.
    package func told(_ facts: StreamFacts, floor: UInt64) {
        // What a leader without the others tells of the end may be old, however often it says so.
        guard facts.isToldByMajority(after: DurabilityGate.Demands().silence) else { return }
        let end = state.withLock { state in
            if let known = state.created, known != facts.created { state.gate.replaced(known, by: facts.created) }
            if !facts.created.isEmpty { state.created = facts.created }
            state.gate.told(last: facts.lastSequence, floor: floor)
            return state.gate.highest
        }
        if end > floor { committed(place.position(behind: end)) }
    }

    /// The stream was read up to a record, which somebody else may have put there.
    func read(_ sequence: UInt64) {
        let end = state.withLock { state in
            state.gate.read(sequence)
            return state.gate.highest
        }
        committed(place.position(behind: end))
    }

    /// The highest place of the stream that is known.
    package var highest: UInt64 { state.withLock { $0.gate.highest } }

    package var end: LogPosition { place.position(behind: highest) }

    /// The sequence of the last record that was acknowledged here; nil before the first.
    var acknowledged: UInt64? { state.withLock { $0.gate.acknowledged } }

    package func committedEnd() async -> LogPosition? { acknowledged.map { place.position(behind: $0) } }

    /// Other streams take the records from now on: what is held is given up, for whoever tries there.
    func leave() { state.withLock { $0.gate.left() } }

    package var trouble: IntakeError? {
        let standing = watch()
        let now = now
        return state.withLock { $0.gate.trouble(standing, at: now) }
    }

    package var statistics: IntakeStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.gate.heldRecords
            return statistics
        }
    }

    package func record(at position: EventPosition) async throws -> (kind: FrameKind, payload: [UInt8])? {
        guard let sequence = place.sequence(at: position) else { return nil }
        return try await Self.record(sequence, of: place, on: engine)
    }

    /// Reads a record of a stream.
    ///
    /// - Returns: Nil when there is no such record, or none that a collector put there.
    /// - Throws: ``NATSRequestFailure`` or ``StreamReadError`` when it cannot be read now.
    static func record(
        _ sequence: UInt64,
        of place: StreamPlace,
        on engine: any StreamEngine
    ) async throws -> (kind: FrameKind, payload: [UInt8])? {
        let answer = try await engine.request(
            "$JS.API.DIRECT.GET.\(place.stream)",
            headers: nil,
            body: Array("{\"seq\":\(sequence)}".utf8),
            within: Self.answerTime
        )
        switch answer.status {
        case 404: return nil
        case .some(let status): throw StreamReadError(status: status, stream: place.stream)
        case nil:
            guard let kind = answer.headers?[StreamPlace.kindHeader].flatMap({ FrameKind(streamName: $0) }) else {
                return nil
            }
            return (kind, answer.body)
        }
    }

    /// Nothing: the stream's records are the operator's to remove, and several collectors have them.
    package func removeSegments(before position: LogPosition) {}

    /// Accepts nothing more, and gives up what is held: without an answer its senders send it again.
    package func close() async {
        state.withLock { $0.gate.closing() }
    }
}

/// A record could not be read from the stream now.
package struct StreamReadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The engine's status.
    package var status: Int
    /// The stream.
    package var stream: String

    package var description: String {
        "the stream \(stream) cannot be read now: the engine answered with status \(status)"
    }
}
