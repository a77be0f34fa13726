// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents
package import TrackwayJournal
package import TrackwayWire

/// An intake on the open streams: each record goes to its partition's stream.
///
/// The open streams may change at any time. Records held for a closed stream then go to its successors. Safe from any
/// thread.
package final class OrderedIntake: RecordIntake {
    /// The maximum number of checks for a record's position or a change of streams.
    ///
    /// After that, an operator's request is answered without its position in the order, and a rejection is final.
    private static let looks = 250

    private let order: OrderFollower
    private let intake: @Sendable (Int) -> StreamIntake
    private let all: @Sendable () -> [StreamIntake]
    private let engine: any NATSRequesting
    private let options: IntakeOptions
    private let sleep: @Sendable (Duration) async -> Void
    private let servers: @Sendable () -> EngineStatistics?
    private let held = Locked(Held())

    /// The held records of all streams together.
    private struct Held: Sendable {
        var records = 0
        var bytes = 0
        /// The number of rejected records, by reason.
        var refused: [IntakeError.Code: UInt64] = [:]
    }

    /// Creates an intake on the streams of an order.
    ///
    /// - Parameters:
    ///   - intake: Returns the intake on the stream with a number.
    ///   - all: Returns all intakes created so far.
    ///   - engine: The NATS cluster with the streams.
    ///   - options: Limits for held records of all streams together.
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
    private var open: [Int] {
        if case .ordered(let line) = order.standing { line.streams } else { [0] }
    }

    package func commit(
        kind: FrameKind,
        record: [UInt8],
        route: IntakeRoute
    ) async throws(IntakeError) -> Commit {
        do throws(IntakeError) {
            return try await put(kind: kind, record: record, route: route)
        } catch {
            held.withLock { $0.refused[error.code, default: 0] += 1 }
            throw error
        }
    }

    private func put(
        kind: FrameKind,
        record: [UInt8],
        route: IntakeRoute
    ) async throws(IntakeError) -> Commit {
        if let refusal = offered(record.count) { throw refusal }
        defer {
            held.withLock { held in
                held.records -= 1
                held.bytes -= record.count
            }
        }
        let partition = StreamNames.partition(of: route.installation)
        while true {
            let open = open
            let stream = open[partition % open.count]
            do {
                let commit = try await intake(stream).commit(kind: kind, record: record, route: route)
                return await placed(commit, kind, in: stream)
            } catch {
                guard await hasMoved(open, error) else { throw error }
            }
        }
    }

    /// Handles an offered record.
    ///
    /// Returns why it cannot be held; nil if it counts as held from here on.
    private func offered(_ bytes: Int) -> IntakeError? {
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

    /// Whether the open streams differ from those at the time of a rejection.
    private func hasMoved(_ streams: [Int], _ error: IntakeError) async -> Bool {
        switch error.code {
        case .engineUnavailable, .engineNotDurable: return open != streams
        case .engineMisconfigured:
            // The subject belongs to another stream. If that is because others were opened, the order shows it shortly.
            for _ in 0..<Self.looks where !Task.isCancelled {
                await order.look()
                if open != streams { return true }
                await sleep(order.times.wait)
            }
            return false
        default: return false
        }
    }

    /// Waits for the position of an operator's request in the order.
    ///
    /// Returns the commit with that position, if found in time. Such requests are rare, and the operations that follow
    /// them wait for the index.
    private func placed(_ commit: Commit, _ kind: FrameKind, in stream: Int) async -> Commit {
        guard stream > 0, kind == .erasure || kind == .reset else { return commit }
        guard let sequence = await sequence(behind: commit.position, limit: Self.looks) else { return commit }
        return Commit(position: LogPosition(stream: 0, sequence: sequence), durability: commit.durability)
    }

    private func sequence(behind place: LogPosition, limit: Int) async -> UInt64? {
        let position = EventPosition(segment: place.segment, offset: place.offset)
        for _ in 0..<limit where !Task.isCancelled {
            if let found = placed(position) { return found.streamSequence }
            await sleep(order.times.wait)
        }
        return nil
    }

    package func indexedPlace(of position: EventPosition, within limit: Duration) async -> EventPosition? {
        if let found = placed(position) { return found }
        let place = LogPosition(segment: position.segment, offset: position.offset)
        let looks = limit.wholeMilliseconds / max(1, order.times.wait.wholeMilliseconds)
        return await sequence(behind: place, limit: Int(looks)).map { EventPosition(stream: 0, sequence: $0) }
    }

    private func placed(_ position: EventPosition) -> EventPosition? {
        guard position.stream > 0, position.streamSequence > 1 else { return position }
        return order.sequence(of: position.streamSequence - 1, in: position.stream).map {
            EventPosition(stream: 0, sequence: $0 + 1)
        }
    }

    // MARK: Known end of the order

    /// The sequence, in the order, of the last known record.
    ///
    /// Counts known records that are not in the order yet.
    package var highest: UInt64 {
        switch order.standing {
        case .unknown, .single: intake(0).highest
        case .ordered(let line): line.end - 1 + order.lacking
        }
    }

    /// The sequence, in the order, of the last readable record.
    package var readable: UInt64 {
        if case .ordered(let line) = order.standing { line.end - 1 } else { intake(0).highest }
    }

    package var end: LogPosition { LogPosition(stream: 0, sequence: readable + 1) }

    package func committedEnd() async -> LogPosition? {
        var highest: UInt64?
        for stream in open {
            guard let acknowledged = intake(stream).acknowledged else { continue }
            let place = LogPosition(stream: stream, sequence: acknowledged + 1)
            guard let sequence = await sequence(behind: place, limit: .max) else { return nil }
            highest = max(highest ?? 0, sequence)
        }
        return highest.map { LogPosition(stream: 0, sequence: $0) }
    }

    package var trouble: IntakeError? {
        for stream in open {
            if let trouble = intake(stream).trouble { return trouble }
        }
        return nil
    }

    package var statistics: IntakeStatistics {
        all().reduce(into: IntakeStatistics()) { $0.add($1.statistics) }
    }

    package var engineStatistics: EngineStatistics? {
        guard var statistics = servers() else { return nil }
        statistics.refused = held.withLock { $0.refused }
        return statistics
    }

    package func record(at position: EventPosition) async throws -> (kind: FrameKind, payload: [UInt8])? {
        let place: (stream: Int, sequence: UInt64)?
        do {
            place = try await order.place(of: position.streamSequence)
        } catch let fault as StreamFault where fault.isGap {
            return nil
        }
        guard position.stream == 0, let place else { return nil }
        return try await StreamIntake.record(place.sequence, of: StreamNames(number: place.stream), on: engine)
    }

    /// Does nothing: only operators remove the streams' records, which several collectors share.
    package func removeSegments(before position: LogPosition) {}

    /// Stops accepting records and gives up those held.
    ///
    /// Their senders get no answer, and send them again.
    package func close() async {
        for intake in all() { await intake.close() }
    }
}
