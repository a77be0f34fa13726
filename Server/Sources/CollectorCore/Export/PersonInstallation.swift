// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An installation that a person used, and the person's data on it.
public struct PersonInstallation: Sendable, Hashable {
    /// The installation.
    public var id: InstallationID
    /// The time ranges of the person's anonymous events, in milliseconds since 1970.
    ///
    /// Nil if everything on the installation is the person's, because no other user ever signed in.
    public var times: [ClosedRange<Int64>]?

    /// Creates an installation of a person.
    public init(_ id: InstallationID, times: [ClosedRange<Int64>]?) {
        self.id = id
        self.times = times
    }

    /// Whether other people's events are on the installation, too.
    public var isShared: Bool { times != nil }
}
