// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore
package import TrackwayDestinationKit
package import TrackwayJournal

/// An intake whose records are in a replicated stream.
///
/// Once a commit returns, its record is on the disks of a majority of servers that are proven to sync every write.
/// While the cluster has no majority, records are held, within limits, and published again under the same id. The
/// outcome of a record is never guessed. Safe from any thread.
package final class StreamIntake: RecordIntake {
    /// The time without an answer after which the outcome of a publish counts as unknown.
    static let requestTimeout: Duration = .seconds(2)

    private let engine: any NATSRequesting
    private let currentStatus: @Sendable () -> DurabilityState.Status
    private let names: StreamNames
    private let clock: any EventClock
    private let nonce: [UInt64]
    private let sleep: @Sendable (Duration) async -> Void
    private let onCommit: @Sendable (LogPosition) -> Void
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
    ///   - names: The stream's names and positions.
    ///   - status: Returns whether the stream is currently proven durable.
    ///   - options: The limits for held records.
    ///   - known: The highest sequence that was previously read from the stream. The stream must never end before this
    ///     sequence.
    ///   - clock: The clock.
    ///   - randomUInt64: Returns random numbers for the ids of records without an identity.
    ///   - sleep: Waits; returns early when canceled.
    ///   - onCommit: Called with the position up to which all records are known to be committed. Must return
    ///     immediately.
    package init(
        _ engine: any NATSRequesting,
        names: StreamNames = StreamNames(),
        status: @escaping @Sendable () -> DurabilityState.Status,
        options: IntakeOptions = IntakeOptions(),
        known: UInt64 = 0,
        clock: any EventClock,
        randomUInt64: () -> UInt64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        onCommit: @escaping @Sendable (LogPosition) -> Void = { _ in }
    ) {
        self.engine = engine
        self.names = names
        currentStatus = status
        self.clock = clock
        nonce = [randomUInt64(), randomUInt64()]
        self.sleep = sleep
        self.onCommit = onCommit
        state = Locked(State(gate: StreamIntakeGate(stream: names.stream, options: options, known: known)))
    }

    package var durability: CollectorDurability { .replicated }

    package func commit(
        kind: FrameKind,
        record: [UInt8],
        route: IntakeRoute
    ) async throws(IntakeError) -> Commit {
        if let error = state.withLock({ $0.gate.admit(bytes: record.count) }) { throw error }
        defer { state.withLock { $0.gate.release(bytes: record.count) } }
        let start = now
        let publication = publication(kind, record, route)
        var held = HeldRecord(at: start)
        var first: UInt64?
        while true {
            let step: HeldRecord.Step
            let connection = engine.connection?.number
            let status = currentStatus()
            switch state.withLock({ $0.gate.permission(status) }) {
            case .reject(let error):
                throw error
            case .wait(let reason):
                step = held.publishBlocked(reason, at: now)
            case .publish(let knownEnd, let isProbe):
                let outcome = await publish(publication)
                let lowest = first ?? knownEnd
                first = lowest
                if let error = state.withLock({
                    $0.gate.publishFinished(with: outcome, knownEnd: lowest, isProbe: isProbe)
                }) {
                    throw error
                }
                step = held.publishFinished(with: outcome, at: now)
            }
            switch step {
            case .stored(let sequence, _):
                return makeCommit(sequence, record.count, in: start.duration(to: now))
            case .retry(let wait, let onOtherServer):
                if onOtherServer, let connection { engine.dropConnection(connection) }
                await sleep(wait)
                if Task.isCancelled {
                    throw IntakeError(code: .closing, message: "The sender disconnected before NATS responded.")
                }
            case .giveUp(let failure):
                let error = IntakeError(failure)
                let now = now
                state.withLock { state in
                    state.gate.recordRejection(error, at: now)
                    state.statistics.refused += 1
                }
                throw error
            }
        }
    }

    private var now: MonotonicTime { clock.now().monotonic }

    private func makeCommit(_ sequence: UInt64, _ bytes: Int, in duration: Duration) -> Commit {
        let position = names.position(after: sequence)
        let end = state.withLock { state in
            state.statistics.recordFlush(records: 1, bytes: bytes, in: duration)
            return state.gate.highest
        }
        onCommit(names.position(after: end))
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
            subject: names.subject(of: route.installation),
            headers: [
                "Nats-Msg-Id": id,
                "Nats-Expected-Stream": names.stream,
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
                within: Self.requestTimeout
            )
            return PublishOutcome(answer, stream: names.stream)
        } catch {
            return PublishOutcome(error)
        }
    }

    // MARK: Known end of the stream

    /// Handles a report on the stream.
    ///
    /// - Parameter knownEnd: The value of ``highest`` before the report was requested.
    package func update(with facts: StreamFacts, knownEnd: UInt64) {
        // A leader that has lost contact with the others may report an outdated end, any number of times.
        guard facts.isReportedByMajority(after: DurabilityGate.Requirements().contactTimeout) else { return }
        let end = state.withLock { state in
            if let known = state.created, known != facts.created { state.gate.streamReplaced(known, by: facts.created) }
            if !facts.created.isEmpty { state.created = facts.created }
            state.gate.updateEnd(last: facts.lastSequence, knownEnd: knownEnd)
            return state.gate.highest
        }
        if end > knownEnd { onCommit(names.position(after: end)) }
    }

    /// Notes that the stream was read up to a sequence.
    ///
    /// The record with this sequence may be from another collector.
    func advance(to sequence: UInt64) {
        let end = state.withLock { state in
            state.gate.advance(to: sequence)
            return state.gate.highest
        }
        onCommit(names.position(after: end))
    }

    /// The highest known sequence of the stream.
    package var highest: UInt64 { state.withLock { $0.gate.highest } }

    package var end: LogPosition { names.position(after: highest) }

    /// The highest sequence acknowledged to this intake; nil before the first acknowledgement.
    var acknowledged: UInt64? { state.withLock { $0.gate.acknowledged } }

    package func committedEnd() async -> LogPosition? { acknowledged.map { names.position(after: $0) } }

    /// Gives up on held records, because other streams have replaced this one.
    ///
    /// The callers retry on those streams.
    func giveUpHeldRecords() { state.withLock { $0.gate.markReplaced() } }

    package var failure: IntakeError? {
        let status = currentStatus()
        let now = now
        return state.withLock { $0.gate.rejectionReason(status, at: now) }
    }

    package var statistics: IntakeStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.gate.heldRecords
            return statistics
        }
    }

    package func record(at position: EventPosition) async throws -> (kind: FrameKind, payload: [UInt8])? {
        guard let sequence = names.sequence(at: position) else { return nil }
        return try await Self.record(sequence, of: names, on: engine)
    }

    private static func content(_ answer: NATSMessage) -> (kind: FrameKind, payload: [UInt8])? {
        answer.headers?[StreamNames.kindHeader].flatMap { FrameKind(streamName: $0) }.map { ($0, answer.body) }
    }

    /// Reads the replacement of a record from which an erased person was removed.
    private static func replacement(
        _ sequence: UInt64,
        of names: StreamNames,
        on engine: any NATSRequesting
    ) async throws -> (kind: FrameKind, payload: [UInt8])? {
        let answer = try await engine.request(
            "$JS.API.DIRECT.GET.\(names.rewritten)",
            headers: nil,
            body: Array("{\"last_by_subj\":\"\(names.rewrittenSubject(of: sequence))\"}".utf8),
            within: Self.requestTimeout
        )
        // Without any erasure of a user, the stream does not exist.
        return answer.status == nil ? content(answer) : nil
    }

    /// Reads a record from a stream.
    ///
    /// - Returns: Nil if the record does not exist, or if no collector wrote it.
    /// - Throws: ``NATSRequestFailure`` or ``StreamReadError`` if the record currently cannot be read.
    static func record(
        _ sequence: UInt64,
        of names: StreamNames,
        on engine: any NATSRequesting
    ) async throws -> (kind: FrameKind, payload: [UInt8])? {
        let answer = try await engine.request(
            "$JS.API.DIRECT.GET.\(names.stream)",
            headers: nil,
            body: Array("{\"seq\":\(sequence)}".utf8),
            within: Self.requestTimeout
        )
        switch answer.status {
        case 404: return try await replacement(sequence, of: names, on: engine)
        case .some(let status): throw StreamReadError(status: status, stream: names.stream)
        case nil: return content(answer)
        }
    }

    /// Does nothing: only operators remove the stream's records, which several collectors share.
    package func removeSegments(before position: LogPosition) {}

    /// Stops accepting records, and gives up on held records.
    ///
    /// Senders of held records get no answer and resend their records.
    package func close() async {
        state.withLock { $0.gate.close() }
    }
}

/// A temporary failure to read a record from the stream.
package struct StreamReadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The status that NATS returned.
    package var status: Int
    /// The stream's name.
    package var stream: String

    package var description: String {
        "the stream \(stream) cannot currently be read: NATS returned status \(status)"
    }
}
