// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayEvents
internal import TrackwayJournal
package import TrackwayWire

/// What a compatibility module needs for work of its own: its back-end's configuration, say.
package struct ExtensionEnvironment: Sendable {
    /// Carries requests, as far as consent and switch allow it.
    package let transport: any Transport
    /// The app's id.
    package let appID: String
    /// Which boot monotonic times belong to.
    package let boot: String
    private let clock: any EventClock
    private let sleeper: any DeliverySleeper
    private let random: Locked<any RandomNumberGenerator & Sendable>
    private let storage: any JournalStorage
    /// The installation's folder.
    package let folder: String

    /// The environment of an ``Analytics`` with its dependencies.
    init(_ dependencies: Dependencies, appID: String, transport: any Transport) {
        self.transport = transport
        self.appID = appID
        boot = dependencies.facts.boot
        clock = dependencies.clock
        sleeper = dependencies.sleeper
        random = Locked(dependencies.random)
        storage = dependencies.storage
        folder = dependencies.folder
    }

    /// The time since boot.
    package var now: MonotonicTime { clock.now().monotonic }

    /// The time of day.
    package var wall: Timestamp { clock.now().wall }

    /// A number in 0..<1, another one every time.
    package func chance() -> Double {
        // 53 bits are what a double holds.
        random.withLock { Double($0.next() >> 11) * 0x1p-53 }
    }

    /// Returns at a time, or earlier when the task is cancelled.
    package func sleep(until time: MonotonicTime) async {
        await sleeper.sleep(until: time)
    }

    /// What was kept under a name in the installation's folder; nil when nothing was, or it cannot be read now.
    package func contents(of name: String) -> [UInt8]? {
        // A compatibility module keeps what can be had again.
        (try? storage.contents(of: "\(folder)/\(name)")) ?? nil
    }

    /// Keeps something under a name in the installation's folder.
    ///
    /// - Parameter durably: whether it survives power loss; not, when it can be had again.
    package func keep(_ bytes: [UInt8], as name: String, durably: Bool = false) {
        // It can be had again; the disk's trouble is told by the journal.
        try? storage.replace("\(folder)/\(name)", with: bytes, durably: durably)
    }
}
