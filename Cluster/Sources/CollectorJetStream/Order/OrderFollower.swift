// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Follows the common order of several streams' records, and adds missing ones.
///
/// Until an order exists, the first stream is read in its own order. Safe from any thread.
package final class OrderFollower: Sendable {
    /// Intervals and pauses.
    struct Times: Sendable, Hashable {
        /// The interval of polls for new entries.
        var look: Duration = .milliseconds(100)
        /// The interval of checks for an order until one exists.
        var absence: Duration = .seconds(2)
        /// The pause after a failure.
        var failure: Duration = .milliseconds(500)
        /// The interval of requests for the end of an apparently unchanged stream.
        var ends: Duration = .seconds(1)
        /// The interval of checks whether a record is in the order.
        var wait: Duration = .milliseconds(20)
    }

    /// What is known about the order.
    package enum Standing: Sendable, Hashable {
        /// Nothing yet.
        case unknown
        /// No order exists: the first stream accepts all records.
        case single
        /// The order up to its known end.
        case ordered(StreamOrder)
    }

    /// The number of consecutive failures after which to read the order from scratch.
    private static let failuresInVain = 20
    /// The number of newest entries kept in memory for lookups.
    private static let recent = 512

    let stream: OrderStream
    let times: Times
    private let clock: any EventClock
    private let sleep: @Sendable (Duration) async -> Void
    private let end: @Sendable (_ stream: Int, _ known: UInt64) async -> UInt64?
    private let changed: @Sendable (Standing) -> Void
    private let notice: @Sendable (String) -> Void
    let state: Locked<State>

    struct State: Sendable {
        var standing = Standing.unknown
        /// Whether the order must be read from scratch.
        ///
        /// Until then the known state stays valid, and records are accepted.
        var isLost = false
        /// The number of consecutive failures to read it.
        var failures = 0
        /// Whether the stream of the order exists, even if it is empty.
        var isThere = false
        /// The last record of each stream that is known to be stored.
        var known: [Int: UInt64] = [:]
        /// The streams with newly known records since their ends were last requested.
        var heard: Set<Int> = []
        var keeping: OrderCoordinator
        var recent: [OrderEntry] = []
        /// Pages of consecutive entries read for lookups; the last used is at the end.
        var pages: [[OrderEntry]] = []
        /// The first record that is in an entry.
        ///
        /// Nil if not looked up, or if that entry was purged.
        var beginning: UInt64?
        var trouble: String?
        /// Ends a pause.
        var wake: AsyncStream<Void>.Continuation?
    }

    /// Creates a follower that starts with ``run()``.
    ///
    /// - Parameters:
    ///   - chance: A random number that varies the stand-by time between processes.
    ///   - sleep: Waits; returns early when canceled.
    ///   - end: Requests the end of a stream after the known one; nil without new records or an answer.
    ///   - changed: Called when more of the order is known. Must return immediately.
    ///   - notice: Called with one sentence for each problem. Must return immediately.
    init(
        _ stream: OrderStream,
        times: Times = Times(),
        clock: any EventClock,
        chance: UInt64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        end: @escaping @Sendable (_ stream: Int, _ known: UInt64) async -> UInt64?,
        changed: @escaping @Sendable (Standing) -> Void,
        notice: @escaping @Sendable (String) -> Void
    ) {
        self.stream = stream
        self.times = times
        self.clock = clock
        self.sleep = sleep
        self.end = end
        self.changed = changed
        self.notice = notice
        state = Locked(State(keeping: OrderCoordinator(delay: .milliseconds(Int(chance % 200)))))
    }

    /// What is known about the order.
    package var standing: Standing { state.withLock { $0.standing } }

    /// Why the order cannot be read further, as a sentence.
    ///
    /// Nil if it can.
    package var trouble: String? { state.withLock { $0.trouble } }

    /// Notes that a stream is known to be stored up to a record.
    func known(_ last: UInt64, in stream: Int) {
        let wake = state.withLock { state -> AsyncStream<Void>.Continuation? in
            guard last > state.known[stream] ?? 0 else { return nil }
            state.known[stream] = last
            state.heard.insert(stream)
            return state.keeping.isOurs ? state.wake : nil
        }
        wake?.yield()
    }

    /// The end of each open stream in the order.
    var ends: [Int: UInt64] {
        if case .ordered(let line) = standing { line.ends } else { [:] }
    }

    /// The number of stored records that are known but not in the order.
    var lacking: UInt64 {
        state.withLock { state in
            guard case .ordered(let line) = state.standing else { return 0 }
            return line.ends.reduce(0) { $0 + max(state.known[$1.key] ?? 0, $1.value) - $1.value }
        }
    }

    // MARK: Following

    /// Follows the order until the task is canceled.
    ///
    /// Call only once at a time.
    package func run() async {
        var asked = clock.now().monotonic
        while !Task.isCancelled {
            do throws(BlockDecisionFailure) {
                let pause = try await step()
                solved()
                if asked.duration(to: clock.now().monotonic) >= times.ends {
                    asked = clock.now().monotonic
                    await askForEnds()
                }
                if let pause { await self.pause(pause) }
            } catch {
                met(error)
                await sleep(times.failure)
            }
        }
    }

    /// Polls for new entries immediately, from any caller.
    func look() async {
        // ``run()`` encounters the same failure and reports it.
        _ = try? await read()
        state.withLock { $0.wake }?.yield()
    }

    /// - Returns: The pause before the next step; nil for none.
    private func step() async throws(BlockDecisionFailure) -> Duration? {
        if state.withLock({ $0.isLost }) {
            try await begin()
            return nil
        }
        switch standing {
        case .unknown:
            try await begin()
            return nil
        case .single:
            let isThere = state.withLock { $0.isThere }
            guard isThere else {
                if await stream.isThere() { state.withLock { $0.isThere = true } }
                return times.absence
            }
            return try await read() ? nil : times.look
        case .ordered:
            if try await read() { return nil }
            let now = clock.now().monotonic
            let (proposal, isSoon) = state.withLock { state -> (OrderEntry?, Bool) in
                guard case .ordered(let line) = state.standing else { return (nil, false) }
                let proposal = line.proposal(known: state.known)
                let isDue = state.keeping.isDue(proposal != nil, at: now)
                return (isDue ? proposal : nil, proposal != nil && state.keeping.isOurs)
            }
            if let proposal {
                try await decide(proposal)
                return nil
            }
            return isSoon ? times.wait : times.look
        }
    }

    private func begin() async throws(BlockDecisionFailure) {
        guard let extent = try await stream.extent(), extent.last > 0 else {
            if case .ordered = standing {
                throw BlockDecisionFailure(
                    "The stream \(OrderStream.name) no longer exists, so the order of all records is lost; find out "
                        + "what happened. Records are accepted, but cannot be searched.",
                    isLasting: true
                )
            }
            state.withLock { $0.standing = .single }
            return changed(.single)
        }
        let newest = extent.last - (extent.last - 1) % OrderEntry.stride
        let entries = try await stream.entries(from: max(extent.first, newest))
        guard let first = entries.first, let line = StreamOrder(before: first) else {
            throw BlockDecisionFailure(
                "The stream \(OrderStream.name) does not include the ends of its streams.",
                isLasting: true
            )
        }
        try take(entries, behind: line)
    }

    /// - Returns: Whether there were new entries.
    @discardableResult
    private func read() async throws(BlockDecisionFailure) -> Bool {
        let next: UInt64
        switch standing {
        case .unknown: return false
        case .single: next = 1
        case .ordered(let line): next = line.next
        }
        let entries = try await stream.entries(from: next)
        guard let first = entries.first else { return false }
        state.withLock { state in
            state.keeping.read()
            if state.standing == .single { state.standing = .ordered(StreamOrder(behind: first.first - 1)) }
        }
        try take(entries)
        return true
    }

    /// - Parameter beginning: The order before the entries, if it is read from scratch.
    private func take(_ entries: [OrderEntry], behind beginning: StreamOrder? = nil) throws(BlockDecisionFailure) {
        let result = state.withLock { state -> Result<StreamOrder?, OrderFault> in
            var line: StreamOrder
            switch state.standing {
            case .ordered(let known): line = beginning ?? known
            case .unknown, .single:
                guard let beginning else { return .success(nil) }
                line = beginning
            }
            var recent = beginning == nil ? state.recent : []
            do throws(OrderFault) {
                // A concurrent poll may have applied some of them already.
                for entry in entries where entry.number >= line.next {
                    try line.take(entry)
                    recent.append(entry)
                    for (stream, end) in line.ends where end > state.known[stream] ?? 0 { state.known[stream] = end }
                }
            } catch {
                return .failure(error)
            }
            recent.removeFirst(max(0, recent.count - Self.recent))
            state.recent = recent
            state.standing = .ordered(line)
            if beginning != nil {
                state.isThere = true
                state.isLost = false
            }
            return .success(line)
        }
        switch result {
        case .success(let line): if let line { changed(.ordered(line)) }
        case .failure(let fault): throw BlockDecisionFailure(fault.description, isLasting: true)
        }
    }

    private func decide(_ entry: OrderEntry) async throws(BlockDecisionFailure) {
        do {
            let isOurs = try await stream.decide(entry)
            state.withLock { $0.keeping.decided(isOurs) }
            if isOurs { try take([entry]) }
        } catch {
            // It may have been accepted anyway; reading the order will show.
            state.withLock { $0.keeping.decided(false) }
            throw error
        }
    }

    /// Requests the ends of the open streams without newly known records.
    private func askForEnds() async {
        let streams = state.withLock { state -> [(stream: Int, known: UInt64)] in
            defer { state.heard = [] }
            guard case .ordered(let line) = state.standing else { return [] }
            return line.streams.filter { !state.heard.contains($0) }.map {
                ($0, max(state.known[$0] ?? 0, line.ends[$0] ?? 0))
            }
        }
        let ends = await withTaskGroup(of: (Int, UInt64?).self) { [end] group in
            for (stream, known) in streams { group.addTask { (stream, await end(stream, known)) } }
            return await group.reduce(into: [Int: UInt64]()) { $0[$1.0] = $1.1 }
        }
        for (stream, end) in ends { known(end, in: stream) }
    }

    private func met(_ failure: BlockDecisionFailure) {
        let isNew = state.withLock { state in
            defer { state.trouble = failure.description }
            state.failures += 1
            // If no server serves the stream, it may be deleted; reading from scratch asks its leader.
            if failure.isLasting || state.failures % Self.failuresInVain == 0 { state.isLost = true }
            return failure.isLasting && state.trouble != failure.description
        }
        if isNew { notice(failure.description) }
    }

    private func solved() {
        state.withLock { state in
            state.trouble = nil
            state.failures = 0
        }
    }

    private func pause(_ duration: Duration) async {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.wake = wake }
        await withTaskGroup(of: Void.self) { [sleep] group in
            group.addTask { await sleep(duration) }
            group.addTask { for await _ in wakes { break } }
            await group.next()
            group.cancelAll()
        }
    }
}
