// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Moves records to other streams, following the steps of a ``StreamChangePlanner``.
///
/// Several may run at once, and any of them may be killed at any moment.
package struct StreamChangeRunner: Sendable {
    /// A progress report.
    package enum News: Sendable, Hashable {
        /// A step begins.
        case took(StreamChangePlanner.Step)
        /// A step failed and is retried. Carries a sentence.
        case trouble(String)
    }

    /// Pauses and time limits.
    package struct Times: Sendable, Hashable {
        /// The time until all collectors check for an order.
        ///
        /// Each checks every two seconds.
        package var notice: Duration = .seconds(6)
        /// The time for records in flight to a stream that was just closed.
        package var rest: Duration = .milliseconds(500)
        /// The pause after a failure.
        package var pause: Duration = .milliseconds(100)
        /// Give up after failing continuously for this long.
        package var limit: Duration = .seconds(60)

        /// Creates the default times.
        package init() {}
    }

    /// The minimum size of a new stream on each server, unless given.
    private static let fewestBytes: Int64 = 256 << 20

    private let engine: Engine
    private let bytes: Int64?
    private let times: Times

    /// Creates a change of streams on a connected cluster.
    ///
    /// - Parameter bytes: The maximum size of each new stream on each server; nil for its share of the old streams'
    ///   total.
    package init(_ engine: Engine, bytes: Int64? = nil, times: Times = Times()) {
        self.engine = engine
        self.bytes = bytes
        self.times = times
    }

    /// Runs the change.
    ///
    /// - Parameters:
    ///   - count: The number of streams that will accept records.
    ///   - isTrial: Whether to only report the first step.
    ///   - news: Called with progress reports. Must return immediately.
    /// - Returns: Why it failed, as a sentence; nil if it succeeded or was a trial.
    package func run(to count: Int, isTrial: Bool = false, news: (News) -> Void) async -> String? {
        var growth = StreamChangePlanner(to: count)
        var failing: MonotonicTime?
        var told: StreamChangePlanner.Step?
        while !Task.isCancelled {
            do {
                let step = growth.step(try await look())
                switch step {
                case .done: return nil
                case .stop(let reason): return reason
                default: break
                }
                if told != step { news(.took(step)) }
                told = step
                if isTrial { return nil }
                try await take(step, &growth)
                failing = nil
            } catch {
                let now = engine.clock.now().monotonic
                let reason = Self.sentence(error)
                if failing == nil { news(.trouble(reason)) }
                let since = failing ?? now
                failing = since
                if since.duration(to: now) >= times.limit {
                    return
                        "\(reason) Nothing was rolled back; run the same command again to continue. If servers lack "
                        + "space, give them more (max_file_store), or choose smaller streams with --gigabytes."
                }
                await engine.sleep(times.pause)
            }
        }
        return "The command was interrupted. Nothing was rolled back; run it again to continue."
    }

    private static func sentence(_ error: any Error) -> String {
        guard let failure = error as? NATSRequestFailure else { return "\(error)" }
        let reason = PublishOutcome(failure).reason ?? "the NATS cluster does not answer"
        return
            "Requesting or changing a stream failed: \(reason). Does its user have access to $JS.API.STREAM.UPDATE.>?"
    }

    /// Returns the current streams and order, with their faults.
    package func look() async throws -> StreamChangePlanner.Look {
        var look = try await streams()
        look.faults = try await faults(of: look)
        return look
    }

    /// Returns the current streams and order, without checking their durability.
    package func streams() async throws -> StreamChangePlanner.Look {
        await engine.order.look()
        var look = StreamChangePlanner.Look(line: nil, hasOrder: false, streams: [:])
        switch engine.order.standing {
        case .unknown:
            throw BlockDecisionFailure(engine.order.trouble ?? "The order of the streams is not known yet.")
        case .single: look.hasOrder = try await engine.order.stream.extent() != nil
        case .ordered(let line): (look.line, look.hasOrder) = (line, true)
        }
        // Numbers are consecutive, and those of deleted streams are not reused.
        let open = look.line?.streams ?? [0]
        for number in open {
            look.streams[number] = try await StreamSetup.facts(of: StreamNames(number: number), on: engine.client)
        }
        var number = (open.last ?? 0) + 1
        while let facts = try await StreamSetup.facts(of: StreamNames(number: number), on: engine.client) {
            look.streams[number] = facts
            number += 1
        }
        return look
    }

    /// Returns why the order and the new streams must not be used.
    ///
    /// - Throws: ``BlockDecisionFailure`` while that is unknown.
    private func faults(of look: StreamChangePlanner.Look) async throws -> [String] {
        var standings: [DurabilityState.Standing] = []
        if look.hasOrder { standings.append(await engine.order.stream.proof().standing) }
        let open = look.line?.streams.last ?? 0
        for number in look.streams.keys.sorted() where number > open {
            let place = StreamNames(number: number)
            let look = DurabilityCheck(engine.client, system: engine.system ?? engine.client, stream: place.stream) {
                var demands = DurabilityGate.Demands()
                demands.subjects = []
                return demands
            }
            var state = DurabilityState()
            _ = state.looked(await look.run().look, on: 1)
            standings.append(state.standing(on: 1))
        }
        switch DurabilityState.Standing(standings) {
        case .proven: return []
        case .unproven(let faults): return faults.map(\.description)
        case .unknown(let reason):
            throw BlockDecisionFailure("The durability of the new streams could not be proven: \(reason).")
        }
    }

    private func take(_ step: StreamChangePlanner.Step, _ growth: inout StreamChangePlanner) async throws {
        switch step {
        case .makeOrder:
            _ = try await StreamSetup.order.make(on: engine.client)
            await engine.sleep(times.notice)
        case .make(let streams):
            let bytes = try await share(of: streams.count)
            for number in streams {
                _ = try await StreamSetup(prepared: StreamNames(number: number), bytes: bytes).make(on: engine.client)
            }
        case .close(let streams):
            try await each(streams) { place in
                try await StreamSetup.give([place.closedSubject], to: place, on: engine.client)
            }
            // Records accepted by a server a moment before may still be in flight to the stream's leader.
            await engine.sleep(times.rest)
        case .settle(let streams):
            try await settle(streams)
            growth.settled()
        case .give(let streams, let all):
            let partitions = StreamOrder.partitions(of: all)
            try await each(streams) { place in
                let subjects = StreamNames.subjects(of: partitions[place.number] ?? [])
                try await StreamSetup.give(subjects, to: place, on: engine.client)
            }
        case .open(let streams): try await open(streams)
        case .done, .stop: break
        }
    }

    /// Returns the maximum size for each of the new streams.
    private func share(of count: Int) async throws -> Int64 {
        if let bytes { return bytes }
        var all: Int64 = 0
        for number in open {
            let longest = try await StreamSetup.facts(of: StreamNames(number: number), on: engine.client)?.longest ?? -1
            if longest <= 0 { return -1 }
            all += longest
        }
        return max(all / Int64(count), Self.fewestBytes)
    }

    private var open: [Int] {
        if case .ordered(let line) = engine.order.standing { line.streams } else { [0] }
    }

    private func each(_ streams: [Int], _ body: @escaping @Sendable (StreamNames) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in streams { group.addTask { try await body(StreamNames(number: number)) } }
            try await group.waitForAll()
        }
    }

    /// Ends each stream with a final record, and adds its records to the order.
    private func settle(_ streams: [Int]) async throws {
        let last = Locked<[Int: UInt64]>([:])
        try await each(streams) { place in
            let sequence = try await end(place)
            last.withLock { $0[place.number] = sequence }
            // Servers reserve a stream's maximum size, which a closed one no longer needs.
            try await StreamSetup.shrink(place, on: engine.client)
        }
        let ends = last.withLock { $0 }
        while true {
            await engine.order.look()
            // A single stream has its own order, which ends here.
            guard case .ordered(let line) = engine.order.standing, let proposal = line.proposal(known: ends) else {
                return
            }
            _ = try await engine.order.stream.decide(proposal)
        }
    }

    /// Ends a stream with a final record, exactly once.
    ///
    /// A later call finds the existing record, because a second one would be missing from the order.
    ///
    /// - Returns: The sequence of the last record that the stream will ever have.
    private func end(_ place: StreamNames) async throws -> UInt64 {
        let answer = try await engine.client.request(
            place.closedSubject,
            headers: [
                "Nats-Expected-Last-Subject-Sequence": "0", "Nats-Expected-Stream": place.stream,
                StreamNames.kindHeader: StreamNames.emptyKind,
            ],
            body: [],
            within: StreamSetup.answerTime
        )
        if case .stored(let sequence, _) = PublishOutcome(answer, stream: place.stream) { return sequence }
        let facts = try await StreamSetup.facts(of: place, on: engine.client)
        let noted = try await engine.client.request(
            "$JS.API.STREAM.MSG.GET.\(place.stream)",
            headers: nil,
            body: Array("{\"last_by_subj\":\"\(place.closedSubject)\"}".utf8),
            within: StreamSetup.answerTime
        )
        guard let facts, let sequence = try JSONValue.parse(noted.body)["message"]?["seq"]?.integer else {
            throw BlockDecisionFailure("The stream \(place.stream) does not accept its final record.")
        }
        // Records after the final one of a stream in the order are added to it, too. The first stream's own order ends
        // with it.
        guard UInt64(sequence) == facts.lastSequence || place.number > 0 else {
            throw BlockDecisionFailure(
                "The stream \(place.stream) has the record \(facts.lastSequence) after its final record \(sequence). "
                    + "Check who else publishes to \(place.closedSubject)."
            )
        }
        return facts.lastSequence
    }

    private func open(_ streams: [Int]) async throws {
        await engine.order.look()
        let line: StreamOrder
        switch engine.order.standing {
        case .unknown: throw BlockDecisionFailure("The order of the streams is not known yet.")
        case .ordered(let known): line = known
        case .single:
            line = StreamOrder(behind: try await end(StreamNames()))
        }
        // A process that was paused may try to open streams that others have already replaced.
        guard let first = streams.first, first > line.streams.last ?? 0 else { return }
        _ = try await engine.order.stream.decide(line.opening(streams))
        await engine.order.look()
    }
}
