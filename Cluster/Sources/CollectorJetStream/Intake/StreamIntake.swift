// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents
package import TrackwayJournal
package import TrackwayWire

/// An intake whose records are in a replicated stream.
///
/// A record whose commit has returned is on the disks of a majority of servers that are proven to sync always. While
/// the cluster has no majority, records are held, within limits, and published again under the same id. The outcome of
/// a record is never guessed. Safe from any thread.
package final class StreamIntake: RecordIntake {
    /// The timeout after which the outcome of a publish counts as unknown.
    static let answerTime: Duration = .seconds(2)

    private let engine: any NATSRequesting
    private let watch: @Sendable () -> DurabilityState.Standing
    private let place: StreamNames
    private let clock: any EventClock
    private let nonce: [UInt64]
    private let sleep: @Sendable (Duration) async -> Void
    private let committed: @Sendable (LogPosition) -> Void
    private let state: Locked<State>

    private struct State: Sendable {
        var gate: StreamIntakeGate
        var statistics = IntakeStatistics()
        var records: UInt64 = 0
        /// The stream's creation time, as NATS reports it.
        var created: String?
    }

    /// Creates an intake on a stream.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - place: The stream's names and positions.
    ///   - standing: Returns whether the stream is proven durable now.
    ///   - options: Limits for held records.
    ///   - known: The highest sequence that was read from the stream before. The stream must never end before it.
    ///   - clock: The clock.
    ///   - chance: Returns random numbers for the ids of records without an identity.
    ///   - sleep: Waits; returns early when canceled.
    ///   - committed: Called with the position up to which this intake knows all records to be committed. Must return
    ///     immediately.
    package init(
        _ engine: any NATSRequesting,
        place: StreamNames = StreamNames(),
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
                step = held.publishBlocked(reason, at: now)
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
                    throw IntakeError(code: .closing, message: "The sender disconnected before NATS answered.")
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
                StreamNames.kindHeader: kind.streamName,
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

    // MARK: Known end of the stream

    /// Handles a report on the stream.
    ///
    /// - Parameter floor: The value of ``highest`` before the report was requested.
    package func told(_ facts: StreamFacts, floor: UInt64) {
        // A leader that has lost contact with the others may report an outdated end, any number of times.
        guard facts.isReportedByMajority(after: DurabilityGate.Demands().silence) else { return }
        let end = state.withLock { state in
            if let known = state.created, known != facts.created { state.gate.replaced(known, by: facts.created) }
            if !facts.created.isEmpty { state.created = facts.created }
            state.gate.told(last: facts.lastSequence, floor: floor)
            return state.gate.highest
        }
        if end > floor { committed(place.position(behind: end)) }
    }

    /// Records that the stream was read up to a sequence.
    ///
    /// The record may be another collector's.
    func read(_ sequence: UInt64) {
        let end = state.withLock { state in
            state.gate.read(sequence)
            return state.gate.highest
        }
        committed(place.position(behind: end))
    }

    /// The highest known sequence of the stream.
    package var highest: UInt64 { state.withLock { $0.gate.highest } }

    package var end: LogPosition { place.position(behind: highest) }

    /// The sequence of the last record acknowledged here; nil before the first.
    var acknowledged: UInt64? { state.withLock { $0.gate.acknowledged } }

    package func committedEnd() async -> LogPosition? { acknowledged.map { place.position(behind: $0) } }

    /// Gives up held records because other streams accept records from now on.
    ///
    /// Their callers retry there.
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
    /// - Returns: Nil if the record does not exist, or if no collector wrote it.
    /// - Throws: ``NATSRequestFailure`` or ``StreamReadError`` if it cannot be read now.
    static func record(
        _ sequence: UInt64,
        of place: StreamNames,
        on engine: any NATSRequesting
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
            guard let kind = answer.headers?[StreamNames.kindHeader].flatMap({ FrameKind(streamName: $0) }) else {
                return nil
            }
            return (kind, answer.body)
        }
    }

    /// Does nothing: only operators remove the stream's records, which several collectors share.
    package func removeSegments(before position: LogPosition) {}

    /// Stops accepting records and gives up those held.
    ///
    /// Their senders get no answer, and send them again.
    package func close() async {
        state.withLock { $0.gate.closing() }
    }
}

/// A record cannot currently be read from the stream.
package struct StreamReadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The status that NATS returned.
    package var status: Int
    /// The stream's name.
    package var stream: String

    package var description: String {
        "the stream \(stream) cannot currently be read: NATS answered with status \(status)"
    }
}
