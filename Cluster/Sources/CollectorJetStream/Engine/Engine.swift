// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import CollectorTLS
package import TrackwayCore
package import TrackwayJournal

/// A collector's access to a NATS cluster.
///
/// Combines connections, streams with their durability watches, the order of the records, and the intake.
package final class Engine: Sendable {
    /// The intake on the cluster's streams.
    package let intake: OrderedIntake
    /// The reader of all streams' records, in their order.
    package let records: OrderedRecords
    /// The order of all streams' records.
    package let order: OrderFollower
    /// The decisions about blocks of records.
    package let decisions: BlockStream
    /// The maintenance of the streams, which removes records that every reader has read.
    package let maintenance: OrderedMaintenance
    let client: NATSClient
    let system: NATSClient?
    /// The lists of records deleted from the streams for erasure.
    package let deletionIndexes: DeletionIndexSet
    /// A second reader like ``records``, for scans of old records.
    package let scanRecords: OrderedRecords
    private let reader: NATSClient
    private let streams: EngineStreams
    private let orderWatch: DurabilityWatch
    private let changes: AsyncStream<Void>
    let names = StreamNames()
    package let clock: any EventClock
    let sleep: @Sendable (Duration) async -> Void

    /// Creates an engine that connects once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - addresses: The servers.
    ///   - credentials: The credentials for the connections.
    ///   - tls: The TLS client for servers whose addresses require encryption.
    ///   - options: The limits for held records.
    ///   - known: The highest sequence previously read from the stream, if there is only one stream.
    ///   - clock: The clock.
    ///   - randomUInt64: Returns random numbers for inboxes and for the ids of records without an identity.
    ///   - sleep: Waits; returns early when canceled.
    ///   - onWarning: Called with one sentence for each problem that an operator should know about. Must return
    ///     immediately.
    ///   - onRecovery: Called with one sentence when a problem is resolved, or a check succeeds; nil to call
    ///     `onWarning` instead.
    ///   - onCommit: Called with the position, in the order, up to which all records are known to be committed. Must
    ///     return immediately.
    package init(
        _ addresses: [NATSAddress],
        credentials: EngineCredentials = EngineCredentials(),
        tls: TLSClient? = nil,
        times: NATSTimes = NATSTimes(),
        options: IntakeOptions = IntakeOptions(),
        known: UInt64 = 0,
        clock: any EventClock,
        randomUInt64: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        onWarning: @escaping @Sendable (String) -> Void = { _ in },
        onRecovery: (@Sendable (String) -> Void)? = nil,
        onCommit: @escaping @Sendable (LogPosition) -> Void = { _ in }
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
                randomUInt64: randomUInt64,
                sleep: sleep,
                onWarning: onWarning,
                onConnectionChange: {
                    watched.withLock { $0 }?.connectionChanged()
                    watchedOrder.withLock { $0 }?.connectionChanged()
                }
            )
        }
        let engine = client(credentials.user)
        let system = credentials.system.map { client($0, name: "trackway-gate") }
        // Reads use a separate client, so that they do not delay acknowledgements. This client reports no server
        // problems, because the other clients already do.
        let reader = NATSClient(
            Array(addresses.dropFirst()) + addresses.prefix(1),
            credentials: credentials.user,
            tls: tls,
            name: "trackway-index",
            times: times,
            clock: clock,
            randomUInt64: randomUInt64,
            sleep: sleep
        )
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let order = OrderFollower(
            OrderStream(engine, system: system ?? engine),
            clock: clock,
            jitter: randomUInt64(),
            sleep: sleep,
            end: { stream, known in
                await watched.withLock { $0 }?[stream].follower.end(after: known)
            },
            onChange: { status in
                if case .ordered(let streamOrder) = status {
                    onCommit(LogPosition(stream: 0, sequence: streamOrder.end))
                }
                change.yield()
            },
            onWarning: onWarning
        )
        let ignore: @Sendable (String) -> Void = { _ in }
        let (reportRaised, reportResolved, tracker) = (onWarning, onRecovery ?? onWarning, Locked(WarningChanges()))
        let onCheck: @Sendable () -> Void = {
            guard let streams = watched.withLock({ $0 }) else { return }
            let facts = Self.current(order, streams)
            // While a stream has no leader, the state of its servers is unknown; readiness reports the missing leader.
            guard facts.allSatisfy({ $0.stream.leader != nil }) else { return }
            let warnings = EngineWarning.all(ClusterReport.nodes(facts), facts.flatMap(\.reports))
            let (raised, resolved) = tracker.withLock { $0.update(with: warnings) }
            for sentence in raised { reportRaised(sentence) }
            for sentence in resolved { reportResolved(sentence) }
        }
        let recoveryHandler: @Sendable (Int) -> (@Sendable (String) -> Void)? = { $0 == 0 ? onRecovery : ignore }
        let streams = EngineStreams { number in
            let names = StreamNames(number: number)
            let currentIntake = Locked<StreamIntake?>(nil)
            let watch = DurabilityWatch(
                engine,
                check: DurabilityCheck(engine, system: system ?? engine, stream: names.stream, clock: clock) {
                    EngineTask.requirements(on: number, order.status)
                },
                sleep: sleep,
                knownEnd: { currentIntake.withLock { $0 }?.highest ?? 0 },
                onFacts: { facts, end in currentIntake.withLock { $0 }?.update(with: facts, knownEnd: end) },
                onWarning: onWarning,
                // With several streams, only the first stream's watch reports a recovery.
                onRecovery: recoveryHandler(number),
                onCheck: onCheck
            )
            let intake = StreamIntake(
                engine,
                names: names,
                status: { watch.status },
                options: options,
                known: number == 0 ? known : order.ends[number] ?? 0,
                clock: clock,
                randomUInt64: randomUInt64,
                sleep: sleep,
                onCommit: { end in
                    if number == 0 { onCommit(end) } else { order.recordKnownEnd(end.streamSequence - 1, in: number) }
                }
            )
            currentIntake.withLock { $0 = intake }
            // A closed stream is no longer watched, so its creation time is requested once.
            let origin = StreamOrigin(names, on: reader) { watch.latest?.stream.created }
            let readerDeletionIndex = DeletionIndex(reader, system: system ?? engine, names: names) {
                await origin.created()
            }
            let readerRewrites = RewrittenRecords(reader, system: system ?? engine, names: names) {
                await origin.created()
            }
            func follower(_ onReach: @escaping @Sendable (UInt64) -> Void) -> StreamFollower {
                StreamFollower(
                    reader,
                    names: names,
                    deletionIndex: readerDeletionIndex,
                    rewrites: readerRewrites,
                    sleep: sleep,
                    highest: { intake.highest },
                    onReach: onReach
                )
            }
            let rewrites = RewrittenRecords(engine, system: system ?? engine, names: names) { await origin.created() }
            let deletionIndex = DeletionIndex(engine, system: system ?? engine, names: names) { await origin.created() }
            return EngineStreams.Stream(
                intake: intake,
                follower: follower { intake.advance(to: $0) },
                scanFollower: follower { _ in },
                retention: StreamRetention(engine, names: names, deletionIndex: deletionIndex, rewrites: rewrites),
                deletionIndex: deletionIndex,
                rewrites: rewrites,
                watch: watch
            )
        }
        orderWatch = DurabilityWatch(
            engine,
            check: DurabilityCheck(engine, system: system ?? engine, stream: OrderStream.name) {
                DecisionStream.requirements(OrderStream.subject)
            },
            sleep: sleep,
            onWarning: onWarning,
            onRecovery: { _ in }
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
        scanRecords = OrderedRecords(order) { streams[$0].scanFollower }
        deletionIndexes = DeletionIndexSet(
            order,
            engine: engine,
            list: { streams[$0].deletionIndex },
            rewrites: { streams[$0].rewrites }
        )
        maintenance = OrderedMaintenance(order) { streams[$0].retention }
        decisions = BlockStream(engine, system: system ?? engine, names: names)
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

    /// Returns the facts from the latest checks of the streams that accept records.
    private static func current(_ order: OrderFollower, _ streams: EngineStreams) -> [ClusterFacts] {
        guard case .ordered(let streamOrder) = order.status else { return streams[0].watch.current.map { [$0] } ?? [] }
        return streamOrder.streams.compactMap { streams[$0].watch.current }
    }

    /// The state of the streams' servers. The intake adds the numbers of rejected records.
    private var statistics: EngineStatistics {
        let facts = Self.current(order, streams)
        let contactTimeout = DurabilityGate.Requirements().contactTimeout
        var statistics = EngineStatistics()
        for node in ClusterReport.nodes(facts) { statistics.servers[node.state, default: 0] += 1 }
        statistics.isConnected = client.connection != nil
        statistics.hasLeader =
            !facts.isEmpty && facts.allSatisfy { $0.stream.isReportedByMajority(after: contactTimeout) }
        statistics.isProven = status == .proven
        statistics.clockOffset = EngineWarning.clockOffset(facts.flatMap(\.reports))
        return statistics
    }

    /// Whether a stream that should accept records is closed.
    ///
    /// If so, a stream change is in progress or was interrupted.
    package var isClosed: Bool {
        guard case .ordered(let streamOrder) = order.status else { return streams[0].watch.isClosed }
        return streamOrder.streams.contains { streams[$0].watch.isClosed }
    }

    /// Whether the records that the cluster acknowledges are durable.
    package var status: DurabilityState.Status {
        switch order.status {
        case .single: return streams[0].watch.status
        case .ordered(let streamOrder):
            // The first stream identifies the cluster, even if it no longer accepts records.
            guard facts != nil else { return .unknown("NATS has not reported on the stream \(names.stream) yet") }
            return DurabilityState.Status(streamOrder.streams.map { streams[$0].watch.status } + [orderWatch.status])
        case .unknown:
            let status = streams[0].watch.status
            // The first stream might no longer accept any records.
            guard status == .proven else { return status }
            return .unknown(order.failureReason ?? "the order of the streams is not known yet")
        }
    }

    /// The latest facts about the first stream; nil before the first check.
    package var facts: ClusterFacts? { streams[0].watch.latest }

    /// The latest facts about the streams that accept records.
    package var openFacts: [ClusterFacts] {
        guard case .ordered(let streamOrder) = order.status else { return facts.map { [$0] } ?? [] }
        return streamOrder.streams.compactMap { streams[$0].watch.latest }
    }

    /// The reason for each server's connection failure.
    ///
    /// Nil while connected, or if no server has been tried yet.
    package var connectionError: String? { client.connectionError }

    /// Maintains the connections and checks the cluster until the task is canceled.
    ///
    /// Only one call may run at a time.
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
        var running: [EngineTask: Task<Void, Never>] = [:]
        func reconcile() {
            let status = order.status
            let required = EngineTask.all(status)
            for (task, runningTask) in running where !required.contains(task) {
                runningTask.cancel()
                running[task] = nil
            }
            for task in required where running[task] == nil {
                running[task] = Task { await self.run(task) }
            }
            guard case .ordered(let streamOrder) = status else { return }
            for (number, stream) in streams.all where !streamOrder.streams.contains(number) {
                stream.intake.giveUpHeldRecords()
            }
        }
        reconcile()
        for await _ in changes { reconcile() }
        for runningTask in running.values { runningTask.cancel() }
        for runningTask in running.values { await runningTask.value }
    }

    /// Returns the stream with the cluster's erasures, without connecting.
    package func erasures(key: ErasureKey, randomUInt64: @escaping @Sendable () -> UInt64) -> ErasureStream {
        ErasureStream(
            client,
            system: system ?? client,
            names: names,
            key: key,
            randomUInt64: randomUInt64
        )
    }

    /// Whether the cluster has an erasure key, so that processes without one must not run.
    ///
    /// - Throws: ``StreamMaintenanceError`` if NATS does not report this.
    package func hasErasureKey() async throws(StreamMaintenanceError) -> Bool {
        try await ErasureStream.exists(names, on: client)
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
    /// An existing stream is not changed; ``status`` reports wrong settings.
    ///
    /// - Parameter bytes: The maximum size on each server.
    /// - Returns: Whether the stream was missing.
    /// - Throws: ``StreamSetupError``.
    @discardableResult
    package func makeStream(bytes: Int64) async throws(StreamSetupError) -> Bool {
        try await StreamSetup(names, bytes: bytes).createIfMissing(on: client)
    }

    /// Creates the stream of decisions about blocks if it is missing.
    ///
    /// Retries until NATS answers.
    ///
    /// - Parameter limit: The time after which to give up.
    /// - Returns: Whether the stream was missing.
    /// - Throws: The ``StreamSetupError`` of the last attempt.
    @discardableResult
    package func makeDecisionStream(within limit: Duration) async throws(StreamSetupError) -> Bool {
        try await make(StreamSetup(decisionsOf: names), named: names.decisions, within: limit)
    }

    /// Creates the stream if it is missing, retrying until NATS answers.
    ///
    /// - Parameter limit: The time after which to give up.
    /// - Returns: Whether the stream was missing.
    /// - Throws: The ``StreamSetupError`` of the last attempt.
    package func makeStream(bytes: Int64, within limit: Duration) async throws(StreamSetupError) -> Bool {
        try await make(StreamSetup(names, bytes: bytes), named: names.stream, within: limit)
    }

    private func make(
        _ setup: StreamSetup,
        named name: String,
        within limit: Duration
    ) async throws(StreamSetupError) -> Bool {
        let end = clock.now().monotonic.advanced(by: limit)
        while true {
            do {
                return try await setup.createIfMissing(on: client)
            } catch {
                if clock.now().monotonic >= end || Task.isCancelled {
                    guard let connectionError else { throw error }
                    throw StreamSetupError(stream: name, reason: connectionError)
                }
            }
            await sleep(.milliseconds(200))
        }
    }
}
