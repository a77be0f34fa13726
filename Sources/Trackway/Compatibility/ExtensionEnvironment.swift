// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
internal import TrackwayDelivery
package import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayPlatform

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The dependencies of a compatibility module.
///
/// The module uses them for its own work, such as loading its back end's configuration.
package struct ExtensionEnvironment: Sendable {
    /// Sends requests while consent and the enabled state permit it.
    package let transport: any Transport
    /// The app's id.
    package let appID: String
    /// The id of the boot that monotonic times belong to.
    package let boot: String
    private let clock: any EventClock
    private let sleeper: any DeliverySleeper
    private let random: Locked<any RandomNumberGenerator & Sendable>
    private let storage: any JournalStorage
    /// The installation's folder.
    package let folder: String
    let loadedImages: @Sendable (_ classes: Set<String>) -> [LoadedImage]

    /// Creates the environment of an ``Analytics`` with its dependencies.
    init(_ dependencies: Dependencies, appID: String, transport: any Transport) {
        self.transport = transport
        self.appID = appID
        boot = dependencies.facts.boot
        clock = dependencies.clock
        sleeper = dependencies.sleeper
        random = Locked(dependencies.random)
        storage = dependencies.storage
        folder = dependencies.folder
        loadedImages = dependencies.loadedImages
    }

    /// The time since boot.
    package var now: MonotonicTime { clock.now().monotonic }

    /// The wall-clock time.
    package var wallTime: Timestamp { clock.now().wall }

    /// Returns a random number in 0..<1.
    package func randomFraction() -> Double {
        // A double holds 53 bits.
        random.withLock { Double($0.next() >> 11) * 0x1p-53 }
    }

    /// Suspends the task until a time, or until it is canceled.
    package func sleep(until time: MonotonicTime) async {
        await sleeper.sleep(until: time)
    }

    /// Returns content stored in the installation's folder.
    ///
    /// nil if the content is missing or currently cannot be read.
    package func contents(of name: String) -> [UInt8]? {
        // Compatibility modules store only data that can be obtained again.
        (try? storage.contents(of: "\(folder)/\(name)")) ?? nil
    }

    /// Stores content in the installation's folder.
    ///
    /// - Parameter durably: Whether the content must survive power loss. Durability is not needed for data that can be
    ///   obtained again.
    package func store(_ bytes: [UInt8], as name: String, durably: Bool = false) {
        // The data can be obtained again, and the journal reports disk errors.
        try? storage.replace("\(folder)/\(name)", with: bytes, durably: durably)
    }
}

// For compatibility modules that have no `Analytics` yet.
extension Analytics {
    /// The wall-clock time.
    package static var wallTime: Timestamp { SystemClock().now().wall }
}

extension Configuration {
    /// Gives a compatibility module its own folder next to the default one.
    ///
    /// An app can then use several modules and the public API, and none of them delivers the events of another.
    package mutating func useFolder(ofModule name: String) throws(TrackwayError) {
        do throws(StorageLocationError) {
            let location = try StorageLocation.standard(appID: "\(appID).\(name)")
            storage.folder = URL(fileURLWithPath: location.path, isDirectory: true)
        } catch {
            throw TrackwayError(error)
        }
    }
}
