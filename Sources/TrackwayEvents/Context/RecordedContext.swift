// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What events had in common when they were recorded: the content of a context record, typed.
///
/// The SDK writes it when something in it changes, every event refers to one, and destinations read it back when they
/// encode. Sections without content are absent from the JSON.
public struct RecordedContext: Sendable, Hashable {
    /// About the app.
    public var app: Attributes
    /// About the device.
    public var device: Attributes
    /// Which boot of the device monotonic times belong to; empty when unknown.
    public var boot: String
    /// Who used the app.
    public var user: User
    /// The session, when one was under way.
    public var session: Session?
    /// The screen that was shown, when one was.
    public var screen: Screen?
    /// Attributes of all events.
    public var global: Attributes
    /// How events recorded now are to be treated by destinations that know more than one way (debug modes, say), by the
    /// destinations' ids. A destination whose id is not here goes by its settings.
    public var modes: Attributes

    /// A context of these parts.
    public init(
        app: Attributes = [:],
        device: Attributes = [:],
        boot: String = "",
        user: User = User(),
        session: Session? = nil,
        screen: Screen? = nil,
        global: Attributes = [:],
        modes: Attributes = [:]
    ) {
        self.app = app
        self.device = device
        self.boot = boot
        self.user = user
        self.session = session
        self.screen = screen
        self.global = global
        self.modes = modes
    }

    /// A session.
    public struct Session: Sendable, Hashable, Codable {
        /// Its id.
        public var id: String
        /// The how manieth session of this installation it is, from 1.
        public var number: Int64
        /// When it began.
        public var start: Timestamp

        /// A session of these parts.
        public init(id: String, number: Int64, start: Timestamp) {
            self.id = id
            self.number = number
            self.start = start
        }
    }

    /// A screen.
    public struct Screen: Sendable, Hashable, Codable {
        /// Its name.
        public var name: String
        /// Its id: for screens found by the SDK, where in the app it lies.
        public var id: String?
        /// What tells two screens of one name apart.
        public var uniqueID: String?

        /// A screen of these parts.
        public init(name: String, id: String? = nil, uniqueID: String? = nil) {
            self.name = name
            self.id = id
            self.uniqueID = uniqueID
        }
    }
}
