// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

extension Question {
    private static let known: Set<String> = [
        "name", "where", "user", "installation", "run", "last", "from", "to", "zone", "interval", "measure", "by",
        "values", "top", "compare", "texts",
    ]

    /// Reads a question from the parameters of an address. `name` and `where` may be given several times; of any other the last
    /// counts. What is empty counts as absent.
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
        let measure = try reader.measure() ?? .events
        let grouping = try reader.grouping()
        self.init(
            try reader.filter(names: "name", conditions: ["where"]),
            in: try reader.time(now: now, zones, atMost: QuestionLimits.intervals),
            measure: measure,
            grouping: grouping,
            readsTextsAsNumbers: try reader.readsTextsAsNumbers(measure)
        )
    }
}

/// The parameters of a question, one by one.
struct QuestionParameters {
    /// How far back a question goes that does not say from when.
    private static let usualLength = Duration.seconds(30 * 86_400)

    private let values: [String: [String]]
    private let names: [String]

    /// Parameters as they stand in an address, unescaped. What is empty counts as absent.
    init(_ parameters: [(name: String, value: String)]) {
        values = Dictionary(grouping: parameters.filter { !$0.value.isEmpty }, by: \.name)
            .mapValues { $0.map(\.value) }
        names = parameters.map(\.name)
    }

    /// Sees that there are no others: a question with a typing mistake must not get the answer to another one.
    func sees(only known: Set<String>) throws(QuestionError) {
        guard let other = names.first(where: { !known.contains($0) }) else { return }
        throw QuestionError(
            String(other.prefix(64)),
            "“\(other.prefix(64))” is no part of a question; it takes \(known.sorted().joined(separator: ", "))."
        )
    }

