// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import CollectorTLS
package import TrackwayEvents
package import TrackwayJournal

/// An engine as a collector uses it: its connections, its streams with the watches over their durability, the order of their records, and
/// the intake on them, put together.
package final class Engine: Sendable {
    /// The intake on the engine's streams.
    package let intake: OrderedIntake
    /// Reads the records of all streams in their order.
    package let records: OrderedRecords
    /// The order of the records of all streams.
    package let order: OrderFollower
    /// What is decided about blocks of records.
    package let decisions: BlockStream
    /// What is removed from the streams, and who has to have read it before.
    package let keeping: OrderedUpkeep
    let client: NATSClient
    let system: NATSClient?
    /// What was deleted from the streams since it was erased.
    package let erased: OrderedErasures
    /// Reads as ``records`` does, beside it, for whoever looks through what came long ago.
    package let besideRecords: OrderedRecords
    private let reader: NATSClient
    private let streams: EngineStreams
    private let orderWatch: DurabilityWatch
    private let changes: AsyncStream<Void>
    let place = StreamPlace()
    package let clock: any EventClock
    let sleep: @Sendable (Duration) async -> Void

    /// An engine that is connected to once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - addresses: Its servers.
    ///   - credentials: Who connects.
    ///   - tls: Encrypts connections to servers whose addresses want it.
    ///   - options: How much may be held for it.
    ///   - known: The highest sequence that was read from the stream before, where there is one alone.
    ///   - clock: The time.
    ///   - chance: Makes inboxes, and the ids of records that have none of their own.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - notice: Called with one sentence each when a person should know something. It must return at once.
    ///   - relief: Called in its place when something that was wrong is right, or was found right; nil for `notice`.
    ///   - committed: Called with the place in the order up to which all is known to be committed. It must return at once.
    package init(
        _ addresses: [NATSAddress],
        credentials: EngineCredentials = EngineCredentials(),
        tls: TLSClient? = nil,
        times: NATSTimes = NATSTimes(),
        options: IntakeOptions = IntakeOptions(),
        known: UInt64 = 0,
        clock: any EventClock,
        chance: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        notice: @escaping @Sendable (String) -> Void = { _ in },
        relief: (@Sendable (String) -> Void)? = nil,
        committed: @escaping @Sendable (LogPosition) -> Void = { _ in }
    ) {
        let watched = Locked<EngineStreams?>(nil)
        let watchedOrder = Locked<DurabilityWatch?>(nil)
        func client(_ credentials: NATSCredentials?, name: String = "trackway") -> NATSClient {
            NATSClient(
                addresses,
                credentials: credentials,
                tls: tls,
                name: name,
                times: times,
                clock: clock,
                chance: chance,
                sleep: sleep,
                notice: notice,
                changed: {
                    watched.withLock { $0 }?.connectionChanged()
                    watchedOrder.withLock { $0 }?.connectionChanged()
                }
            )
        }
        let engine = client(credentials.user)
        let system = credentials.system.map { client($0, name: "trackway-gate") }
        // Records that are read must not stand in the way of acknowledgements. What is wrong with a server is told once.
        let reader = NATSClient(
            Array(addresses.dropFirst()) + addresses.prefix(1),
            credentials: credentials.user,
            tls: tls,
            name: "trackway-index",
            times: times,
            clock: clock,
            chance: chance,
            sleep: sleep
        )
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let order = OrderFollower(
            OrderStream(engine, system: system ?? engine),
            clock: clock,
            chance: chance(),
            sleep: sleep,
            end: { stream, known in
                await watched.withLock { $0 }?[stream].follower.end(behind: known)
            },
            changed: { standing in
                if case .ordered(let line) = standing { committed(LogPosition(stream: 0, sequence: line.end)) }
                change.yield()
            },
            notice: notice
        )
        let unsaid: @Sendable (String) -> Void = { _ in }
        let (reportWorse, reportBetter, news) = (notice, relief ?? notice, Locked(EngineNews()))
        let looked: @Sendable () -> Void = {
            guard let streams = watched.withLock({ $0 }) else { return }
            let facts = Self.current(order, streams)
            // Where a stream has no leader nothing new is known of its servers, and readiness says so.
            guard facts.allSatisfy({ $0.stream.leader != nil }) else { return }
            let warnings = EngineWarning.all(EngineReport.nodes(facts), facts.flatMap(\.reports))
            let (worse, better) = news.withLock { $0.see(warnings) }
            for sentence in worse { reportWorse(sentence) }
            for sentence in better { reportBetter(sentence) }
        }
        let reliefOfStream: @Sendable (Int) -> (@Sendable (String) -> Void)? = { $0 == 0 ? relief : unsaid }
        let streams = EngineStreams { number in
            let place = StreamPlace(number: number)
            let told = Locked<StreamIntake?>(nil)
            let watch = DurabilityWatch(
                engine,
                look: DurabilityLook(engine, system: system ?? engine, stream: place.stream, clock: clock) {
                    EngineTask.demands(on: number, order.standing)
                },
                sleep: sleep,
                floor: { told.withLock { $0 }?.highest ?? 0 },
                told: { facts, floor in told.withLock { $0 }?.told(facts, floor: floor) },
                notice: notice,
                // Of many streams it is told once.
                relief: reliefOfStream(number),
                looked: looked
            )
            let intake = StreamIntake(
                engine,
                place: place,
                standing: { watch.standing },
                options: options,
                known: number == 0 ? known : order.ends[number] ?? 0,
                clock: clock,
                chance: chance,
                sleep: sleep,
                committed: { end in
                    if number == 0 { committed(end) } else { order.known(end.streamSequence - 1, in: number) }
                }
            )
            told.withLock { $0 = intake }
            // Of a stream that is closed nobody is told any more, and it is asked about once.
            let origin = StreamOrigin(place, on: reader) { watch.latest?.stream.created }
            let holes = ErasedList(reader, system: system ?? engine, place: place) { await origin.created() }
            func follower(_ reached: @escaping @Sendable (UInt64) -> Void) -> StreamFollower {
                StreamFollower(
                    reader,
                    place: place,
                    erased: holes,
                    sleep: sleep,
                    highest: { intake.highest },
                    reached: reached
                )
            }
            let erased = ErasedList(engine, system: system ?? engine, place: place) { await origin.created() }
            return EngineStreams.Stream(
                intake: intake,
                follower: follower { intake.read($0) },
                beside: follower { _ in },
                keeping: StreamKeeping(engine, place: place, erased: erased),
                erased: erased,
                watch: watch
            )
        }
        orderWatch = DurabilityWatch(
            engine,
            look: DurabilityLook(engine, system: system ?? engine, stream: OrderStream.name) {
                DecisionStream.demands(OrderStream.subject)
            },
            sleep: sleep,
            notice: notice,
            relief: { _ in }
        )
        watched.withLock { $0 = streams }
        watchedOrder.withLock { [orderWatch] in $0 = orderWatch }
        let reported = Locked<(@Sendable () -> EngineStatistics?)?>(nil)
        intake = OrderedIntake(
            order,
            engine: engine,
            options: options,
            sleep: sleep,
            servers: { reported.withLock { $0 }?() },
            intake: { streams[$0].intake },
            all: { streams.all.map { $0.stream.intake } }
        )
        records = OrderedRecords(order) { streams[$0].follower }
        besideRecords = OrderedRecords(order) { streams[$0].beside }
        erased = OrderedErasures(order, engine: engine) { streams[$0].erased }
        keeping = OrderedUpkeep(order) { streams[$0].keeping }
        decisions = BlockStream(engine, system: system ?? engine, place: place)
        self.order = order
        self.streams = streams
        self.changes = changes
        self.client = engine
        self.system = system
        self.reader = reader
        self.clock = clock
        self.sleep = sleep
        reported.withLock { $0 = { [weak self] in self?.statistics } }
    }

    /// What was told at the last look of the streams that take records.
    private static func current(_ order: OrderFollower, _ streams: EngineStreams) -> [EngineFacts] {
        guard case .ordered(let line) = order.standing else { return streams[0].watch.current.map { [$0] } ?? [] }
        return line.streams.compactMap { streams[$0].watch.current }
    }

    /// The state of the servers that keep the records. What was refused is counted by the intake.
    private var statistics: EngineStatistics {
        let facts = Self.current(order, streams)
        let silence = DurabilityGate.Demands().silence
        var statistics = EngineStatistics()
        for node in EngineReport.nodes(facts) { statistics.servers[node.state, default: 0] += 1 }
        statistics.isConnected = client.connection != nil
        statistics.hasLeader = !facts.isEmpty && facts.allSatisfy { $0.stream.isToldByMajority(after: silence) }
        statistics.isProven = standing == .proven
        statistics.clockOffset = EngineWarning.clockOffset(facts.flatMap(\.reports))
        return statistics
    }

    /// Whether a stream that is to take records is closed, and no others take them: a change of streams is under way, or was interrupted.
    package var isClosed: Bool {
        guard case .ordered(let line) = order.standing else { return streams[0].watch.isClosed }
        return line.streams.contains { streams[$0].watch.isClosed }
    }

    /// Whether what the engine acknowledges is durable now.
    package var standing: DurabilityState.Standing {
        switch order.standing {
        case .single: return streams[0].watch.standing
        case .ordered(let line):
            // Which engine it is is told by its first stream, whether or not that takes records still.
            guard facts != nil else { return .unknown("the engine has not told about the stream \(place.stream) yet") }
            return DurabilityState.Standing(line.streams.map { streams[$0].watch.standing } + [orderWatch.standing])
        case .unknown:
            let standing = streams[0].watch.standing
            // It may not take records at all any more.
            guard standing == .proven else { return standing }
            return .unknown(order.trouble ?? "the order of the engine's streams is not known yet")
        }
    }

    /// What the engine told last of its first stream, from which everything begins; nil before it told anything.
    package var facts: EngineFacts? { streams[0].watch.latest }

    /// What the engine told last of the streams that take records.
    package var openFacts: [EngineFacts] {
        guard case .ordered(let line) = order.standing else { return facts.map { [$0] } ?? [] }
        return line.streams.compactMap { streams[$0].watch.latest }
    }

    /// Why there is no connection, server by server; nil while there is one, or nothing was tried yet.
    package var trouble: String? { client.trouble }

    /// Keeps the connections and looks at the engine until the task is cancelled. Only one call at a time.
    package func run() async {
        await withTaskGroup(of: Void.self) { [client, system, reader, order] group in
            group.addTask { await client.run() }
            group.addTask { await reader.run() }
            if let system { group.addTask { await system.run() } }
            group.addTask { await order.run() }
            group.addTask { await self.watch() }
            await group.waitForAll()
        }
    }

    /// Has those streams watched and read that are to be, as what is known of the order changes.
    private func watch() async {
        var working: [EngineTask: Task<Void, Never>] = [:]
        func work() {
            let standing = order.standing
            let wanted = EngineTask.all(standing)
            for (task, work) in working where !wanted.contains(task) {
                work.cancel()
                working[task] = nil
            }
            for task in wanted where working[task] == nil {
                working[task] = Task { await self.run(task) }
            }
            guard case .ordered(let line) = standing else { return }
            for (number, stream) in streams.all where !line.streams.contains(number) { stream.intake.leave() }
        }
        work()
        for await _ in changes { work() }
        for work in working.values { work.cancel() }
        for work in working.values { await work.value }
    }

    private func run(_ task: EngineTask) async {
        switch task {
        case .watch(let stream): await streams[stream].watch.run()
        case .watchOrder: await orderWatch.run()
        case .follow: await streams[0].follower.run()
        }
    }

    /// Makes the stream when it is missing. One that is there is left as it is: what it has is for ``standing`` to judge.
    ///
    /// - Parameter bytes: How large it may become on each server.
    /// - Returns: Whether it was missing.
    /// - Throws: ``StreamSetupError``.
    @discardableResult
    package func makeStream(bytes: Int64) async throws(StreamSetupError) -> Bool {
        try await StreamSetup(place, bytes: bytes).make(on: client)
    }

    /// Makes the stream of decisions about blocks when it is missing, as soon as there is somebody who does.
    ///
    /// - Parameter limit: After so long it is given up.
    /// - Returns: Whether it was missing.
    /// - Throws: ``StreamSetupError``, the last one.
    @discardableResult
    package func makeDecisions(within limit: Duration) async throws(StreamSetupError) -> Bool {
        try await make(StreamSetup(decisionsOf: place), named: place.decisions, within: limit)
    }

    /// Makes the stream when it is missing, as soon as there is somebody who does.
    ///
    /// - Parameter limit: After so long it is given up.
    /// - Returns: Whether it was missing.
    /// - Throws: ``StreamSetupError``, the last one.
    package func makeStream(bytes: Int64, within limit: Duration) async throws(StreamSetupError) -> Bool {
        try await make(StreamSetup(place, bytes: bytes), named: place.stream, within: limit)
    }

    private func make(
        _ setup: StreamSetup,
        named name: String,
        within limit: Duration
    ) async throws(StreamSetupError) -> Bool {
        let end = clock.now().monotonic.advanced(by: limit)
        while true {
            do {
                return try await setup.make(on: client)
            } catch {
                if clock.now().monotonic >= end || Task.isCancelled {
                    guard let trouble else { throw error }
                    throw StreamSetupError(stream: name, reason: trouble)
                }
            }
            await sleep(.milliseconds(200))
        }
    }
}
