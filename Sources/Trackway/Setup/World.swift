// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayDelivery
package import TrackwayEvents
package import TrackwayJournal
package import TrackwayWire

/// Everything outside that an ``Analytics`` touches: time, chance, storage, network, facts.
///
/// The live one is made in `Live.swift`; tests put their own together.
package struct World: Sendable {
    /// Tells the time.
    package var clock: any EventClock
    /// Makes the ids of events.
    package var ids: EventIDGenerator
    /// Where the journal's bytes lie.
    package var storage: any JournalStorage
    /// The installation's folder in that storage, an absolute path.
    package var folder: String
    /// Bytes reserved per segment.
    package var segmentBytes: Int
    /// Carries requests.
    package var transport: any Transport
    /// Lets time pass for the delivery.
    package var sleeper: any DeliverySleeper
    /// Where the delivery draws its chance from.
    package var random: any RandomNumberGenerator & Sendable
    /// The facts that every event's context holds.
    package var facts: ContextFacts
    /// Where diagnostics go while the app has no handler.
    package var log: DiagnosticReporter.Handler
    /// Takes a line of text: events, while they are logged.
    package var write: @Sendable (String) -> Void
    /// Begins to follow the process's life cycle; the value is kept as long as the analytics live.
    package var followLifeCycle: @Sendable (ControlDriver) -> LifeCycleFollower?

    /// Puts a world together.
    package init(
        clock: any EventClock,
        ids: EventIDGenerator,
        storage: any JournalStorage,
        folder: String,
        segmentBytes: Int,
        transport: any Transport,
        sleeper: any DeliverySleeper,
        random: any RandomNumberGenerator & Sendable,
        facts: ContextFacts,
        log: @escaping DiagnosticReporter.Handler,
        write: @escaping @Sendable (String) -> Void,
        followLifeCycle: @escaping @Sendable (ControlDriver) -> LifeCycleFollower? = { _ in nil }
    ) {
        self.clock = clock
        self.ids = ids
        self.storage = storage
        self.folder = folder
        self.segmentBytes = segmentBytes
        self.transport = transport
        self.sleeper = sleeper
        self.random = random
        self.facts = facts
        self.log = log
        self.write = write
        self.followLifeCycle = followLifeCycle
    }
}
