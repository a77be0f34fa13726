// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// In which intervals people are active: who is new, comes back or stays away, and how often people are there.
package struct ActivityQuestion: Sendable, Hashable {
    /// What counts as being active.
    package var filter: QuestionFilter
    /// The intervals.
    package var time: QuestionTime

    /// A question.
    package init(_ filter: QuestionFilter = QuestionFilter(), in time: QuestionTime) {
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
    package init(
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
package struct Lifecycle: Sendable, Hashable {
    /// The people of one interval. The first three are those who are active in it.
    package struct Counts: Sendable, Hashable {
        /// Active for the first time ever.
        package var new: Int64 = 0
        /// Active in the interval before as well.
        package var returning: Int64 = 0
        /// Not active in the interval before, but earlier.
        package var resurrected: Int64 = 0
        /// Active in the interval before, and not in this one.
        package var dormant: Int64 = 0

        /// Counts.
        package init(new: Int64 = 0, returning: Int64 = 0, resurrected: Int64 = 0, dormant: Int64 = 0) {
            self.new = new
            self.returning = returning
            self.resurrected = resurrected
            self.dormant = dormant
        }
    }

    /// One for each interval.
    package var intervals: [Counts]
    /// How many events were looked at.
    package var events: Int

    /// An answer.
    package init(intervals: [Counts], events: Int) {
        self.intervals = intervals
        self.events = events
    }

    /// Writes the answer with the question's times.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    package func write(for question: ActivityQuestion, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
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
package struct Stickiness: Sendable, Hashable {
    /// How many people were active in exactly one interval, in two, and so on to all of them.
    package var people: [Int64]
    /// How many events were looked at.
    package var events: Int

    /// An answer.
    package init(people: [Int64], events: Int) {
        self.people = people
        self.events = events
    }

    /// Writes the answer with the question's times.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    package func write(for question: ActivityQuestion, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        question.time.writeMembers(to: &writer)
        writer.list("people", people) { $1.integer($0) }
        writer.member("read", Int64(events))
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}
