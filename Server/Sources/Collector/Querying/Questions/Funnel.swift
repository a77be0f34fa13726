// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How many people take steps in their order, and how far they come.
public struct FunnelQuestion: Sendable, Hashable {
    /// The events that count as each step, in their order; from 1 to ``QuestionLimits/steps``.
    public var steps: [QuestionFilter]
    /// The first step lies at or behind this moment…
    public var from: Timestamp
    /// …and before this one. Later steps may lie behind it.
    public var to: Timestamp
    /// How long after the first step the last one may come, in milliseconds.
    public var window: Int64
    /// By what people are divided: the value of the first step's event.
    public var grouping: Question.Grouping?
    /// Who got to this step, counted from 1, and no further, is listed; nil for nobody.
    public var lastStep: Int?

    /// A question.
    public init(
        steps: [QuestionFilter],
        from: Timestamp,
        to: Timestamp,
        window: Int64 = FunnelQuestion.usualWindow,
        grouping: Question.Grouping? = nil,
        lastStep: Int? = nil
    ) {
        self.steps = steps
        self.from = from
        self.to = to
        self.window = window
        self.grouping = grouping
        self.lastStep = lastStep
    }

    /// Seven days.
    public static let usualWindow: Int64 = 7 * 86_400_000
    /// The most people that are listed.
    public static let listedPeople = 100
}

/// The answer to a ``FunnelQuestion``.
public struct Funnel: Sendable, Hashable {
    /// One step of one series.
    public struct Step: Sendable, Hashable {
        /// How many people got here, or further.
        public var people: Int64
        /// The median time from the step before, in milliseconds (the nearest rank); nil for the first, and where nobody came.
        public var median: Int64?
        /// The median time from the first step, in milliseconds; nil for the first, and where nobody came.
        public var medianTotal: Int64?

        /// A step.
        public init(people: Int64, median: Int64? = nil, medianTotal: Int64? = nil) {
            self.people = people
            self.median = median
            self.medianTotal = medianTotal
        }
    }

    /// The people of one group.
    public struct Series: Sendable, Hashable {
        /// Whose first step's event has this value.
        public var group: Trend.Group
        /// One for each step.
        public var steps: [Step]

        /// A series.
        public init(group: Trend.Group, steps: [Step]) {
            self.group = group
            self.steps = steps
        }
    }

    /// Somebody who got so far and no further.
    public struct Person: Sendable, Hashable {
        /// The user; nil for a visitor who did not sign in.
        public var user: String?
        /// The visitor's installation; nil for a user.
        public var installation: InstallationID?
        /// When the last step was taken.
        public var at: Timestamp

        /// A person.
        public init(user: String?, installation: InstallationID?, at: Timestamp) {
            self.user = user
            self.installation = installation
            self.at = at
        }
    }

    /// The groups with most people first, those of all other values last.
    public var series: [Series]
    /// Who got to the step asked for and no further, the one who came there last first; nil when nobody was asked for.
    public var people: [Person]?
    /// How many events were looked at.
    public var events: Int

    /// An answer.
    public init(series: [Series], people: [Person]? = nil, events: Int) {
        self.series = series
        self.people = people
        self.events = events
    }
}

extension FunnelQuestion {
    private static let known: Set<String> = [
        "step", "where", "user", "installation", "run", "last", "from", "to", "zone", "window", "by", "values", "top",
        "people",
    ]

    /// Reads a question from the parameters of an address: `step` for each step's name, `where` for what holds for every step,
    /// `where.2` for what holds for the second.
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
        let names = reader.all("step")
        try reader.few(names.count, "step", QuestionLimits.steps)
        guard !names.isEmpty else {
            throw QuestionError("step", "A funnel needs steps: give “step” with an event's name once for each.")
        }
        try reader.sees(only: Self.known.union(names.indices.map { "where.\($0 + 1)" }))
        var steps: [QuestionFilter] = []
        for (index, name) in names.enumerated() {
            var step = try reader.filter(conditions: ["where", "where.\(index + 1)"])
            step.names = [try reader.short(name, "step", QuestionLimits.nameBytes)]
            steps.append(step)
        }
        let (from, to) = try reader.range(now: now, zones)
        self.init(
            steps: steps,
            from: from,
            to: to,
            window: try reader.duration("window", upTo: 366 * 86_400_000) ?? Self.usualWindow,
            grouping: try reader.grouping(),
            lastStep: try reader.number("people", in: 1...names.count)
        )
    }
}

extension Funnel {
    /// Writes the answer with the question's times and steps.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    public func write(for question: FunnelQuestion, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("from", question.from.milliseconds)
        writer.member("to", question.to.milliseconds)
        writer.member("window", question.window)
        writer.list("steps", question.steps) { step, writer in writer.string(step.names.first ?? "") }
        writer.list("series", series) { series, writer in
            writer.beginObject()
            series.group.writeMembers(to: &writer)
            writer.list("steps", series.steps) { $0.write(to: &$1) }
            writer.endObject()
        }
        if let people {
            writer.list("people", people) { person, writer in
                writer.beginObject()
                writer.member("user", person.user)
                writer.member("installation", person.installation?.description)
                writer.member("at", person.at.milliseconds)
                writer.endObject()
            }
        }
        writer.member("read", Int64(events))
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}

extension Funnel.Step {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("people", people)
        if let median { writer.member("median", median) }
        if let medianTotal { writer.member("median_total", medianTotal) }
        writer.endObject()
    }
}
