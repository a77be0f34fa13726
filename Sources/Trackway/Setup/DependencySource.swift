// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

/// Where analytics get their dependencies from when a test makes them. The system's own is in `Live.swift`.
package protocol DependencySource: AnyObject, Sendable {
    /// The dependencies of the process that makes analytics of this configuration.
    func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies
}

extension Configuration {
    /// The dependencies that analytics of this configuration work in: those of a test, else the system's.
    package func dependencies() throws(TrackwayError) -> Dependencies {
        guard let dependencySource else { return try Dependencies.live(self) }
        return try dependencySource.dependencies(for: self)
    }
}

extension Dependencies {
    /// What an earlier process kept under a name in the installation's folder; nil when nothing was, or it cannot be read
    /// now. For compatibility modules, which keep what can be had again.
    package func contents(of name: String) -> [UInt8]? {
        (try? storage.contents(of: "\(folder)/\(name)")) ?? nil  // As above.
    }
}
