// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// In which intervals people are active: who is new, comes back or stays away, and how often people are there.
public struct ActivityQuestion: Sendable, Hashable {
    /// What counts as being active.
    public var filter: QuestionFilter
    /// The intervals.
    public var time: QuestionTime

    /// A question.
    public init(_ filter: QuestionFilter = QuestionFilter(), in time: QuestionTime) {
        self.filter = filter
        self.time = time
    }

    private static let known: Set<String> = [
        "name", "where", "user", "installation", "run", "last", "from", "to", "zone", "interval",
    ]

    /// Reads a question from the parameters of an address.
    ///
    /// - Parameters:
    ///   - parameters: names and values, unescaped.
    ///   - now: the end of a question that does not say until when.
    ///   - zones: knows the time zones.
    /// - Throws: ``QuestionError`` with the parameter, its value, and what helps.
    public init(
        parameters: [(name: String, value: String)],
        now: Timestamp,
        zones: ZoneDirectory
    ) throws(QuestionError) {
        let reader = QuestionParameters(parameters)
        try reader.sees(only: Self.known)
        self.init(
            try reader.filter(names: "name", conditions: ["where"]),
            in: try reader.time(now: now, zones, atMost: QuestionLimits.intervals)
        )
    }
}

/// How many people are new, come back or stay away, interval by interval.
public struct Lifecycle: Sendable, Hashable {
    /// The people of one interval. The first three are those who are active in it.
    public struct Counts: Sendable, Hashable {
        /// Active for the first time ever.
        public var new: Int64 = 0
        /// Active in the interval before as well.
        public var returning: Int64 = 0
        /// Not active in the interval before, but earlier.
        public var resurrected: Int64 = 0
        /// Active in the interval before, and not in this one.
        public var dormant: Int64 = 0

        /// Counts.
        public init(new: Int64 = 0, returning: Int64 = 0, resurrected: Int64 = 0, dormant: Int64 = 0) {
            self.new = new
            self.returning = returning
            self.resurrected = resurrected
            self.dormant = dormant
        }
    }

    /// One for each interval.
    public var intervals: [Counts]
    /// How many events were looked at.
    public var events: Int

    /// An answer.
    public init(intervals: [Counts], events: Int) {
        self.intervals = intervals
        self.events = events
    }

    /// Writes the answer with the question's times.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    public func write(for question: ActivityQuestion, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        question.time.writeMembers(to: &writer)
        writer.list("new", intervals) { $1.integer($0.new) }
        writer.list("returning", intervals) { $1.integer($0.returning) }
        writer.list("resurrected", intervals) { $1.integer($0.resurrected) }
        writer.list("dormant", intervals) { $1.integer($0.dormant) }
        writer.member("read", Int64(events))
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}

/// In how many intervals people are active.
public struct Stickiness: Sendable, Hashable {
    /// How many people were active in exactly one interval, in two, and so on to all of them.
    public var people: [Int64]
    /// How many events were looked at.
    public var events: Int

    /// An answer.
    public init(people: [Int64], events: Int) {
        self.people = people
        self.events = events
    }

    /// Writes the answer with the question's times.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    public func write(for question: ActivityQuestion, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        question.time.writeMembers(to: &writer)
        writer.list("people", people) { $1.integer($0) }
        writer.member("read", Int64(events))
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}
