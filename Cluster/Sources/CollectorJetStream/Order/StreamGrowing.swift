// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Has other streams take the records: does what a ``StreamGrowth`` says. Several at once, and deaths between, do no harm.
package struct StreamGrowing: Sendable {
    /// What is told while it works.
    package enum News: Sendable, Hashable {
        /// A step was taken.
        case took(StreamGrowth.Step)
        /// Something did not work, and is tried again, in a sentence.
        case trouble(String)
    }

    /// How long what may take.
    package struct Times: Sendable, Hashable {
        /// Until all collectors look for an order: each looks every two seconds.
        package var notice: Duration = .seconds(6)
        /// Behind the last record that a closed stream may take: what was on its way to it.
        package var rest: Duration = .milliseconds(500)
        /// After a failure, and while something is waited for.
        package var pause: Duration = .milliseconds(100)
        /// So long one failure after the other is borne.
        package var limit: Duration = .seconds(60)

        /// The usual times.
        package init() {}
    }

    /// A stream that is divided keeps at least so many bytes on each server.
    private static let fewestBytes: Int64 = 256 << 20

    private let engine: Engine
    private let bytes: Int64?
    private let times: Times

    /// A growth on an engine that is connected.
    ///
    /// - Parameter bytes: How large each new stream may become on each server; nil for its part of what those before it may have together.
    package init(_ engine: Engine, bytes: Int64? = nil, times: Times = Times()) {
        self.engine = engine
        self.bytes = bytes
        self.times = times
    }

    /// Grows.
    ///
    /// - Parameters:
    ///   - count: How many streams are to take records.
    ///   - isTrial: Whether to look only, and tell what would follow first.
    ///   - news: Called with what is done. It must return at once.
    /// - Returns: Why it cannot be done, in a sentence; nil when it is, or was to be a trial.
    package func run(to count: Int, isTrial: Bool = false, news: (News) -> Void) async -> String? {
        var growth = StreamGrowth(to: count)
        var failing: MonotonicTime?
        var told: StreamGrowth.Step?
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
                        "\(reason) What was begun stays so; the same command goes on. Where servers lack room, give them more "
                        + "(max_file_store), or name smaller streams with --gigabytes."
                }
                await engine.sleep(times.pause)
            }
        }
        return "It was told to end. What was begun stays so; the same command goes on."
    }

    private static func sentence(_ error: any Error) -> String {
        guard let failure = error as? NATSRequestFailure else { return "\(error)" }
        let reason = PublishOutcome(failure).reason ?? "the engine does not answer"
        return
            "A stream could not be asked about or changed: \(reason). See also whether its user may publish to $JS.API.STREAM.UPDATE.>."
    }

    /// What there is.
    package func look() async throws -> StreamGrowth.Look {
        var look = try await streams()
        look.faults = try await faults(of: look)
        return look
    }

    /// Which streams there are, without a look at what they are like.
    package func streams() async throws -> StreamGrowth.Look {
        await engine.order.look()
        var look = StreamGrowth.Look(line: nil, hasOrder: false, streams: [:])
        switch engine.order.standing {
        case .unknown:
            throw BlockDecisionFailure(engine.order.trouble ?? "The order of the engine's streams is not known yet.")
        case .single: look.hasOrder = try await engine.order.stream.extent() != nil
        case .ordered(let line): (look.line, look.hasOrder) = (line, true)
        }
        // Numbers are used one after the other, and those of streams that are gone do not come again.
        let open = look.line?.streams ?? [0]
        for number in open {
            look.streams[number] = try await StreamSetup.facts(of: StreamPlace(number: number), on: engine.client)
        }
        var number = (open.last ?? 0) + 1
        while let facts = try await StreamSetup.facts(of: StreamPlace(number: number), on: engine.client) {
            look.streams[number] = facts
            number += 1
        }
        return look
    }

    /// Why the order and the streams that are made for what comes may not be used.
    ///
    /// - Throws: ``BlockDecisionFailure`` while that is not known.
    private func faults(of look: StreamGrowth.Look) async throws -> [String] {
        var standings: [DurabilityState.Standing] = []
        if look.hasOrder { standings.append(await engine.order.stream.proof().standing) }
        let open = look.line?.streams.last ?? 0
        for number in look.streams.keys.sorted() where number > open {
            let place = StreamPlace(number: number)
            let look = DurabilityLook(engine.client, system: engine.system ?? engine.client, stream: place.stream) {
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
            throw BlockDecisionFailure("It could not be proven that new streams are durable: \(reason).")
        }
    }

    private func take(_ step: StreamGrowth.Step, _ growth: inout StreamGrowth) async throws {
        switch step {
        case .makeOrder:
            _ = try await StreamSetup.order.make(on: engine.client)
            await engine.sleep(times.notice)
        case .make(let streams):
            let bytes = try await share(of: streams.count)
            for number in streams {
                _ = try await StreamSetup(prepared: StreamPlace(number: number), bytes: bytes).make(on: engine.client)
            }
        case .close(let streams):
            try await each(streams) { place in
                try await StreamSetup.give([place.closedSubject], to: place, on: engine.client)
            }
            // What a server took a moment before is on its way to the stream's leader still.
            await engine.sleep(times.rest)
        case .settle(let streams):
            try await settle(streams)
            growth.settled()
        case .give(let streams, let all):
            let partitions = OrderLine.partitions(of: all)
            try await each(streams) { place in
                let subjects = StreamPlace.subjects(of: partitions[place.number] ?? [])
                try await StreamSetup.give(subjects, to: place, on: engine.client)
            }
        case .open(let streams): try await open(streams)
        case .done, .stop: break
        }
    }

    /// How large each of so many streams may become.
    private func share(of count: Int) async throws -> Int64 {
        if let bytes { return bytes }
        var all: Int64 = 0
        for number in open {
            let longest = try await StreamSetup.facts(of: StreamPlace(number: number), on: engine.client)?.longest ?? -1
            if longest <= 0 { return -1 }
            all += longest
        }
        return max(all / Int64(count), Self.fewestBytes)
    }

    private var open: [Int] {
        if case .ordered(let line) = engine.order.standing { line.streams } else { [0] }
    }

    private func each(_ streams: [Int], _ body: @escaping @Sendable (StreamPlace) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in streams { group.addTask { try await body(StreamPlace(number: number)) } }
            try await group.waitForAll()
        }
    }

    /// Notes in each stream that no record follows, and puts everything up to there into the order.
    private func settle(_ streams: [Int]) async throws {
        let last = Locked<[Int: UInt64]>([:])
        try await each(streams) { place in
            let sequence = try await end(place)
            last.withLock { $0[place.number] = sequence }
            // Servers set aside what a stream may become, which this one will not.
            try await StreamSetup.shrink(place, on: engine.client)
        }
        let ends = last.withLock { $0 }
        while true {
            await engine.order.look()
            // Where there was one stream, its order is its own, and ends here.
            guard case .ordered(let line) = engine.order.standing, let proposal = line.proposal(known: ends) else {
                return
            }
            _ = try await engine.order.stream.decide(proposal)
        }
    }

    /// Notes in a stream that no record follows, once and for all: whoever comes later finds the note. A second one would be a record that
    /// the order does not have.
    ///
    /// - Returns: The sequence of the last record that the stream will ever have.
    private func end(_ place: StreamPlace) async throws -> UInt64 {
        let answer = try await engine.client.request(
            place.closedSubject,
            headers: [
                "Nats-Expected-Last-Subject-Sequence": "0", "Nats-Expected-Stream": place.stream,
                StreamPlace.kindHeader: StreamPlace.emptyKind,
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
            throw BlockDecisionFailure("The stream \(place.stream) does not take the note that no record follows.")
        }
        // What came behind the note of a stream of the order is put into the order, too. The first stream's own order ends with its note.
        guard UInt64(sequence) == facts.lastSequence || place.number > 0 else {
            throw BlockDecisionFailure(
                "The stream \(place.stream) has the record \(facts.lastSequence) behind the note that none follows, \(sequence). See who "
                    + "else publishes to \(place.closedSubject)."
            )
        }
        return facts.lastSequence
    }

    private func open(_ streams: [Int]) async throws {
        await engine.order.look()
        let line: OrderLine
        switch engine.order.standing {
        case .unknown: throw BlockDecisionFailure("The order of the engine's streams is not known yet.")
        case .ordered(let known): line = known
        case .single:
            line = OrderLine(behind: try await end(StreamPlace()))
        }
        // Whoever slept may want streams that others came after.
        guard let first = streams.first, first > line.streams.last ?? 0 else { return }
        _ = try await engine.order.stream.decide(line.opening(streams))
        await engine.order.look()
    }
}
