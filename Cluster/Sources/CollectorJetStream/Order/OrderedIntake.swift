// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents
package import TrackwayJournal
package import TrackwayWire

/// An intake whose records lie in the streams that are open: each in that of its partition. Which ones are open may change at any time;
/// what is held for one that was closed is put into those that came after it. Safe from any thread.
package final class OrderedIntake: RecordIntake {
    /// How often a record is looked for in the order before an operator's deed is answered without its place there, and how often it is
    /// looked whether other streams were opened.
    private static let looks = 250

    private let order: OrderFollower
    private let intake: @Sendable (Int) -> StreamIntake
    private let all: @Sendable () -> [StreamIntake]
    private let engine: any StreamEngine
    private let options: IntakeOptions
    private let sleep: @Sendable (Duration) async -> Void
    private let servers: @Sendable () -> EngineStatistics?
    private let held = Locked(Held())

    /// What waits for an answer, of all streams together.
    private struct Held: Sendable {
        var records = 0
        var bytes = 0
        /// Records that were refused, by reason.
        var refused: [IntakeError.Code: UInt64] = [:]
    }

    /// An intake on the streams of an order.
    ///
    /// - Parameters:
    ///   - intake: The intake on a stream of a number.
    ///   - all: Those that were asked for.
    ///   - engine: Where the streams are.
    ///   - options: How much may be held, of all streams together.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - servers: The state of the engine's servers; nil while it is not known.
    init(
        _ order: OrderFollower,
        engine: any StreamEngine,
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

    /// The streams that take records, as far as that is known.
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
        let partition = StreamPlace.partition(of: route.installation)
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

    /// A record was offered: why it cannot be held, or nil when it counts as held from here on.
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

    /// Whether other streams are open than when a record was refused.
    private func hasMoved(_ streams: [Int], _ error: IntakeError) async -> Bool {
        switch error.code {
        case .engineUnavailable, .engineNotDurable: return open != streams
        case .engineMisconfigured:
            // The subject belongs to another stream. If that is because others were opened, the order says so in a moment.
            for _ in 0..<Self.looks where !Task.isCancelled {
                await order.look()
                if open != streams { return true }
                await sleep(order.times.wait)
            }
            return false
        default: return false
        }
    }

    /// What an operator orders is rare, and what follows waits for the index: its place in the order is told, as soon as it has one.
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

    // MARK: What is known

    /// The sequence, in the order, of the last record that is known: those that are not in it yet follow.
    package var highest: UInt64 {
        switch order.standing {
        case .unknown, .single: intake(0).highest
        case .ordered(let line): line.end - 1 + order.lacking
        }
    }

    /// The sequence, in the order, of the last record that can be read.
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
        return try await StreamIntake.record(place.sequence, of: StreamPlace(number: place.stream), on: engine)
    }

    /// Nothing: the streams' records are the operator's to remove, and several collectors have them.
    package func removeSegments(before position: LogPosition) {}

    /// Accepts nothing more, and gives up what is held: without an answer its senders send it again.
    package func close() async {
        for intake in all() { await intake.close() }
    }
}
