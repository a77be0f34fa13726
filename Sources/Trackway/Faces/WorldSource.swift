// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

/// Where analytics get their world from when a test makes it. The system's own is in `Live.swift`.
package protocol WorldSource: AnyObject, Sendable {
    /// The world of the process that makes analytics of this configuration.
    func world(for configuration: Configuration) throws(TrackwayError) -> World
}

extension Configuration {
    /// The world that analytics of this configuration work in: that of a test, else the real one.
    package func world() throws(TrackwayError) -> World {
        guard let worldSource else { return try World.live(self) }
        return try worldSource.world(for: self)
    }
}

extension World {
    /// What an earlier process kept under a name in the installation's folder; nil when nothing was, or it cannot be read
    /// now. For faces, which keep what can be had again.
    package func contents(of name: String) -> [UInt8]? {
        (try? storage.contents(of: "\(folder)/\(name)")) ?? nil  // As above.
    }
}
