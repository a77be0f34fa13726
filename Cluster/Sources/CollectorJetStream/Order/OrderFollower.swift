// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Follows the order in which the records of several streams follow one another, and puts into it what is missing there. Safe from any
/// thread.
///
/// As long as there is no order the first stream is read by itself.
package final class OrderFollower: Sendable {
    /// How long what may take.
    struct Times: Sendable, Hashable {
        /// Between two looks for new entries.
        var look: Duration = .milliseconds(100)
        /// Between two looks whether there is an order by now.
        var absence: Duration = .seconds(2)
        /// After a failure.
        var failure: Duration = .milliseconds(500)
        /// Between two looks how far a stream has come that nothing was heard of.
        var ends: Duration = .seconds(1)
        /// Between two looks whether a record is in the order.
        var wait: Duration = .milliseconds(20)
    }

    /// What is known of the order.
    package enum Standing: Sendable, Hashable {
        /// Nothing yet.
        case unknown
        /// There is none: the first stream takes all records.
        case single
        /// It has come so far.
        case ordered(OrderLine)
    }

    /// After so many failures in a row it is read anew.
    private static let failuresInVain = 20
    /// So many of the newest entries are kept in memory, for whoever asks where a record is.
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
        /// Whether what was read does not go on, and is read anew. What is known until then stays so: records are taken meanwhile.
        var isLost = false
        /// How often in a row it could not be read.
        var failures = 0
        /// Whether the stream of the order is there, though nothing is in it.
        var isThere = false
        /// The last record of each stream that is known to be stored.
        var known: [Int: UInt64] = [:]
        /// Streams of which more was heard since their ends were asked for.
        var heard: Set<Int> = []
        var keeping: OrderKeeping
        var recent: [OrderEntry] = []
        /// Entries that follow one another, read for somebody who asked; the last used at the end.
        var pages: [[OrderEntry]] = []
        /// The first record that is in an entry; nil when that was not asked for, or the entry is gone.
        var beginning: UInt64?
        var trouble: String?
        /// Ends a pause.
        var wake: AsyncStream<Void>.Continuation?
    }

    /// A follower that works once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - chance: Makes all who follow differ in how long they stand by.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - end: Looks how far a stream has come beyond what is known; nil when it has not, or nobody tells.
    ///   - changed: Called when more is known of the order. It must return at once.
    ///   - notice: Called with one sentence each when something is wrong. It must return at once.
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
        state = Locked(State(keeping: OrderKeeping(delay: .milliseconds(Int(chance % 200)))))
    }

    /// What is known of the order.
    package var standing: Standing { state.withLock { $0.standing } }

    /// Why nothing new is known of it, in a sentence; nil while all is well.
    package var trouble: String? { state.withLock { $0.trouble } }

    /// A record is known to be stored, and all before it in its stream.
    func known(_ last: UInt64, in stream: Int) {
        let wake = state.withLock { state -> AsyncStream<Void>.Continuation? in
            guard last > state.known[stream] ?? 0 else { return nil }
            state.known[stream] = last
            state.heard.insert(stream)
            return state.keeping.isOurs ? state.wake : nil
        }
        wake?.yield()
    }

    /// How far each open stream has come in the order.
    var ends: [Int: UInt64] {
        if case .ordered(let line) = standing { line.ends } else { [:] }
    }

    /// How many records are known to be stored that are not in the order.
    var lacking: UInt64 {
        state.withLock { state in
            guard case .ordered(let line) = state.standing else { return 0 }
            return line.ends.reduce(0) { $0 + max(state.known[$1.key] ?? 0, $1.value) - $1.value }
        }
    }

    // MARK: Following

    /// Follows the order until the task is cancelled. Only one call at a time.
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

    /// Looks for news at once, in place of whoever follows.
    func look() async {
        // Whoever follows meets the failure, too, and tells it.
        _ = try? await read()
        state.withLock { $0.wake }?.yield()
    }

    /// - Returns: How long to wait before the next one; nil for not at all.
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
                    "The stream \(OrderStream.name) is gone, and with it the order of all records: see what became of it. Records are taken, "
                        + "and none of them can be searched.",
                    isLasting: true
                )
            }
            state.withLock { $0.standing = .single }
            return changed(.single)
        }
        let newest = extent.last - (extent.last - 1) % OrderEntry.stride
        let entries = try await stream.entries(from: max(extent.first, newest))
        guard let first = entries.first, let line = OrderLine(before: first) else {
            throw BlockDecisionFailure(
                "The stream \(OrderStream.name) does not say how far its streams have come.",
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
            if state.standing == .single { state.standing = .ordered(OrderLine(behind: first.first - 1)) }
        }
        try take(entries)
        return true
    }

    /// - Parameter beginning: The order before them, where it is read anew.
    private func take(_ entries: [OrderEntry], behind beginning: OrderLine? = nil) throws(BlockDecisionFailure) {
        let result = state.withLock { state -> Result<OrderLine?, OrderFault> in
            var line: OrderLine
            switch state.standing {
            case .ordered(let known): line = beginning ?? known
            case .unknown, .single:
                guard let beginning else { return .success(nil) }
                line = beginning
            }
            var recent = beginning == nil ? state.recent : []
            do throws(OrderFault) {
                // Whoever looked at the same time may have taken some of them already.
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
            // It may be decided nevertheless, which is read.
            state.withLock { $0.keeping.decided(false) }
            throw error
        }
    }

    /// Looks how far the open streams have come that nothing was heard of.
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
            // Nobody who hands it out may mean that it is gone, which its leader is asked about.
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
