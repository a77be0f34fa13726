// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import CollectorTLS
package import TrackwayEvents
package import TrackwayJournal

/// An engine as a collector uses it: its connections, the watch over its durability, and the intake on its stream, put together.
package final class Engine: Sendable {
    /// The intake on the engine's stream.
    package let intake: StreamIntake
    private let client: NATSClient
    private let system: NATSClient?
    /// Reads the stream for an index.
    package let follower: StreamFollower
    /// What is decided about the stream's blocks.
    package let decisions: BlockStream
    /// What is removed from the stream, and who has to have read it before.
    package let keeping: StreamKeeping
    private let reader: NATSClient
    private let watch: DurabilityWatch
    private let place: StreamPlace
    let clock: any EventClock
    let sleep: @Sendable (Duration) async -> Void

    /// An engine that is connected to once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - addresses: Its servers.
    ///   - credentials: Who connects.
    ///   - tls: Encrypts connections to servers whose addresses want it.
    ///   - options: How much may be held for it.
    ///   - known: The highest sequence that was read from the stream before.
    ///   - clock: The time.
    ///   - chance: Makes inboxes, and the ids of records that have none of their own.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - notice: Called with one sentence each when a person should know something. It must return at once.
    ///   - relief: Called in its place when something that was wrong is right, or was found right; nil for `notice`.
    ///   - committed: Called with the place up to which all is known to be committed. It must return at once.
    package init(
        _ addresses: [NATSAddress],
        credentials: EngineCredentials = EngineCredentials(),
        tls: TLSClient? = nil,
        place: StreamPlace = StreamPlace(),
        times: NATSTimes = NATSTimes(),
        options: IntakeOptions = IntakeOptions(),
        known: UInt64 = 0,
        clock: any EventClock,
        chance: () -> UInt64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        notice: @escaping @Sendable (String) -> Void = { _ in },
        relief: (@Sendable (String) -> Void)? = nil,
        committed: @escaping @Sendable (LogPosition) -> Void = { _ in }
    ) {
        let watching = Locked<DurabilityWatch?>(nil)
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
                changed: { watching.withLock { $0 }?.connectionChanged() }
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
        let told = Locked<StreamIntake?>(nil)
        let watch = DurabilityWatch(
            engine,
            look: DurabilityLook(engine, system: system ?? engine, stream: place.stream),
            sleep: sleep,
            floor: { told.withLock { $0 }?.highest ?? 0 },
            told: { facts, floor in told.withLock { $0 }?.told(facts, floor: floor) },
            notice: notice,
            relief: relief
        )
        intake = StreamIntake(
            engine,
            place: place,
            standing: { watch.standing },
            options: options,
            known: known,
            clock: clock,
            chance: chance,
            sleep: sleep,
            committed: committed
        )
        follower = StreamFollower(
            reader,
            place: place,
            sleep: sleep,
            highest: { [intake] in intake.highest },
            reached: { [intake] in intake.read($0) }
        )
        told.withLock { [intake] in $0 = intake }
        watching.withLock { $0 = watch }
        self.client = engine
        self.system = system
        decisions = BlockStream(engine, system: system ?? engine, place: place)
        keeping = StreamKeeping(engine, place: place)
        self.reader = reader
        self.clock = clock
        self.sleep = sleep
        self.watch = watch
        self.place = place
    }

    /// Whether what the engine acknowledges is durable now.
    package var standing: DurabilityState.Standing { watch.standing }

    /// What the engine told last; nil before it told anything.
    package var facts: EngineFacts? { watch.latest }

    /// Why there is no connection, server by server; nil while there is one, or nothing was tried yet.
    package var trouble: String? { client.trouble }

    /// Keeps the connections and looks at the engine until the task is cancelled. Only one call at a time.
    package func run() async {
        await withTaskGroup(of: Void.self) { [client, system, watch, reader, follower] group in
            group.addTask { await client.run() }
            group.addTask { await reader.run() }
            group.addTask { await follower.run() }
            if let system { group.addTask { await system.run() } }
            group.addTask { await watch.run() }
            await group.waitForAll()
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
