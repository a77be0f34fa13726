// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// What the erasure of a user would remove from the index.
public struct ErasurePreview: Sendable, Hashable {
    /// An installation on which the user signed in.
    public struct Installation: Sendable, Hashable {
        /// The installation.
        public var id: InstallationID
        /// Whether other people's events remain.
        ///
        /// Otherwise, the whole installation is erased, with the events of its anonymous visitors.
        public var isShared: Bool
        /// The number of events that would be removed.
        public var events: Int

        /// Creates an installation of a user.
        public init(_ id: InstallationID, isShared: Bool, events: Int) {
            self.id = id
            self.isShared = isShared
            self.events = events
        }
    }

    /// The user's id.
    public var user: String
    /// The ids that are erased together: of the user, and of all users who are merged with the user.
    ///
    /// The user with whom the others are counted comes first.
    public var users: [String]
    /// The user's installations.
    public var installations: [Installation]
    /// The number of events without an installation, such as those from servers.
    public var eventsWithoutInstallation: Int

    /// Creates a preview.
    public init(user: String, installations: [Installation], eventsWithoutInstallation: Int) {
        self.user = user
        users = [user]
        self.installations = installations
        self.eventsWithoutInstallation = eventsWithoutInstallation
    }

    /// The number of all events that would be removed, without duplicates.
    public var events: Int { installations.reduce(eventsWithoutInstallation) { $0 + $1.events } }

    /// Writes the preview as a JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("user", user)
        if users.count > 1 { writer.list("users", users) { $1.string($0) } }
        writer.member("events", Int64(events))
        writer.list("installations", installations) { installation, writer in
            writer.beginObject()
            writer.member("installation", installation.id)
            writer.member("shared", installation.isShared)
            writer.member("events", Int64(installation.events))
            writer.endObject()
        }
        writer.member("events_without_installation", Int64(eventsWithoutInstallation))
        writer.endObject()
    }
}
