// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore
package import TrackwayDestinationKit
package import TrackwayJournal

/// An intake that routes each record to its partition's open stream.
///
/// The open streams may change at any time. If a stream is closed, the records held for it go to its successors. Safe
/// from any thread.
package final class OrderedIntake: RecordIntake {
    /// The maximum number of checks for a record's position or for a stream change.
    ///
    /// After this many checks, an operator's request is answered without its position in the order, or a rejection
    /// becomes final.
    private static let maxChecks = 250

    private let order: OrderFollower
    private let intake: @Sendable (Int) -> StreamIntake
    private let all: @Sendable () -> [StreamIntake]
    private let engine: any NATSRequesting
    private let options: IntakeOptions
    private let sleep: @Sendable (Duration) async -> Void
    private let servers: @Sendable () -> EngineStatistics?
    private let held = Locked(Held())

    /// The totals of held and rejected records over all streams.
    private struct Held: Sendable {
        var records = 0
        var bytes = 0
        /// The number of rejected records, by reason.
        var rejected: [IntakeError.Code: UInt64] = [:]
    }

    /// Creates an intake on the streams of an order.
    ///
    /// - Parameters:
    ///   - intake: Returns the intake on the stream with the given number.
    ///   - all: Returns all intakes created so far.
    ///   - engine: The NATS cluster with the streams.
    ///   - options: The limits for held records in all streams together.
    ///   - sleep: Waits; returns early when canceled.
    ///   - servers: Returns the state of the NATS servers; nil if unknown.
    init(
        _ order: OrderFollower,
        engine: any NATSRequesting,
        options: IntakeOptions,
        sleep: @escaping @Sendable (Duration) async -> Void,
        servers: @escaping @Sendable () -> EngineStatistics? = { nil },
        intake: @escaping @Sendable (Int) -> StreamIntake,
        all: @escaping @Sendable () -> [StreamIntake]
    ) {
        self.order = order
        self.engine = engine
        self.options = options
        self.sleep = sleep
        self.servers = servers
        self.intake = intake
        self.all = all
    }

    package var durability: CollectorDurability { .replicated }

    /// The streams that accept records, as far as known.
    private var openStreams: [Int] {
        if case .ordered(let streamOrder) = order.status { streamOrder.streams } else { [0] }
    }

    package func commit(
        kind: FrameKind,
        record: [UInt8],
        route: IntakeRoute
    ) async throws(IntakeError) -> Commit {
        do throws(IntakeError) {
            return try await store(kind: kind, record: record, route: route)
        } catch {
            held.withLock { $0.rejected[error.code, default: 0] += 1 }
            throw error
        }
    }

    private func store(
        kind: FrameKind,
        record: [UInt8],
        route: IntakeRoute
    ) async throws(IntakeError) -> Commit {
        if let error = admit(record.count) { throw error }
        defer {
            held.withLock { held in
                held.records -= 1
                held.bytes -= record.count
            }
        }
        let partition = StreamNames.partition(of: route.installation)
        while true {
            let open = openStreams
            let stream = open[partition % open.count]
            do {
                let commit = try await intake(stream).commit(kind: kind, record: record, route: route)
                return await ordered(commit, kind, in: stream)
            } catch {
                guard await haveStreamsChanged(open, error) else { throw error }
            }
        }
    }

    /// Handles a record received from a sender.
    ///
    /// Returns the reason that the record cannot be held; nil if it is accepted and counts as held.
    private func admit(_ bytes: Int) -> IntakeError? {
        held.withLock { held in
            guard held.records < options.waitingBatches, held.bytes == 0 || held.bytes + bytes <= options.waitingBytes
            else {
                return .waiting(held.records)
            }
            held.records += 1
            held.bytes += bytes
            return nil
        }
    }

    /// Returns whether the open streams differ from those before a rejection.
    private func haveStreamsChanged(_ streams: [Int], _ error: IntakeError) async -> Bool {
        switch error.code {
        case .engineUnavailable, .engineNotDurable: return openStreams != streams
        case .engineMisconfigured:
            // The subject belongs to another stream. If that is because other streams were opened, the order soon shows
            // this.
            for _ in 0..<Self.maxChecks where !Task.isCancelled {
                await order.poll()
                if openStreams != streams { return true }
                await sleep(order.times.wait)
            }
            return false
        default: return false
        }
    }

    /// Waits for the position of an operator's request in the order.
    ///
    /// Returns the commit with that position if it is found in time, otherwise the unchanged commit. Such requests are
    /// rare, and the operations that follow them wait for the index.
    private func ordered(_ commit: Commit, _ kind: FrameKind, in stream: Int) async -> Commit {
        guard stream > 0, kind == .erasure || kind == .reset else { return commit }
        guard let sequence = await sequence(after: commit.position, limit: Self.maxChecks) else { return commit }
        return Commit(position: LogPosition(stream: 0, sequence: sequence), durability: commit.durability)
    }

    private func sequence(after start: LogPosition, limit: Int) async -> UInt64? {
        let position = EventPosition(segment: start.segment, offset: start.offset)
        for _ in 0..<limit where !Task.isCancelled {
            if let found = orderedPosition(of: position) { return found.streamSequence }
            await sleep(order.times.wait)
        }
        return nil
    }

    package func indexedPosition(of position: EventPosition, within limit: Duration) async -> EventPosition? {
        if let found = orderedPosition(of: position) { return found }
        let start = LogPosition(segment: position.segment, offset: position.offset)
        let checks = limit.wholeMilliseconds / max(1, order.times.wait.wholeMilliseconds)
        return await sequence(after: start, limit: Int(checks)).map { EventPosition(stream: 0, sequence: $0) }
    }

    private func orderedPosition(of position: EventPosition) -> EventPosition? {
        guard position.stream > 0, position.streamSequence > 1 else { return position }
        return order.sequence(of: position.streamSequence - 1, in: position.stream).map {
            EventPosition(stream: 0, sequence: $0 + 1)
        }
    }

    // MARK: Known end of the order

    /// The sequence, in the order, of the last known record.
    ///
    /// The value includes known records that are not in the order yet.
    package var highest: UInt64 {
        switch order.status {
        case .unknown, .single: intake(0).highest
        case .ordered(let streamOrder): streamOrder.end - 1 + order.missingCount
        }
    }

    /// The sequence, in the order, of the last readable record.
    package var readable: UInt64 {
        if case .ordered(let streamOrder) = order.status { streamOrder.end - 1 } else { intake(0).highest }
    }

    package var end: LogPosition { LogPosition(stream: 0, sequence: readable + 1) }

    package func committedEnd() async -> LogPosition? {
        var highest: UInt64?
        for stream in openStreams {
            guard let acknowledged = intake(stream).acknowledged else { continue }
            let start = LogPosition(stream: stream, sequence: acknowledged + 1)
            guard let sequence = await sequence(after: start, limit: .max) else { return nil }
            highest = max(highest ?? 0, sequence)
        }
        return highest.map { LogPosition(stream: 0, sequence: $0) }
    }

    package var failure: IntakeError? {
        for stream in openStreams {
            if let failure = intake(stream).failure { return failure }
        }
        return nil
    }

    package var statistics: IntakeStatistics {
        all().reduce(into: IntakeStatistics()) { $0.add($1.statistics) }
    }

    package var engineStatistics: EngineStatistics? {
        guard var statistics = servers() else { return nil }
        statistics.refused = held.withLock { $0.rejected }
        return statistics
    }

    package func record(at position: EventPosition) async throws -> (kind: FrameKind, payload: [UInt8])? {
        let location: (stream: Int, sequence: UInt64)?
        do {
            location = try await order.location(of: position.streamSequence)
        } catch let fault as StreamFault where fault.isGap {
            return nil
        }
        guard position.stream == 0, let location else { return nil }
        return try await StreamIntake.record(location.sequence, of: StreamNames(number: location.stream), on: engine)
    }

    /// Does nothing: only operators remove the streams' records, which several collectors share.
    package func removeSegments(before position: LogPosition) {}

    /// Stops accepting records, and gives up on held records.
    ///
    /// Senders of held records get no answer and resend their records.
    package func close() async {
        for intake in all() { await intake.close() }
    }
}
