// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Which screens were shown, how long they were used, and how people went from one to the next.
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

    /// The screens, the most shown first.
    package var screens: [Totals]
    /// The steps, the most frequent first.
    package var steps: [Step]

    /// A flow of these parts.
    package init(screens: [Totals] = [], steps: [Step] = []) {
        self.screens = screens
        self.steps = steps
    }
}

/// Which screens a reader wants to know about.
package struct ScreenQuery: Sendable, Hashable {
    /// Those of one installation.
    package var installation: InstallationID?
    /// Those shown since.
    package var from: Timestamp?
    /// The most screens, and the most steps, in the answer.
    package var limit: Int

    /// A query for all screens.
    package init(installation: InstallationID? = nil, from: Timestamp? = nil, limit: Int = 50) {
        self.installation = installation
        self.from = from
        self.limit = limit
    }
}

extension ScreenFlow {
    /// Writes the screens and the steps between them.
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
        writer.endObject()
    }
}
