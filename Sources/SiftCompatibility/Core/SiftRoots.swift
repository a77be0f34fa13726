// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway
internal import TrackwayEvents

/// The cores that are in use, by directory: one directory has one installation, and one in a process that delivers.
enum SiftRoots {
    /// A directory on the system's disk, or on that of a test's dependencies.
    private struct Place: Sendable, Hashable {
        let dependencies: ObjectIdentifier?
        let folder: String
    }

    private struct Known: Sendable {
        weak var core: SiftCore?
    }

    private static let known = Locked<[Place: Known]>([:])

    /// The core of a configuration's directory; a new one when none is in use.
    static func core(_ configuration: Configuration) -> SiftCore {
        let folder = configuration.storage.folder?.standardizedFileURL.path ?? ""
        // A core in use holds its dependencies, so that no other one gets its identity meanwhile.
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
    /// The configuration to begin with.
    package static func configuration(rootDirPath: String) -> Configuration {
        var configuration = Configuration(
            appID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
            destinations: []
        )
        configuration.capture = []
        configuration.limits = SiftBounds.limits
        configuration.predecessor = .sift()
        if rootDirPath.isEmpty {
            // Where no folder can be named, making the analytics says so.
            try? configuration.useFolder(ofModule: "sift")
        } else {
            configuration.storage.folder = URL(fileURLWithPath: rootDirPath, isDirectory: true)
        }
        return configuration
    }
}
