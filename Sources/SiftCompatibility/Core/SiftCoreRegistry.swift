// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway
internal import TrackwayEvents

/// The cores in use, by directory.
///
/// A directory has one installation, and in each process only one core delivers its events.
enum SiftCoreRegistry {
    /// A directory on disk, or in the storage of a test's dependencies.
    private struct Place: Sendable, Hashable {
        let dependencies: ObjectIdentifier?
        let folder: String
    }

    private struct Known: Sendable {
        weak var core: SiftCore?
    }

    private static let known = Locked<[Place: Known]>([:])

    /// Returns the core of a configuration's directory, created if not in use.
    static func core(_ configuration: Configuration) -> SiftCore {
        let folder = configuration.storage.folder?.standardizedFileURL.path ?? ""
        // A core in use retains its dependencies, so that no other object can get their identity.
        let place = Place(dependencies: configuration.dependencySource.map { ObjectIdentifier($0) }, folder: folder)
        return known.withLock { known in
            if let core = known[place]?.core { return core }
            known = known.filter { $0.value.core != nil }
            let core = SiftCore(configuration)
            known[place] = Known(core: core)
            return core
        }
    }
}

extension SiftCore {
    /// Returns the initial configuration.
    package static func configuration(rootDirPath: String) -> Configuration {
        var configuration = Configuration(
            appID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
            destinations: []
        )
        configuration.capture = []
        configuration.limits = SiftEventLimits.limits
        configuration.predecessor = .sift()
        if rootDirPath.isEmpty {
            // If no folder is available, creating the analytics reports it.
            try? configuration.useFolder(ofModule: "sift")
        } else {
            configuration.storage.folder = URL(fileURLWithPath: rootDirPath, isDirectory: true)
        }
        return configuration
    }
}
