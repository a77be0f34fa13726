// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Changes the number of streams by following a ``StreamChangePlanner``.
///
/// Several runners may be active at once, and any of them may be killed at any moment.
package struct StreamChangeRunner: Sendable {
    /// A progress report.
    package enum Progress: Sendable, Hashable {
        /// A step starts.
        case stepStarted(StreamChangePlanner.Step)
        /// A step failed and is retried. Carries the reason, as a sentence.
        case stepFailed(String)
    }

    /// Pauses and time limits.
    package struct Times: Sendable, Hashable {
        /// The time within which all collectors discover a new order.
        ///
        /// Each collector checks for an order every two seconds.
        package var discoveryDelay: Duration = .seconds(6)
        /// The time allowed for records in flight to a closed stream.
        package var inFlightDelay: Duration = .milliseconds(500)
        /// The pause after a failure.
        package var pause: Duration = .milliseconds(100)
        /// The duration of continuous failure after which the runner gives up.
        package var limit: Duration = .seconds(60)

        /// Creates the default times.
        package init() {}
    }

    /// The minimum size of a new stream on each server, unless a size is given.
    private static let minBytes: Int64 = 256 << 20

    private let engine: Engine
    private let bytes: Int64?
    private let times: Times

    /// Creates a runner for a stream change on a connected cluster.
    ///
    /// - Parameter bytes: The maximum size of each new stream on each server; nil for an equal share of the old
    ///   streams' total.
    package init(_ engine: Engine, bytes: Int64? = nil, times: Times = Times()) {
        self.engine = engine
        self.bytes = bytes
        self.times = times
    }

    /// Runs the change.
    ///
    /// - Parameters:
    ///   - count: The number of streams that will accept records.
    ///   - isDryRun: Whether to only report the first step.
    ///   - onProgress: Called with progress reports. Must return immediately.
    /// - Returns: The reason for a failure, as a sentence; nil if the change succeeded, or after a dry run.
    package func run(to count: Int, isDryRun: Bool = false, onProgress: (Progress) -> Void) async -> String? {
        var planner = StreamChangePlanner(to: count)
        var failingSince: MonotonicTime?
        var lastStep: StreamChangePlanner.Step?
        while !Task.isCancelled {
            do {
                let step = planner.step(try await check())
                switch step {
                case .done: return nil
                case .stop(let reason): return reason
                default: break
                }
                if lastStep != step { onProgress(.stepStarted(step)) }
                lastStep = step
                if isDryRun { return nil }
                try await perform(step, &planner)
                failingSince = nil
            } catch {
                let now = engine.clock.now().monotonic
                let reason = Self.sentence(error)
                if failingSince == nil { onProgress(.stepFailed(reason)) }
                let since = failingSince ?? now
                failingSince = since
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
        let reason = PublishOutcome(failure).reason ?? "the NATS cluster is not responding"
        return
            "Requesting or changing a stream failed: \(reason). Does the user have access to $JS.API.STREAM.UPDATE.>?"
    }

    /// Returns the current streams and order, with their faults.
    package func check() async throws -> StreamChangePlanner.Snapshot {
        var snapshot = try await snapshot()
        snapshot.faults = try await faults(of: snapshot)
        return snapshot
    }

    /// Returns the current streams and order, without checking their durability.
    package func snapshot() async throws -> StreamChangePlanner.Snapshot {
        await engine.order.poll()
        var snapshot = StreamChangePlanner.Snapshot(order: nil, hasOrder: false, streams: [:])
        switch engine.order.status {
        case .unknown:
            throw BlockDecisionFailure(engine.order.failureReason ?? "The order of the streams is not known yet.")
        case .single: snapshot.hasOrder = try await engine.order.stream.extent() != nil
        case .ordered(let streamOrder): (snapshot.order, snapshot.hasOrder) = (streamOrder, true)
        }
        // Stream numbers are consecutive, and the numbers of deleted streams are not reused.
        let open = snapshot.order?.streams ?? [0]
        for number in open {
            snapshot.streams[number] = try await StreamSetup.facts(of: StreamNames(number: number), on: engine.client)
        }
        var number = (open.last ?? 0) + 1
        while let facts = try await StreamSetup.facts(of: StreamNames(number: number), on: engine.client) {
            snapshot.streams[number] = facts
            number += 1
        }
        return snapshot
    }

    /// Returns the faults that make the order or the new streams unusable.
    ///
    /// - Throws: ``BlockDecisionFailure`` while the faults are unknown.
    private func faults(of snapshot: StreamChangePlanner.Snapshot) async throws -> [String] {
        var statuses: [DurabilityState.Status] = []
        if snapshot.hasOrder { statuses.append(await engine.order.stream.proof().status) }
        let open = snapshot.order?.streams.last ?? 0
        for number in snapshot.streams.keys.sorted() where number > open {
            let names = StreamNames(number: number)
            let check = DurabilityCheck(engine.client, system: engine.system ?? engine.client, stream: names.stream) {
                var requirements = DurabilityGate.Requirements()
                requirements.subjects = []
                return requirements
            }
            var state = DurabilityState()
            _ = state.checkFinished(with: await check.run().result, on: 1)
            statuses.append(state.status(on: 1))
        }
        switch DurabilityState.Status(statuses) {
        case .proven: return []
        case .unproven(let faults): return faults.map(\.description)
        case .unknown(let reason):
            throw BlockDecisionFailure("The durability of the new streams could not be proven: \(reason).")
        }
    }

    private func perform(_ step: StreamChangePlanner.Step, _ planner: inout StreamChangePlanner) async throws {
        switch step {
        case .createOrder:
            _ = try await StreamSetup.order.createIfMissing(on: engine.client)
            await engine.sleep(times.discoveryDelay)
        case .create(let streams):
            let bytes = try await share(of: streams.count)
            for number in streams {
                _ = try await StreamSetup(prepared: StreamNames(number: number), bytes: bytes).createIfMissing(
                    on: engine.client
                )
            }
        case .close(let streams):
            try await forEach(streams) { names in
                try await StreamSetup.setSubjects([names.closedSubject], of: names, on: engine.client)
            }
            // Records that a server accepted a moment earlier may still be in flight to the stream's leader.
            await engine.sleep(times.inFlightDelay)
        case .drain(let streams):
            try await drain(streams)
            planner.markDrained()
        case .assignSubjects(let streams, let all):
            let partitions = StreamOrder.partitions(of: all)
            try await forEach(streams) { names in
                let subjects = StreamNames.subjects(of: partitions[names.number] ?? [])
                try await StreamSetup.setSubjects(subjects, of: names, on: engine.client)
            }
        case .open(let streams): try await open(streams)
        case .done, .stop: break
        }
    }

    /// Returns the maximum size for each of the new streams.
    private func share(of count: Int) async throws -> Int64 {
        if let bytes { return bytes }
        var all: Int64 = 0
        for number in openStreams {
            let maxBytes =
                try await StreamSetup.facts(of: StreamNames(number: number), on: engine.client)?.maxBytes ?? -1
            if maxBytes <= 0 { return -1 }
            all += maxBytes
        }
        return max(all / Int64(count), Self.minBytes)
    }

    private var openStreams: [Int] {
        if case .ordered(let streamOrder) = engine.order.status { streamOrder.streams } else { [0] }
    }

    private func forEach(_ streams: [Int], _ body: @escaping @Sendable (StreamNames) async throws -> Void) async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in streams { group.addTask { try await body(StreamNames(number: number)) } }
            try await group.waitForAll()
        }
    }

    /// Ends each stream with a final record, and adds the stream's records to the order.
    private func drain(_ streams: [Int]) async throws {
        let last = Locked<[Int: UInt64]>([:])
        try await forEach(streams) { names in
            let sequence = try await appendFinalRecord(to: names)
            last.withLock { $0[names.number] = sequence }
            // Servers reserve a stream's maximum size, which a closed stream no longer needs.
            try await StreamSetup.shrink(names, on: engine.client)
        }
        let ends = last.withLock { $0 }
        while true {
            await engine.order.poll()
            // A single stream has its own order, which ends with the stream's final record.
            guard case .ordered(let streamOrder) = engine.order.status, let proposal = streamOrder.proposal(known: ends)
            else {
                return
            }
            _ = try await engine.order.stream.decide(proposal)
        }
    }

    /// Ends a stream with a final record, exactly once.
    ///
    /// A later call finds the existing final record, because a second final record would be missing from the order.
    ///
    /// - Returns: The sequence of the last record that the stream will ever have.
    private func appendFinalRecord(to names: StreamNames) async throws -> UInt64 {
        let answer = try await engine.client.request(
            names.closedSubject,
            headers: [
                "Nats-Expected-Last-Subject-Sequence": "0", "Nats-Expected-Stream": names.stream,
                StreamNames.kindHeader: StreamNames.emptyKind,
            ],
            body: [],
            within: StreamSetup.requestTimeout
        )
        if case .stored(let sequence, _) = PublishOutcome(answer, stream: names.stream) { return sequence }
        let facts = try await StreamSetup.facts(of: names, on: engine.client)
        let stored = try await engine.client.request(
            "$JS.API.STREAM.MSG.GET.\(names.stream)",
            headers: nil,
            body: Array("{\"last_by_subj\":\"\(names.closedSubject)\"}".utf8),
            within: StreamSetup.requestTimeout
        )
        guard let facts, let sequence = try JSONValue.parse(stored.body)["message"]?["seq"]?.integer else {
            throw BlockDecisionFailure("The stream \(names.stream) does not accept its final record.")
        }
        // For a stream in the order, records after its final record are also added to the order. The first stream's own
        // order ends with its final record.
        guard UInt64(sequence) == facts.lastSequence || names.number > 0 else {
            throw BlockDecisionFailure(
                "The stream \(names.stream) has record \(facts.lastSequence) after its final record \(sequence). "
                    + "Check which other client publishes to \(names.closedSubject)."
            )
        }
        return facts.lastSequence
    }

    private func open(_ streams: [Int]) async throws {
        await engine.order.poll()
        let streamOrder: StreamOrder
        switch engine.order.status {
        case .unknown: throw BlockDecisionFailure("The order of the streams is not known yet.")
        case .ordered(let known): streamOrder = known
        case .single:
            streamOrder = StreamOrder(after: try await appendFinalRecord(to: StreamNames()))
        }
        // A process that was paused may try to open streams that others have already replaced.
        guard let first = streams.first, first > streamOrder.streams.last ?? 0 else { return }
        _ = try await engine.order.stream.decide(streamOrder.openingEntry(for: streams))
        await engine.order.poll()
    }
}
