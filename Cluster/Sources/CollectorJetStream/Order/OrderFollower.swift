// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Follows the common order of several streams' records, and extends it.
///
/// Adds missing records to the order. Until an order exists, the first stream is read in its own order. Safe from any
/// thread.
package final class OrderFollower: Sendable {
    /// Intervals and pauses.
    struct Times: Sendable, Hashable {
        /// The interval between polls for new entries.
        var pollInterval: Duration = .milliseconds(100)
        /// The interval between checks for an order, until one exists.
        var existenceInterval: Duration = .seconds(2)
        /// The pause after a failure.
        var failure: Duration = .milliseconds(500)
        /// The interval between requests for the end of an apparently unchanged stream.
        var ends: Duration = .seconds(1)
        /// The interval between checks of whether a record is in the order.
        var wait: Duration = .milliseconds(20)
    }

    /// What is known about the order.
    package enum Status: Sendable, Hashable {
        /// The order is not known yet.
        case unknown
        /// No order exists: the first stream accepts all records.
        case single
        /// The order up to its known end.
        case ordered(StreamOrder)
    }

    /// The number of consecutive failures after which the order is read from scratch.
    private static let maxFailures = 20
    /// The number of newest entries kept in memory for lookups.
    private static let recent = 512

    let stream: OrderStream
    let times: Times
    private let clock: any EventClock
    private let sleep: @Sendable (Duration) async -> Void
    private let end: @Sendable (_ stream: Int, _ known: UInt64) async -> UInt64?
    private let onChange: @Sendable (Status) -> Void
    private let onWarning: @Sendable (String) -> Void
    let state: Locked<State>

    struct State: Sendable {
        var status = Status.unknown
        /// Whether the order must be read from scratch.
        ///
        /// Until the order is read again, the known state stays valid, and records are accepted.
        var needsReload = false
        /// The number of consecutive failures to read the order.
        var failures = 0
        /// Whether the stream of the order exists, even if it is empty.
        var streamExists = false
        /// For each stream, the last record that is known to be stored.
        var known: [Int: UInt64] = [:]
        /// The streams with records that became known after stream ends were last requested.
        var recentlyUpdated: Set<Int> = []
        var coordinator: OrderCoordinator
        var recent: [OrderEntry] = []
        /// Pages of consecutive entries read for lookups; the most recently used page is last.
        var pages: [[OrderEntry]] = []
        /// The sequence, in the order, of the first record that is in an entry.
        ///
        /// Nil if that sequence was not looked up, or if the entry was purged.
        var orderStart: UInt64?
        var failureReason: String?
        /// The continuation that ends the current pause early.
        var wake: AsyncStream<Void>.Continuation?
    }

    /// Creates a follower that starts once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - jitter: A random number, so that standby times differ between processes.
    ///   - sleep: Waits; returns early when canceled.
    ///   - end: Requests a stream's end after the known one; returns nil if there are no new records or no answer.
    ///   - onChange: Called when the known part of the order grows. Must return immediately.
    ///   - onWarning: Called with one sentence for each problem. Must return immediately.
    init(
        _ stream: OrderStream,
        times: Times = Times(),
        clock: any EventClock,
        jitter: UInt64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        end: @escaping @Sendable (_ stream: Int, _ known: UInt64) async -> UInt64?,
        onChange: @escaping @Sendable (Status) -> Void,
        onWarning: @escaping @Sendable (String) -> Void
    ) {
        self.stream = stream
        self.times = times
        self.clock = clock
        self.sleep = sleep
        self.end = end
        self.onChange = onChange
        self.onWarning = onWarning
        state = Locked(State(coordinator: OrderCoordinator(delay: .milliseconds(Int(jitter % 200)))))
    }

    /// What is known about the order.
    package var status: Status { state.withLock { $0.status } }

    /// Why the order cannot be read any further, as a sentence.
    ///
    /// Nil if the order can be read.
    package var failureReason: String? { state.withLock { $0.failureReason } }

    /// Notes that a stream's records up to a sequence are known to be stored.
    func recordKnownEnd(_ last: UInt64, in stream: Int) {
        let wake = state.withLock { state -> AsyncStream<Void>.Continuation? in
            guard last > state.known[stream] ?? 0 else { return nil }
            state.known[stream] = last
            state.recentlyUpdated.insert(stream)
            return state.coordinator.isOurs ? state.wake : nil
        }
        wake?.yield()
    }

    /// The sequence, in each open stream, of the stream's last ordered record.
    var ends: [Int: UInt64] {
        if case .ordered(let streamOrder) = status { streamOrder.ends } else { [:] }
    }

    /// The number of stored records that are known but not in the order.
    var missingCount: UInt64 {
        state.withLock { state in
            guard case .ordered(let streamOrder) = state.status else { return 0 }
            return streamOrder.ends.reduce(0) { $0 + max(state.known[$1.key] ?? 0, $1.value) - $1.value }
        }
    }

    // MARK: Following

    /// Follows the order until the task is canceled.
    ///
    /// Only one call may run at a time.
    package func run() async {
        var lastEndRequest = clock.now().monotonic
        while !Task.isCancelled {
            do throws(BlockDecisionFailure) {
                let pause = try await step()
                clearFailure()
                if lastEndRequest.duration(to: clock.now().monotonic) >= times.ends {
                    lastEndRequest = clock.now().monotonic
                    await requestEnds()
                }
                if let pause { await self.pause(pause) }
            } catch {
                handleFailure(error)
                await sleep(times.failure)
            }
        }
    }

    /// Polls for new entries immediately.
    func poll() async {
        // ``run()`` encounters the same failure and reports it.
        _ = try? await read()
        state.withLock { $0.wake }?.yield()
    }

    /// Performs one step: reads new entries, or decides the next one.
    ///
    /// - Returns: The pause before the next step; nil for none.
    private func step() async throws(BlockDecisionFailure) -> Duration? {
        if state.withLock({ $0.needsReload }) {
            try await load()
            return nil
        }
        switch status {
        case .unknown:
            try await load()
            return nil
        case .single:
            let streamExists = state.withLock { $0.streamExists }
            guard streamExists else {
                if await stream.exists() { state.withLock { $0.streamExists = true } }
                return times.existenceInterval
            }
            return try await read() ? nil : times.pollInterval
        case .ordered:
            if try await read() { return nil }
            let now = clock.now().monotonic
            let (proposal, isWaiting) = state.withLock { state -> (OrderEntry?, Bool) in
                guard case .ordered(let streamOrder) = state.status else { return (nil, false) }
                let proposal = streamOrder.proposal(known: state.known)
                let isDue = state.coordinator.isDue(proposal != nil, at: now)
                return (isDue ? proposal : nil, proposal != nil && state.coordinator.isOurs)
            }
            if let proposal {
                try await decide(proposal)
                return nil
            }
            return isWaiting ? times.wait : times.pollInterval
        }
    }

    private func load() async throws(BlockDecisionFailure) {
        guard let extent = try await stream.extent(), extent.last > 0 else {
            if case .ordered = status {
                throw BlockDecisionFailure(
                    "The stream \(OrderStream.name) no longer exists, so the order of all records is lost; find out "
                        + "what happened. Records are accepted, but cannot be searched.",
                    isPermanent: true
                )
            }
            state.withLock { $0.status = .single }
            return onChange(.single)
        }
        let newest = extent.last - (extent.last - 1) % OrderEntry.stride
        let entries = try await stream.entries(from: max(extent.first, newest))
        guard let first = entries.first, let streamOrder = StreamOrder(before: first) else {
            throw BlockDecisionFailure(
                "The stream \(OrderStream.name) does not contain the ends of the ordered streams.",
                isPermanent: true
            )
        }
        try apply(entries, after: streamOrder)
    }

    /// Reads and applies new entries.
    ///
    /// - Returns: Whether there were new entries.
    @discardableResult
    private func read() async throws(BlockDecisionFailure) -> Bool {
        let next: UInt64
        switch status {
        case .unknown: return false
        case .single: next = 1
        case .ordered(let streamOrder): next = streamOrder.next
        }
        let entries = try await stream.entries(from: next)
        guard let first = entries.first else { return false }
        state.withLock { state in
            state.coordinator.entryRead()
            if state.status == .single { state.status = .ordered(StreamOrder(after: first.first - 1)) }
        }
        try apply(entries)
        return true
    }

    /// Applies entries to the known order.
    ///
    /// - Parameter start: The order before the entries, if the order is read from scratch.
    private func apply(_ entries: [OrderEntry], after start: StreamOrder? = nil) throws(BlockDecisionFailure) {
        let result = state.withLock { state -> Result<StreamOrder?, OrderFault> in
            var streamOrder: StreamOrder
            switch state.status {
            case .ordered(let known): streamOrder = start ?? known
            case .unknown, .single:
                guard let start else { return .success(nil) }
                streamOrder = start
            }
            var recent = start == nil ? state.recent : []
            do throws(OrderFault) {
                // A concurrent poll may have applied some of the entries already.
                for entry in entries where entry.number >= streamOrder.next {
                    try streamOrder.apply(entry)
                    recent.append(entry)
                    for (stream, end) in streamOrder.ends where end > state.known[stream] ?? 0 {
                        state.known[stream] = end
                    }
                }
            } catch {
                return .failure(error)
            }
            recent.removeFirst(max(0, recent.count - Self.recent))
            state.recent = recent
            state.status = .ordered(streamOrder)
            if start != nil {
                state.streamExists = true
                state.needsReload = false
            }
            return .success(streamOrder)
        }
        switch result {
        case .success(let streamOrder): if let streamOrder { onChange(.ordered(streamOrder)) }
        case .failure(let fault): throw BlockDecisionFailure(fault.description, isPermanent: true)
        }
    }

    private func decide(_ entry: OrderEntry) async throws(BlockDecisionFailure) {
        do {
            let isOurs = try await stream.decide(entry)
            state.withLock { $0.coordinator.entryDecided(isOurs: isOurs) }
            if isOurs { try apply([entry]) }
        } catch {
            // The entry may have been accepted anyway; reading the order will show whether it was.
            state.withLock { $0.coordinator.entryDecided(isOurs: false) }
            throw error
        }
    }

    /// Requests the ends of the open streams for which no new records are known.
    private func requestEnds() async {
        let streams = state.withLock { state -> [(stream: Int, known: UInt64)] in
            defer { state.recentlyUpdated = [] }
            guard case .ordered(let streamOrder) = state.status else { return [] }
            return streamOrder.streams.filter { !state.recentlyUpdated.contains($0) }.map {
                ($0, max(state.known[$0] ?? 0, streamOrder.ends[$0] ?? 0))
            }
        }
        let ends = await withTaskGroup(of: (Int, UInt64?).self) { [end] group in
            for (stream, known) in streams { group.addTask { (stream, await end(stream, known)) } }
            return await group.reduce(into: [Int: UInt64]()) { $0[$1.0] = $1.1 }
        }
        for (stream, end) in ends { recordKnownEnd(end, in: stream) }
    }

    private func handleFailure(_ failure: BlockDecisionFailure) {
        let isNew = state.withLock { state in
            defer { state.failureReason = failure.description }
            state.failures += 1
            // If no server serves the stream, it may have been deleted; reading from scratch queries its leader.
            if failure.isPermanent || state.failures % Self.maxFailures == 0 { state.needsReload = true }
            return failure.isPermanent && state.failureReason != failure.description
        }
        if isNew { onWarning(failure.description) }
    }

    private func clearFailure() {
        state.withLock { state in
            state.failureReason = nil
            state.failures = 0
        }
    }

    private func pause(_ duration: Duration) async {
        let (wakeEvents, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.wake = wake }
        await withTaskGroup(of: Void.self) { [sleep] group in
            group.addTask { await sleep(duration) }
            group.addTask { for await _ in wakeEvents { break } }
            await group.next()
            group.cancelAll()
        }
    }
}
