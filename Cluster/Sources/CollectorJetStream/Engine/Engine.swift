// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import CollectorTLS
package import TrackwayEvents
package import TrackwayJournal

/// A NATS cluster as a collector uses it.
///
/// Combines connections, streams with their durability watches, the order of their records, and the intake on them.
package final class Engine: Sendable {
    /// The intake on the cluster's streams.
    package let intake: OrderedIntake
    /// Reads the records of all streams in their order.
    package let records: OrderedRecords
    /// The order of the records of all streams.
    package let order: OrderFollower
    /// The decisions about blocks of records.
    package let decisions: BlockStream
    /// Removes records from the streams, once every reader has them.
    package let keeping: OrderedMaintenance
    let client: NATSClient
    let system: NATSClient?
    /// The records deleted from the streams for erasure.
    package let erased: DeletionIndexSet
    /// A second reader like ``records``, for scans of old records.
    package let besideRecords: OrderedRecords
    private let reader: NATSClient
    private let streams: EngineStreams
    private let orderWatch: DurabilityWatch
    private let changes: AsyncStream<Void>
    let place = StreamNames()
    package let clock: any EventClock
    let sleep: @Sendable (Duration) async -> Void

    /// Creates a cluster that connects once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - addresses: The servers.
    ///   - credentials: Credentials for the connections.
    ///   - tls: Encrypts connections to servers whose addresses require it.
    ///   - options: Limits for held records.
    ///   - known: The highest sequence read from the stream before, if there is only one stream.
    ///   - clock: The clock.
    ///   - chance: Returns random numbers for inboxes and for the ids of records without an identity.
    ///   - sleep: Waits; returns early when canceled.
    ///   - notice: Called with one sentence for each event an operator should know. Must return immediately.
    ///   - relief: Called instead when a problem is resolved, or a check succeeds; nil to call `notice`.
    ///   - committed: Called with the position in the order up to which all records are known to be committed. Must
    ///     return immediately.
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
        // Reads must not delay acknowledgements. Problems of a server are reported once, by the other clients.
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
        let (reportWorse, reportBetter, news) = (notice, relief ?? notice, Locked(WarningChanges()))
        let looked: @Sendable () -> Void = {
            guard let streams = watched.withLock({ $0 }) else { return }
            let facts = Self.current(order, streams)
            // While a stream has no leader, nothing new is known about its servers; readiness reports that.
            guard facts.allSatisfy({ $0.stream.leader != nil }) else { return }
            let warnings = EngineWarning.all(ClusterReport.nodes(facts), facts.flatMap(\.reports))
            let (worse, better) = news.withLock { $0.see(warnings) }
            for sentence in worse { reportWorse(sentence) }
            for sentence in better { reportBetter(sentence) }
        }
        let reliefOfStream: @Sendable (Int) -> (@Sendable (String) -> Void)? = { $0 == 0 ? relief : unsaid }
        let streams = EngineStreams { number in
            let place = StreamNames(number: number)
            let told = Locked<StreamIntake?>(nil)
            let watch = DurabilityWatch(
                engine,
                look: DurabilityCheck(engine, system: system ?? engine, stream: place.stream, clock: clock) {
                    EngineTask.demands(on: number, order.standing)
                },
                sleep: sleep,
                floor: { told.withLock { $0 }?.highest ?? 0 },
                told: { facts, floor in told.withLock { $0 }?.told(facts, floor: floor) },
                notice: notice,
                // With several streams, an improvement is reported once.
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
            // A closed stream is no longer watched, so its creation time is requested once.
            let origin = StreamOrigin(place, on: reader) { watch.latest?.stream.created }
            let holes = DeletionIndex(reader, system: system ?? engine, place: place) { await origin.created() }
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
            let erased = DeletionIndex(engine, system: system ?? engine, place: place) { await origin.created() }
            return EngineStreams.Stream(
                intake: intake,
                follower: follower { intake.read($0) },
                beside: follower { _ in },
                keeping: StreamRetention(engine, place: place, erased: erased),
                erased: erased,
                watch: watch
            )
        }
        orderWatch = DurabilityWatch(
            engine,
            look: DurabilityCheck(engine, system: system ?? engine, stream: OrderStream.name) {
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
        erased = DeletionIndexSet(order, engine: engine) { streams[$0].erased }
        keeping = OrderedMaintenance(order) { streams[$0].keeping }
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

    /// The facts from the latest checks of the streams that accept records.
    private static func current(_ order: OrderFollower, _ streams: EngineStreams) -> [ClusterFacts] {
        guard case .ordered(let line) = order.standing else { return streams[0].watch.current.map { [$0] } ?? [] }
        return line.streams.compactMap { streams[$0].watch.current }
    }

    /// The state of the servers with the streams. The intake counts rejections.
    private var statistics: EngineStatistics {
        let facts = Self.current(order, streams)
        let silence = DurabilityGate.Demands().silence
        var statistics = EngineStatistics()
        for node in ClusterReport.nodes(facts) { statistics.servers[node.state, default: 0] += 1 }
        statistics.isConnected = client.connection != nil
        statistics.hasLeader = !facts.isEmpty && facts.allSatisfy { $0.stream.isReportedByMajority(after: silence) }
        statistics.isProven = standing == .proven
        statistics.clockOffset = EngineWarning.clockOffset(facts.flatMap(\.reports))
        return statistics
    }

    /// Whether a stream that should accept records is closed.
    ///
    /// If so, a change of streams is in progress or was interrupted.
    package var isClosed: Bool {
        guard case .ordered(let line) = order.standing else { return streams[0].watch.isClosed }
        return line.streams.contains { streams[$0].watch.isClosed }
    }

    /// Whether the cluster's acknowledgements are durable now.
    package var standing: DurabilityState.Standing {
        switch order.standing {
        case .single: return streams[0].watch.standing
        case .ordered(let line):
            // The first stream identifies the cluster, even if it no longer accepts records.
            guard facts != nil else { return .unknown("NATS has not reported on the stream \(place.stream) yet") }
            return DurabilityState.Standing(line.streams.map { streams[$0].watch.standing } + [orderWatch.standing])
        case .unknown:
            let standing = streams[0].watch.standing
            // This stream might no longer accept any records.
            guard standing == .proven else { return standing }
            return .unknown(order.trouble ?? "the order of the streams is not known yet")
        }
    }

    /// The latest facts about the first stream; nil before the first.
    package var facts: ClusterFacts? { streams[0].watch.latest }

    /// The latest facts about the streams that accept records.
    package var openFacts: [ClusterFacts] {
        guard case .ordered(let line) = order.standing else { return facts.map { [$0] } ?? [] }
        return line.streams.compactMap { streams[$0].watch.latest }
    }

    /// Why connecting failed, by server.
    ///
    /// Nil if connected, or if no server was tried yet.
    package var trouble: String? { client.trouble }

    /// Maintains the connections and checks the cluster until the task is canceled.
    ///
    /// Call only once at a time.
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

    /// Starts and stops watches and readers as the known order changes.
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

    /// Creates the stream if it is missing.
    ///
    /// An existing one is not changed; ``standing`` reports wrong settings.
    ///
    /// - Parameter bytes: The maximum size on each server.
    /// - Returns: Whether it was missing.
    /// - Throws: ``StreamSetupError``.
    @discardableResult
    package func makeStream(bytes: Int64) async throws(StreamSetupError) -> Bool {
        try await StreamSetup(place, bytes: bytes).make(on: client)
    }

    /// Creates the stream of decisions about blocks if it is missing.
    ///
    /// Retries until NATS answers.
    ///
    /// - Parameter limit: The time after which to give up.
    /// - Returns: Whether it was missing.
    /// - Throws: ``StreamSetupError``, of the last attempt.
    @discardableResult
    package func makeDecisions(within limit: Duration) async throws(StreamSetupError) -> Bool {
        try await make(StreamSetup(decisionsOf: place), named: place.decisions, within: limit)
    }

    /// Creates the stream if it is missing, retrying until NATS answers.
    ///
    /// - Parameter limit: The time after which to give up.
    /// - Returns: Whether it was missing.
    /// - Throws: ``StreamSetupError``, of the last attempt.
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
