// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension Question {
    /// The parameters that a question takes.
    private static let known: Set<String> = [
        "name", "where", "user", "installation", "from", "to", "zone", "interval", "measure", "by", "top", "compare",
    ]
    /// How far back a question goes that does not say from when.
    private static let usualLength = Duration.seconds(30 * 86_400)

    /// Reads a question from the parameters of an address. `name` and `where` may be given several times; of any other the last
    /// counts. What is empty counts as absent.
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
        if let other = reader.names.first(where: { !Self.known.contains($0) }) {
            throw QuestionError(
                String(other.prefix(64)),
                "“\(other.prefix(64))” is no part of a question; it takes \(Self.known.sorted().joined(separator: ", "))."
            )
        }
        let measure = try reader.measure() ?? .events
        let grouping = try reader.grouping()
        self.init(
            try reader.filter(),
            in: try reader.time(now: now, usualLength: Self.usualLength, zones),
            measure: measure,
            grouping: grouping
        )
    }
}

/// The parameters of a question, one by one.
private struct QuestionParameters {
    private let values: [String: [String]]
    let names: [String]

    init(_ parameters: [(name: String, value: String)]) {
        values = Dictionary(grouping: parameters.filter { !$0.value.isEmpty }, by: \.name)
            .mapValues { $0.map(\.value) }
        names = parameters.map(\.name)
    }

    func filter() throws(QuestionError) -> QuestionFilter {
        var filter = QuestionFilter()
        for name in values["name"] ?? [] where !filter.names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            filter.names.append(try short(name, "name", QuestionLimits.nameBytes))
        }
        try few(filter.names.count, "name", QuestionLimits.names)
        let conditions = values["where"] ?? []
        try few(conditions.count, "where", QuestionLimits.conditions)
        for condition in conditions { filter.conditions.append(try QuestionCondition(condition, parameter: "where")) }
        if let user = text("user") { filter.user = try short(user, "user", QuestionLimits.valueBytes) }
        if let text = text("installation") {
            guard let id = InstallationID(text) else {
                throw QuestionError("installation", "“\(text.prefix(64))” is not an installation's id.")
            }
            filter.installation = id
        }
        return filter
    }

    func time(
        now: Timestamp,
        usualLength: Duration,
        _ zones: ZoneDirectory
    ) throws(QuestionError) -> QuestionTime {
        let interval = try choice("interval", QuestionInterval.self) ?? .day
        let to = try moment("to") ?? now
        let from = try moment("from") ?? to.advanced(by: .zero - usualLength)
        for (name, moment) in [("to", to), ("from", from)] where !Self.expected.contains(moment) {
            throw QuestionError(name, "\(moment.milliseconds) ms is not between the years 1900 and 2200.")
        }
        guard from < to else {
            throw QuestionError(
                text("to") == nil ? "from" : "to",
                "The time from \(from) to \(to) is none: “to”, or now without it, has to be later than “from”."
            )
        }
        let isCompared = try compares()
        let many = QuestionError(
            "interval",
            "From \(from) to \(to) there are more than \(QuestionLimits.intervals) times “\(interval.rawValue)”: choose a "
                + "longer interval, or a shorter time."
        )
        guard from.duration(to: to) <= .milliseconds(interval.longest * Int64(QuestionLimits.intervals)) else {
            throw many
        }
        let name = text("zone") ?? "UTC"
        // The period before is as long, and a zone's clocks are at most a day apart from others.
        let start = from.advanced(by: to.duration(to: from)).advanced(by: .seconds(-40 * 86_400))
        let range = start..<to.advanced(by: .seconds(2 * 86_400))
        guard let zone = name.utf8.count <= 64 ? zones(name, range) : nil else {
            throw QuestionError(
                "zone",
                "“\(name.prefix(64))” is not the name of a time zone, such as Europe/Berlin or UTC."
            )
        }
        guard let time = QuestionTime(from: from, to: to, interval: interval, in: zone, comparing: isCompared) else {
            throw many
        }
        return time
    }

    func measure() throws(QuestionError) -> Question.Measure? {
        guard let text = text("measure") else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts[0], parts.count) {
        case ("events", 1): return .events
        case ("users", 1): return .users
        case ("installations", 1): return .installations
        case ("sum", 2): return .sum(try field(parts[1], "measure"))
        case ("average", 2): return .average(try field(parts[1], "measure"))
        case ("p95", 2): return .p95(try field(parts[1], "measure"))
        default:
            throw QuestionError(
                "measure",
                "“\(text.prefix(64))” is none of events, users, installations, sum:total, average:total and p95:total."
            )
        }
    }

    func grouping() throws(QuestionError) -> Question.Grouping? {
        let top = try number("top", in: 1...QuestionLimits.groups)
        guard let by = text("by") else {
            guard top == nil else {
                throw QuestionError("top", "“top” says how many groups; name an attribute with “by”.")
            }
            return nil
        }
        return Question.Grouping(by: try field(by[...], "by"), top: top ?? QuestionLimits.groups)
    }

    private func compares() throws(QuestionError) -> Bool {
        guard let text = text("compare") else { return false }
        guard text == "before" else {
            throw QuestionError("compare", "“\(text.prefix(64))” is not “before”, the period before.")
        }
        return true
    }

    /// The years whose calendars are known and used.
    private static let expected =
        Timestamp(milliseconds: -2_208_988_800_000)..<Timestamp(milliseconds: 7_258_118_400_000)

    private func text(_ name: String) -> String? { values[name]?.last }

    private func field(_ text: Substring, _ name: String) throws(QuestionError) -> QuestionField {
        try QuestionField(String(text), parameter: name)
    }

    private func moment(_ name: String) throws(QuestionError) -> Timestamp? {
        guard let text = text(name) else { return nil }
        guard let moment = Int64(text).map(Timestamp.init(milliseconds:)) ?? Timestamp(iso8601: text) else {
            throw QuestionError(
                name,
                "“\(text.prefix(64))” is neither Unix milliseconds nor like 2026-11-21T06:38:00.000Z."
            )
        }
        return moment
    }

    private func number(_ name: String, in bounds: ClosedRange<Int>) throws(QuestionError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text) else { throw QuestionError(name, "“\(text.prefix(64))” is not a whole number.") }
        guard bounds.contains(number) else {
            throw QuestionError(name, "\(number) is not between \(bounds.lowerBound) and \(bounds.upperBound).")
        }
        return number
    }

    private func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String,
        _ type: Choice.Type
    ) throws(QuestionError) -> Choice? {
        guard let text = text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = type.allCases.map(\.rawValue).joined(separator: ", ")
            throw QuestionError(name, "“\(text.prefix(64))” is none of \(choices).")
        }
        return choice
    }

    private func short(_ text: String, _ name: String, _ limit: Int) throws(QuestionError) -> String {
        guard text.utf8.count <= limit else {
            throw QuestionError(
                name,
                "“\(text.prefix(64))…” has \(text.utf8.count) bytes; at most \(limit) are allowed."
            )
        }
        return text
    }

    private func few(_ count: Int, _ name: String, _ limit: Int) throws(QuestionError) {
        guard count <= limit else {
            throw QuestionError(name, "“\(name)” is given \(count) times; at most \(limit) are allowed.")
        }
    }
}
