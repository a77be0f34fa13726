// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway
internal import TrackwayCore
internal import TrackwayMigration

/// A registry of the cores in use, by directory.
///
/// A directory has one installation, and in each process only one core delivers its events.
enum SiftCoreRegistry {
    /// A directory on disk, or in the storage of a test's dependencies.
    private struct Location: Sendable, Hashable {
        let dependencies: ObjectIdentifier?
        let folder: String
    }

    private struct WeakCore: Sendable {
        weak var core: SiftCore?
    }

    private static let cores = Locked<[Location: WeakCore]>([:])

    /// Returns the core of a configuration's directory, creating it if necessary.
    static func core(_ configuration: Configuration) -> SiftCore {
        let folder = configuration.storage.folder?.standardizedFileURL.path ?? ""
        // A core in use retains its dependencies, so that no other object can get their identity.
        let location = Location(
            dependencies: configuration.dependencySource.map { ObjectIdentifier($0) },
            folder: folder
        )
        return cores.withLock { cores in
            if let core = cores[location]?.core { return core }
            cores = cores.filter { $0.value.core != nil }
            let core = SiftCore(configuration)
            cores[location] = WeakCore(core: core)
            return core
        }
    }
}

extension SiftCore {
    /// Returns the initial configuration.
    package static func configuration(rootDirPath: String) -> Configuration {
        var configuration = Configuration(
            appID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
            destinations: [],
            consent: .granted
        )
        configuration.recordsConsent = false
        configuration.privacy.sharesVendorID = true
        configuration.capture = []
        configuration.limits = SiftEventLimits.limits
        configuration.legacySDK = LegacySDK.sift()
        if rootDirPath.isEmpty {
            // If no folder is available, creating the analytics reports it.
            try? configuration.useFolder(ofModule: "sift")
        } else {
            configuration.storage.folder = URL(fileURLWithPath: rootDirPath, isDirectory: true)
        }
        return configuration
    }
}