    /// Every value of a parameter.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// Which events.
    ///
    /// - Parameters:
    ///   - names: the parameter with their names; nil for none.
    ///   - conditions: the parameters with what must hold of them.
    func filter(names parameter: String? = nil, conditions: [String]) throws(QuestionError) -> QuestionFilter {
        var filter = QuestionFilter()
        if let parameter {
            for name in all(parameter) where !filter.names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                filter.names.append(try short(name, parameter, QuestionLimits.nameBytes))
            }
            try few(filter.names.count, parameter, QuestionLimits.names)
        }
        for parameter in conditions { filter.conditions += try self.conditions(parameter) }
        if let user = text("user") { filter.user = try short(user, "user", QuestionLimits.valueBytes) }
        if let text = text("installation") {
            guard let id = InstallationID(text) else {
                throw QuestionError("installation", "“\(text.prefix(64))” is not an installation's id.")
            }
            filter.installation = id
        }
        if let run = text("run") { filter.conditions.append(try RunTag.condition(run)) }
        return filter
    }

    /// What must hold, as a parameter tells it.
    func conditions(_ parameter: String) throws(QuestionError) -> [QuestionCondition] {
        let texts = all(parameter)
        try few(texts.count, parameter, QuestionLimits.conditions)
        var conditions: [QuestionCondition] = []
        for text in texts { conditions.append(try QuestionCondition(text, parameter: parameter)) }
        return conditions
    }

    /// From when and until when; the last thirty days without them.
    ///
    /// - Parameter zones: knows the zone in which the days of `last` begin.
    func range(now: Timestamp, _ zones: ZoneDirectory) throws(QuestionError) -> (from: Timestamp, to: Timestamp) {
        if let last = try last(now: now, zones) { return last }
        let to = try moment("to") ?? now
        let from = try moment("from") ?? to.advanced(by: .zero - Self.usualLength)
        for (name, moment) in [("to", to), ("from", from)] where !Self.expected.contains(moment) {
            throw QuestionError(name, "\(moment.milliseconds) ms is not between the years 1900 and 2200.")
        }
        guard from < to else {
            throw QuestionError(
                text("to") == nil ? "from" : "to",
                "The time from \(from) to \(to) is none: “to”, or now without it, has to be later than “from”."
            )
        }
        return (from, to)
    }

    /// The intervals.
    ///
    /// - Parameter limit: how many there may be.
    func time(
        now: Timestamp,
        _ zones: ZoneDirectory,
        atMost limit: Int
    ) throws(QuestionError) -> QuestionTime {
        let interval = try choice("interval", QuestionInterval.self) ?? .day
        let (from, to) = try range(now: now, zones)
        let isCompared = try compares()
        let many = QuestionError(
            "interval",
            "From \(from) to \(to) there are more than \(limit) times “\(interval.rawValue)”: choose a "
                + "longer interval, or a shorter time."
        )
        guard from.duration(to: to) <= .milliseconds(interval.longest * Int64(limit)) else { throw many }
        // The period before is as long, and a zone's clocks are at most a day apart from others.
        let start = from.advanced(by: to.duration(to: from)).advanced(by: .seconds(-40 * 86_400))
        let zone = try zone(zones, over: start..<to.advanced(by: .seconds(2 * 86_400)))
        guard let time = QuestionTime(from: from, to: to, interval: interval, in: zone, comparing: isCompared),
            time.count <= limit
        else { throw many }
        return time
    }

    /// A length of time such as `30m`, `12h` or `7d`, in milliseconds; nil when absent.
    func duration(_ name: String, upTo longest: Int64) throws(QuestionError) -> Int64? {
        guard let text = text(name) else { return nil }
        let units: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count > 0 else {
            throw QuestionError(name, "“\(text.prefix(64))” is not a length of time: write 30s, 15m, 12h or 7d.")
        }
        let (length, overflows) = count.multipliedReportingOverflow(by: unit)
        guard !overflows, length <= longest else {
            throw QuestionError(name, "“\(text.prefix(64))” is longer than \(longest / 86_400_000) days.")
        }
        return length
    }

    /// What is counted; nil when absent.
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

    /// By what is divided; nil for not at all.
    func grouping() throws(QuestionError) -> Question.Grouping? {
        let top = try number("top", in: 1...QuestionLimits.groups)
        let readsValuesAsTexts = try readsValuesAsTexts()
        guard let by = text("by") else {
            guard top == nil else {
                throw QuestionError("top", "“top” says how many groups; name an attribute with “by”.")
            }
            guard !readsValuesAsTexts else {
                throw QuestionError("values", "“values” belongs to groups; name an attribute with “by”.")
            }
            return nil
        }
        return Question.Grouping(
            by: try field(by[...], "by"),
            top: top ?? QuestionLimits.usualGroups,
            readsValuesAsTexts: readsValuesAsTexts
        )
    }

    private func readsValuesAsTexts() throws(QuestionError) -> Bool {
        guard let text = text("values") else { return false }
        guard text == "texts" else {
            throw QuestionError(
                "values",
                "“\(text.prefix(64))” is not “texts”, which puts values such as 1 and \"1\" into one group."
            )
        }
        return true
    }

    /// Whether texts count as the numbers they spell. Only a measure of a field reads values.
    func readsTextsAsNumbers(_ measure: Question.Measure) throws(QuestionError) -> Bool {
        guard let text = text("texts") else { return false }
        guard text == "numbers" else {
            throw QuestionError(
                "texts",
                "“\(text.prefix(64))” is not “numbers”, which counts texts such as \"12.50\" as numbers."
            )
        }
        guard measure.field != nil else {
            throw QuestionError("texts", "“texts” belongs to a measure of an attribute, such as measure=sum:total.")
        }
        return true
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

    /// The last value of a parameter; nil when absent.
    func text(_ name: String) -> String? { values[name]?.last }

    private func field(_ text: Substring, _ name: String) throws(QuestionError) -> QuestionField {
        try QuestionField(String(text), parameter: name)
    }

    /// A moment, as Unix milliseconds or as text; nil when absent.
    func moment(_ name: String) throws(QuestionError) -> Timestamp? {
        guard let text = text(name) else { return nil }
        guard let moment = Int64(text).map(Timestamp.init(milliseconds:)) ?? Timestamp(iso8601: text) else {
            throw QuestionError(
                name,
                "“\(text.prefix(64))” is neither Unix milliseconds nor like 2026-11-21T06:38:00.000Z."
            )
        }
        return moment
    }

    /// A whole number; nil when absent.
    func number(_ name: String, in bounds: ClosedRange<Int>) throws(QuestionError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text) else { throw QuestionError(name, "“\(text.prefix(64))” is not a whole number.") }
        guard bounds.contains(number) else {
            throw QuestionError(name, "\(number) is not between \(bounds.lowerBound) and \(bounds.upperBound).")
        }
        return number
    }

    /// One of a few words; nil when absent.
    func choice<Choice: CaseIterable & RawRepresentable<String>>(
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

    /// A text, if it is not too long.
    func short(_ text: String, _ name: String, _ limit: Int) throws(QuestionError) -> String {
        guard text.utf8.count <= limit else {
            throw QuestionError(
                name,
                "“\(text.prefix(64))…” has \(text.utf8.count) bytes; at most \(limit) are allowed."
            )
        }
        return text
    }

    /// Sees that a parameter is not given too often.
    func few(_ count: Int, _ name: String, _ limit: Int) throws(QuestionError) {
        guard count <= limit else {
            throw QuestionError(name, "“\(name)” is given \(count) times; at most \(limit) are allowed.")
        }
    }
}
