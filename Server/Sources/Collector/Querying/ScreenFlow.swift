// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Which screens were shown, how long they were used, what was clicked there, and how people went from one to the next.
package struct ScreenFlow: Sendable, Hashable {
    /// One screen in numbers.
    package struct Totals: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// How often it was shown.
        package var views: UInt64
        /// How often a session began with it.
        package var entrances: UInt64
        /// How often a session ended with it, so far.
        package var exits: UInt64
        /// How long it was used, in milliseconds.
        package var engagement: Int64
        /// On how many installations.
        package var installations: UInt64

        /// Totals of these parts.
        package init(
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
    package struct Step: Sendable, Hashable {
        /// The screen before.
        package var from: String
        /// The screen after.
        package var to: String
        /// How often.
        package var count: UInt64

        /// A step of these parts.
        package init(from: String, to: String, count: UInt64) {
            self.from = from
            self.to = to
            self.count = count
        }
    }

    /// One element of one screen, by how often it was clicked.
    package struct Element: Sendable, Hashable {
        /// The screen it lies on; empty when it is not known.
        package var screen: String
        /// The name it goes by.
        package var element: String
        /// What kind of element it is, if that is known.
        package var type: String?
        /// How often it was clicked.
        package var clicks: UInt64
        /// On how many installations.
        package var installations: UInt64

        /// An element of these parts.
        package init(screen: String, element: String, type: String?, clicks: UInt64, installations: UInt64) {
            self.screen = screen
            self.element = element
            self.type = type
            self.clicks = clicks
            self.installations = installations
        }
    }

    /// The screens, the most shown first.
    package var screens: [Totals]
    /// The steps, the most frequent first.
    package var steps: [Step]
    /// The elements, the most clicked first.
    package var elements: [Element]
    /// How many views were looked at, where there are more: those that arrived last. Nil when all were.
    package var latest: Int?

    /// A flow of these parts.
    package init(screens: [Totals] = [], steps: [Step] = [], elements: [Element] = [], latest: Int? = nil) {
        self.screens = screens
        self.steps = steps
        self.elements = elements
        self.latest = latest
    }
}

/// Which screens a reader wants to know about.
package struct ScreenQuery: Sendable, Hashable {
    /// Those of one installation.
    package var installation: InstallationID?
    /// Those shown since.
    package var from: Timestamp?
    /// The most screens, the most steps, and the most elements, in the answer.
    package var limit: Int
    /// The most views that are looked at, and the most clicks: those that arrived last. Of one installation all are.
    package var maxViews: Int

    /// A query for all screens.
    package init(
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
    package func write(to writer: inout JSONWriter) {
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
