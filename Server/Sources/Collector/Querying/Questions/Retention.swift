// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How many people come back after something happened for the first time.
public struct RetentionQuestion: Sendable, Hashable {
    /// To which cohorts a person belongs.
    public enum Cohort: String, Sendable, Hashable, CaseIterable {
        /// To that of the first such event ever, however long before the time that was: then to none.
        case first
        /// To that of every interval with such an event.
        case each
    }

    /// What brings a person into a cohort.
    public var first: QuestionFilter
    /// What counts as coming back.
    public var returning: QuestionFilter
    /// The cohorts' intervals, which are also those in which people come back; at most ``QuestionLimits/cohorts``.
    public var time: QuestionTime
    /// To which cohorts a person belongs.
    public var cohort: Cohort

    /// A question.
    public init(
        first: QuestionFilter = QuestionFilter(),
        returning: QuestionFilter = QuestionFilter(),
        in time: QuestionTime,
        cohort: Cohort = .first
    ) {
        self.first = first
        self.returning = returning
        self.time = time
        self.cohort = cohort
    }
}

/// The answer to a ``RetentionQuestion``.
public struct Retention: Sendable, Hashable {
    /// The people of one interval.
    public struct Cohort: Sendable, Hashable {
        /// How many there are.
        public var people: Int64
        /// How many came back in the same interval, later than the event that brought them into the cohort, and in each interval
        /// behind it until the time ends.
        public var returned: [Int64]

        /// A cohort.
        public init(people: Int64, returned: [Int64]) {
            self.people = people
            self.returned = returned
        }
    }

    /// One for each interval.
    public var cohorts: [Cohort]
    /// How many events were looked at.
    public var events: Int

    /// An answer.
    public init(cohorts: [Cohort], events: Int) {
        self.cohorts = cohorts
        self.events = events
    }
}

extension RetentionQuestion {
    private static let known: Set<String> = [
        "first", "return", "where", "where.first", "where.return", "user", "installation", "run", "last", "from", "to",
        "zone", "interval", "cohort",
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
            first: try reader.filter(names: "first", conditions: ["where", "where.first"]),
            returning: try reader.filter(names: "return", conditions: ["where", "where.return"]),
            in: try reader.time(now: now, zones, atMost: QuestionLimits.cohorts),
            cohort: try reader.choice("cohort", Cohort.self) ?? .first
        )
    }
}

extension Retention {
    /// Writes the answer with the question's times.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    public func write(for question: RetentionQuestion, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        question.time.writeMembers(to: &writer)
        writer.list("cohorts", cohorts) { cohort, writer in
            writer.beginObject()
            writer.member("people", cohort.people)
            writer.list("returned", cohort.returned) { $1.integer($0) }
            writer.endObject()
        }
        writer.member("read", Int64(events))
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}
