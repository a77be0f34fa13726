// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform
package import TrackwayWire

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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
    let imagesDefining: @Sendable (_ classes: Set<String>) -> [LoadedImage]

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
        imagesDefining = dependencies.imagesDefining
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

// What a compatibility module needs before there is an `Analytics`.
extension Analytics {
    /// The time of day.
    package static var wallTime: Timestamp { SystemClock().now().wall }
}

extension Configuration {
    /// Gives a compatibility module a folder of its own beside the usual one, so that an app may use several of them, and the front door
    /// itself, without one taking the other's deliveries for its own.
    package mutating func useFolder(ofModule name: String) throws(TrackwayError) {
        do throws(StorageLocationError) {
            let location = try StorageLocation.standard(appID: "\(appID).\(name)")
            storage.folder = URL(fileURLWithPath: location.path, isDirectory: true)
        } catch {
            throw TrackwayError(error)
        }
    }
}
