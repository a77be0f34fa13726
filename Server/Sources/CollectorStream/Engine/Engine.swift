// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents
package import TrackwayJournal

/// An engine as a collector uses it: its connections, the watch over its durability, and the intake on its stream, put together.
package final class Engine: Sendable {
    /// The intake on the engine's stream.
    package let intake: StreamIntake
    private let client: NATSClient
    private let system: NATSClient?
    private let watch: DurabilityWatch
    private let place: StreamPlace

    /// An engine that is connected to once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - addresses: Its servers.
    ///   - credentials: Who connects.
    ///   - options: How much may be held for it.
    ///   - clock: The time.
    ///   - chance: Makes inboxes, and the ids of records that have none of their own.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - notice: Called with one sentence each when a person should know something. It must return at once.
    ///   - committed: Called with the place up to which all is known to be committed. It must return at once.
    package init(
        _ addresses: [NATSAddress],
        credentials: EngineCredentials = EngineCredentials(),
        place: StreamPlace = StreamPlace(),
        times: NATSTimes = NATSTimes(),
        options: IntakeOptions = IntakeOptions(),
        clock: any EventClock,
        chance: () -> UInt64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        notice: @escaping @Sendable (String) -> Void = { _ in },
        committed: @escaping @Sendable (LogPosition) -> Void = { _ in }
    ) {
        let watching = Locked<DurabilityWatch?>(nil)
        func client(_ credentials: NATSCredentials?) -> NATSClient {
            NATSClient(
                addresses,
                credentials: credentials,
                times: times,
                clock: clock,
                chance: chance,
                sleep: sleep,
                notice: notice,
                changed: { watching.withLock { $0 }?.connectionChanged() }
            )
        }
        let engine = client(credentials.user)
        let system = credentials.system.map { client($0) }
        let told = Locked<StreamIntake?>(nil)
        let watch = DurabilityWatch(
            engine,
            look: DurabilityLook(engine, system: system ?? engine, stream: place.stream),
            sleep: sleep,
            floor: { told.withLock { $0 }?.highest ?? 0 },
            told: { facts, floor in told.withLock { $0 }?.told(facts, floor: floor) },
            notice: notice
        )
        intake = StreamIntake(
            engine,
            place: place,
            standing: { watch.standing },
            options: options,
            clock: clock,
            chance: chance,
            sleep: sleep,
            committed: committed
        )
        told.withLock { [intake] in $0 = intake }
        watching.withLock { $0 = watch }
        self.client = engine
        self.system = system
        self.watch = watch
        self.place = place
    }

    /// Whether what the engine acknowledges is durable now.
    package var standing: DurabilityState.Standing { watch.standing }

    /// Why there is no connection, server by server; nil while there is one, or nothing was tried yet.
    package var trouble: String? { client.trouble }

    /// Keeps the connections and looks at the engine until the task is cancelled. Only one call at a time.
    package func run() async {
        await withTaskGroup(of: Void.self) { [client, system, watch] group in
            group.addTask { await client.run() }
            if let system { group.addTask { await system.run() } }
            group.addTask { await watch.run() }
            await group.waitForAll()
        }
    }

    /// Makes the stream when it is missing. One that is there is left as it is: what it has is for ``standing`` to judge.
    ///
    /// - Parameter bytes: How large it may become on each server.
    /// - Throws: ``StreamSetupError``.
    package func makeStream(bytes: Int64) async throws(StreamSetupError) {
        try await StreamSetup(place, bytes: bytes).make(on: client)
    }
}

/// Who connects to an engine.
package struct EngineCredentials: Sendable, Hashable {
    /// Who publishes and reads; nil for nobody in particular.
    package var user: NATSCredentials?
    /// A user of the system account, who asks servers how they sync; nil when `user` may.
    package var system: NATSCredentials?

    /// Credentials.
    package init(user: NATSCredentials? = nil, system: NATSCredentials? = nil) {
        self.user = user
        self.system = system
    }

    /// Reads `{"user":"trackway","password":"…","system":{"user":"sys","password":"…"}}`.
    ///
    /// - Returns: Nil when the text is something else.
    package init?(json bytes: [UInt8]) {
        // What is wrong with a file of secrets is better not quoted.
        guard let json = try? JSONValue.parse(bytes), let user = Self.credentials(json) else { return nil }
        self.init(user: user)
        if let system = json["system"] {
            guard let credentials = Self.credentials(system) else { return nil }
            self.system = credentials
        }
    }

    private static func credentials(_ json: JSONValue) -> NATSCredentials? {
        guard let user = json["user"]?.string, let password = json["password"]?.string, !user.isEmpty else {
            return nil
        }
        return NATSCredentials(user: user, password: password)
    }
}
