// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway

/// What the face needs of the world: its analytics, and what an earlier process left for them.
package struct SiftWorld: Sendable {
    /// Makes the analytics.
    package var open: @Sendable (Configuration) throws(TrackwayError) -> Analytics
    /// What an earlier process kept under ``SiftSettings/file`` in the configuration's folder; nil when nothing was, or it
    /// cannot be read.
    package var kept: @Sendable (Configuration) -> [UInt8]?

    /// A world of these parts.
    package init(
        open: @escaping @Sendable (Configuration) throws(TrackwayError) -> Analytics,
        kept: @escaping @Sendable (Configuration) -> [UInt8]?
    ) {
        self.open = open
        self.kept = kept
    }

    /// The real one.
    package static let live = SiftWorld(
        open: { configuration throws(TrackwayError) in try Analytics(configuration) },
        kept: { configuration in
            guard let folder = configuration.storageFolder else { return nil }
            // A file that is missing is one that was never written; the app sets account and key at its start.
            return (try? Data(contentsOf: folder.appendingPathComponent(SiftSettings.file))).map { Array($0) }
        }
    )
}
