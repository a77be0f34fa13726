// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How people go on from a screen or an event, or how they came to it, session by session.
public struct PathQuestion: Sendable, Hashable {
    /// What a path consists of.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Screens, in the order they were shown.
        case screens
        /// The app's own events: those whose names do not begin with `_`.
        case events
    }

    /// Where a path is held.
    public enum Anchor: Sendable, Hashable {
        /// It begins with the session's first in the time.
        case beginning
        /// It begins where this name is met first.
        case start(String)
        /// It ends where this name is met last, and is told backwards from there.
        case end(String)
    }

    /// What a path consists of.
    public var kind: Kind
    /// Where it is held.
    public var anchor: Anchor
    /// How many steps are told, the first one counted; from 2 to ``QuestionLimits/steps``.
    public var steps: Int
    /// How many names of each step are told apart; from 1 to ``QuestionLimits/pathNames``.
    public var top: Int
    /// The first moment.
    public var from: Timestamp
    /// The end.
    public var to: Timestamp
    /// The installation whose sessions count; nil for all.
    public var installation: InstallationID?

    /// A question.
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
        "of", "start", "end", "steps", "top", "last", "from", "to", "zone", "installation",
    ]

    /// Reads a question from the parameters of an address.
    ///
    /// - Parameters:
    ///   - parameters: names and values, unescaped.
    ///   - now: the end of a question that does not say until when.
    ///   - zones: knows the zone in which the days of `last` begin.
    /// - Throws: ``QuestionError`` with the parameter, its value, and what helps.
    public init(
        parameters: [(name: String, value: String)],
        now: Timestamp,
        zones: ZoneDirectory
    ) throws(QuestionError) {
        let reader = QuestionParameters(parameters)
        try reader.sees(only: Self.known)
        var anchor = Anchor.beginning
        if let start = reader.text("start") {
            guard reader.text("end") == nil else {
                throw QuestionError("end", "A path has “start” or “end”, not both.")
            }
            anchor = .start(try reader.short(start, "start", QuestionLimits.valueBytes))
        } else if let end = reader.text("end") {
            anchor = .end(try reader.short(end, "end", QuestionLimits.valueBytes))
        }
        let (from, to) = try reader.range(now: now, zones)
        self.init(
            of: try reader.choice("of", Kind.self) ?? .screens,
            anchor: anchor,
            steps: try reader.number("steps", in: 2...QuestionLimits.steps) ?? 5,
            top: try reader.number("top", in: 1...QuestionLimits.pathNames) ?? 8,
            from: from,
            to: to,
            installation: try reader.filter(conditions: []).installation
        )
    }
}

/// The answer to a ``PathQuestion``.
public struct Paths: Sendable, Hashable {
    /// A name at one step.
    public struct Name: Sendable, Hashable {
        /// The screen's or the event's.
        public var name: String
        /// How many sessions meet it there.
        public var sessions: Int64

        /// A name.
        public init(_ name: String, sessions: Int64) {
            self.name = name
            self.sessions = sessions
        }
    }

    /// What is met at one step.
    public struct Step: Sendable, Hashable {
        /// The names met most often.
        public var names: [Name]
        /// Sessions with any other name.
        public var other: Int64
        /// Sessions whose path ends here, before the last step that is told.
        public var ended: Int64

        /// A step.
        public init(names: [Name], other: Int64, ended: Int64) {
            self.names = names
            self.other = other
            self.ended = ended
        }
    }

    /// Sessions that go from a name of one step to a name of the next; nil stands for all others of the step.
    public struct Link: Sendable, Hashable {
        /// The step it goes out from, counted from 0.
        public var step: Int
        /// The name there.
        public var from: String?
        /// The name at the next step.
        public var to: String?
        /// How many sessions.
        public var sessions: Int64

        /// A link.
        public init(step: Int, from: String?, to: String?, sessions: Int64) {
            self.step = step
            self.from = from
            self.to = to
            self.sessions = sessions
        }
    }

    /// The steps; fewer than asked for when no path is so long.
    public var steps: [Step]
    /// The links, step by step, the one with most sessions first.
    public var links: [Link]
    /// How many sessions have a path.
    public var sessions: Int64
    /// How many screens or events were looked at.
    public var events: Int

    /// An answer.
    public init(steps: [Step], links: [Link], sessions: Int64, events: Int) {
        self.steps = steps
        self.links = links
        self.sessions = sessions
        self.events = events
    }

    /// Writes the answer with the question's anchor.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    public func write(for question: PathQuestion, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("of", question.kind.rawValue)
        switch question.anchor {
        case .beginning: break
        case .start(let name): writer.member("start", name)
        case .end(let name): writer.member("end", name)
        }
        writer.member("from", question.from.milliseconds)
        writer.member("to", question.to.milliseconds)
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
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}
