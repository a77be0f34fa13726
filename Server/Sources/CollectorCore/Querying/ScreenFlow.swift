// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The screens that were shown, and the transitions between them.
///
/// The flow includes the screens' engagement times and clicks.
public struct ScreenFlow: Sendable, Hashable {
    /// Totals of one screen.
    public struct Totals: Sendable, Hashable {
        /// The screen's name.
        public var name: String
        /// The number of views.
        public var views: UInt64
        /// The number of sessions that began with the screen.
        public var entrances: UInt64
        /// The number of sessions whose last screen so far is this one.
        public var exits: UInt64
        /// The engagement time in milliseconds.
        public var engagement: Int64
        /// The number of distinct installations.
        public var installations: UInt64

        /// Creates totals.
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

    /// A transition from one screen to the next, within a session.
    public struct Step: Sendable, Hashable {
        /// The previous screen.
        public var from: String
        /// The next screen.
        public var to: String
        /// The number of transitions.
        public var count: UInt64

        /// Creates a step.
        public init(from: String, to: String, count: UInt64) {
            self.from = from
            self.to = to
            self.count = count
        }
    }

    /// One element of one screen, with its clicks.
    public struct Element: Sendable, Hashable {
        /// The element's screen; empty when unknown.
        public var screen: String
        /// The element's name.
        public var element: String
        /// The element's type, if known.
        public var type: String?
        /// The number of clicks.
        public var clicks: UInt64
        /// The number of distinct installations.
        public var installations: UInt64

        /// Creates an element.
        public init(screen: String, element: String, type: String?, clicks: UInt64, installations: UInt64) {
            self.screen = screen
            self.element = element
            self.type = type
            self.clicks = clicks
            self.installations = installations
        }
    }

    /// The screens, most views first.
    public var screens: [Totals]
    /// The steps, most frequent first.
    public var steps: [Step]
    /// The elements, most clicks first.
    public var elements: [Element]
    /// The number of views read; nil if all views were read.
    ///
    /// The views read are those that arrived last.
    public var latest: Int?

    /// Creates a flow.
    public init(screens: [Totals] = [], steps: [Step] = [], elements: [Element] = [], latest: Int? = nil) {
        self.screens = screens
        self.steps = steps
        self.elements = elements
        self.latest = latest
    }
}

/// A query for screens.
public struct ScreenQuery: Sendable, Hashable {
    /// Only screens shown on this installation.
    public var installation: InstallationID?
    /// Only screens shown since this time.
    public var from: Timestamp?
    /// The maximum number of screens, of steps, and of elements.
    public var limit: Int
    /// The maximum number of views, and of clicks, to read.
    ///
    /// The views and clicks that arrived last are read. The maximum does not apply to a query for a single
    /// installation.
    public var maxViews: Int

    /// Creates a query for all screens.
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
