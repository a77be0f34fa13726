// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Which screens were shown, how long they were used, what was clicked there, and how people went from one to the next.
public struct ScreenFlow: Sendable, Hashable {
    /// One screen in numbers.
    public struct Totals: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// How often it was shown.
        public var views: UInt64
        /// How often a session began with it.
        public var entrances: UInt64
        /// How often a session ended with it, so far.
        public var exits: UInt64
        /// How long it was used, in milliseconds.
        public var engagement: Int64
        /// On how many installations.
        public var installations: UInt64

        /// Totals of these parts.
        public init(
            name: String,
            views: UInt64,
            entrances: UInt64,
            exits: UInt64,
            engagement: Int64,
            installations: UInt64
        ) {
            self.name = name
            self.views = views
            self.entrances = entrances
            self.exits = exits
            self.engagement = engagement
            self.installations = installations
        }
    }

    /// From one screen to the next, within a session.
    public struct Step: Sendable, Hashable {
        /// The screen before.
        public var from: String
        /// The screen after.
        public var to: String
        /// How often.
        public var count: UInt64

        /// A step of these parts.
        public init(from: String, to: String, count: UInt64) {
            self.from = from
            self.to = to
            self.count = count
        }
    }

    /// One element of one screen, by how often it was clicked.
    public struct Element: Sendable, Hashable {
        /// The screen it lies on; empty when it is not known.
        public var screen: String
        /// The name it goes by.
        public var element: String
        /// What kind of element it is, if that is known.
        public var type: String?
        /// How often it was clicked.
        public var clicks: UInt64
        /// On how many installations.
        public var installations: UInt64

        /// An element of these parts.
        public init(screen: String, element: String, type: String?, clicks: UInt64, installations: UInt64) {
            self.screen = screen
            self.element = element
            self.type = type
            self.clicks = clicks
            self.installations = installations
        }
    }

    /// The screens, the most shown first.
    public var screens: [Totals]
    /// The steps, the most frequent first.
    public var steps: [Step]
    /// The elements, the most clicked first.
    public var elements: [Element]
    /// How many views were looked at, where there are more: those that arrived last. Nil when all were.
    public var latest: Int?

    /// A flow of these parts.
    public init(screens: [Totals] = [], steps: [Step] = [], elements: [Element] = [], latest: Int? = nil) {
        self.screens = screens
        self.steps = steps
        self.elements = elements
        self.latest = latest
    }
}

/// Which screens a reader wants to know about.
public struct ScreenQuery: Sendable, Hashable {
    /// Those of one installation.
    public var installation: InstallationID?
    /// Those shown since.
    public var from: Timestamp?
    /// The most screens, the most steps, and the most elements, in the answer.
    public var limit: Int
    /// The most views that are looked at, and the most clicks: those that arrived last. Of one installation all are.
    public var maxViews: Int

    /// A query for all screens.
    public init(
        installation: InstallationID? = nil,
        from: Timestamp? = nil,
        limit: Int = 50,
        maxViews: Int = 100_000
    ) {
        self.installation = installation
        self.from = from
        self.limit = limit
        self.maxViews = max(1, maxViews)
    }
}

extension ScreenFlow {
    /// Writes the screens, the steps between them, and their elements.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("screens", screens) { screen, writer in
            writer.beginObject()
            writer.member("name", screen.name)
            for (key, value) in [
                ("views", screen.views), ("entrances", screen.entrances), ("exits", screen.exits),
                ("installations", screen.installations),
            ] {
                writer.member(key, value)
            }
            writer.member("engagement", screen.engagement)
            writer.endObject()
        }
        writer.list("steps", steps) { step, writer in
            writer.beginObject()
            writer.member("from", step.from)
            writer.member("to", step.to)
            writer.member("count", step.count)
            writer.endObject()
        }
        writer.list("elements", elements) { element, writer in
            writer.beginObject()
            writer.member("screen", element.screen)
            writer.member("element", element.element)
            if let type = element.type { writer.member("type", type) }
            writer.member("clicks", element.clicks)
            writer.member("installations", element.installations)
            writer.endObject()
        }
        if let latest { writer.member("latest", UInt64(latest)) }
        writer.endObject()
    }
}
