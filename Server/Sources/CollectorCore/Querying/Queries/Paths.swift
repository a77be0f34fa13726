// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A query for the paths through screens or events.
///
/// Each path is within one session.
public struct PathQuery: Sendable, Hashable {
    /// The kind of elements in a path.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Screens, in the order in which they were shown.
        case screens
        /// Custom events, whose names do not begin with `_`.
        case events
    }

    /// The point where a path is anchored.
    public enum Anchor: Sendable, Hashable {
        /// The path begins with the session's first element in the time range.
        case beginning
        /// The path begins at the first occurrence of this name.
        case start(String)
        /// The path ends at the last occurrence of this name.
        ///
        /// The path is returned in reverse.
        case end(String)
    }

    /// The kind of elements in a path.
    public var kind: Kind
    /// The point where a path is anchored.
    public var anchor: Anchor
    /// The number of steps, including the first; from 2 to ``QueryLimits/steps``.
    public var steps: Int
    /// The number of names listed per step; from 1 to ``QueryLimits/pathNames``.
    public var top: Int
    /// The start of the time range.
    public var from: Timestamp
    /// The end of the time range.
    public var to: Timestamp
    /// The installation whose sessions count; nil for all.
    public var installation: InstallationID?

    /// Creates a query.
    public init(
        of kind: Kind = .screens,
        anchor: Anchor = .beginning,
        steps: Int = 5,
        top: Int = 8,
        from: Timestamp,
        to: Timestamp,
        installation: InstallationID? = nil
    ) {
        self.kind = kind
        self.anchor = anchor
        self.steps = steps
        self.top = top
        self.from = from
        self.to = to
        self.installation = installation
    }

    private static let known: Set<String> = [
        "of", "start", "end", "steps", "top", "last", "from", "to", "zone", "week_start", "installation",
    ]

    /// Parses a query from URL parameters.
    ///
    /// - Parameters:
    ///   - parameters: names and values, unescaped.
    ///   - now: the default end of the time range.
    ///   - zones: a function that returns the offsets of the zone in which the days of `last` begin.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init(
        parameters: [(name: String, value: String)],
        now: Timestamp,
        zones: ZoneDirectory
    ) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        try reader.allow(only: Self.known)
        var anchor = Anchor.beginning
        if let start = try reader.text("start") {
            guard try reader.text("end") == nil else {
                throw InvalidQueryError("end", "A path can have “start” or “end”, not both.")
            }
            anchor = .start(try reader.limitedText(start, "start", QueryLimits.valueBytes))
        } else if let end = try reader.text("end") {
            anchor = .end(try reader.limitedText(end, "end", QueryLimits.valueBytes))
        }
        let (from, to) = try reader.range(now: now, zones)
        self.init(
            of: try reader.choice("of", Kind.self) ?? .screens,
            anchor: anchor,
            steps: try reader.number("steps", in: 2...QueryLimits.steps) ?? 5,
            top: try reader.number("top", in: 1...QueryLimits.pathNames) ?? 8,
            from: from,
            to: to,
            installation: try reader.filter(conditions: []).installation
        )
    }
}

/// The result of a ``PathQuery``.
public struct Paths: Sendable, Hashable {
    /// A name at one step.
    public struct Name: Sendable, Hashable {
        /// The name of the screen or event.
        public var name: String
        /// The number of sessions with this name at this step.
        public var sessions: Int64

        /// Creates a name.
        public init(_ name: String, sessions: Int64) {
            self.name = name
            self.sessions = sessions
        }
    }

    /// The names at one step.
    public struct Step: Sendable, Hashable {
        /// The most frequent names.
        public var names: [Name]
        /// The number of sessions with any other name.
        public var other: Int64
        /// The number of sessions whose path ends at this step.
        ///
        /// Paths that reach the last requested step do not count.
        public var ended: Int64

        /// Creates a step.
        public init(names: [Name], other: Int64, ended: Int64) {
            self.names = names
            self.other = other
            self.ended = ended
        }
    }

    /// A link between names at two consecutive steps.
    ///
    /// A nil name stands for all other names of the step.
    public struct Link: Sendable, Hashable {
        /// The index of the first of the two steps, from 0.
        public var step: Int
        /// The name at the first of the two steps.
        public var from: String?
        /// The name at the second of the two steps.
        public var to: String?
        /// The number of sessions that follow the link.
        public var sessions: Int64

        /// Creates a link.
        public init(step: Int, from: String?, to: String?, sessions: Int64) {
            self.step = step
            self.from = from
            self.to = to
            self.sessions = sessions
        }
    }

    /// The steps; fewer than requested when no path is that long.
    public var steps: [Step]
    /// The links, ordered by step, then most sessions first.
    public var links: [Link]
    /// The number of sessions with a path.
    public var sessions: Int64
    /// The number of screens or events read.
    public var events: Int

    /// Creates a result.
    public init(steps: [Step], links: [Link], sessions: Int64, events: Int) {
        self.steps = steps
        self.links = links
        self.sessions = sessions
        self.events = events
    }

    /// Writes the result with the query's anchor.
    ///
    /// - Parameter retainedSince: The arrival time before which events are missing; nil when none are missing.
    public func write(for query: PathQuery, retainedSince: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("of", query.kind.rawValue)
        switch query.anchor {
        case .beginning: break
        case .start(let name): writer.member("start", name)
        case .end(let name): writer.member("end", name)
        }
        writer.member("from", query.from.milliseconds)
        writer.member("to", query.to.milliseconds)
        writer.list("steps", steps) { step, writer in
            writer.beginObject()
            writer.list("names", step.names) { name, writer in
                writer.beginObject()
                writer.member("name", name.name)
                writer.member("sessions", name.sessions)
                writer.endObject()
            }
            writer.member("other", step.other)
            writer.member("ended", step.ended)
            writer.endObject()
        }
        writer.list("links", links) { link, writer in
            writer.beginObject()
            writer.member("step", Int64(link.step))
            writer.member("from", link.from)
            writer.member("to", link.to)
            writer.member("sessions", link.sessions)
            writer.endObject()
        }
        writer.member("sessions", sessions)
        writer.member("read", Int64(events))
        writer.writeRetainedSince(retainedSince)
        writer.endObject()
    }
}
