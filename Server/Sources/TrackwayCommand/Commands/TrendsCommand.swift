// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import Collector
internal import Foundation
internal import TrackwayEvents

/// Shows how much happened when.
struct TrendsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trends",
        abstract: "See how much happened when.",
        discussion: """
            Counts events of the names given (of all when none is) from minute to minute
            or month to month. Conditions are attribute=value with =, ≠ (or !=), <, ≤
            (<=), > and ≥ (>=); coupon=* holds for any value, zip:=0815 compares text,
            and context.app.version=2.1 looks into the context. All that are given must
            hold.

            EXAMPLES
              # How many a day, the last 30 days.
              trackway trends purchase
              # How many people bought something each week.
              trackway trends purchase --measure users --interval week
              trackway trends purchase --measure sum:total --by currency --compare
              trackway trends --where 'total>=100' --last 12h --interval hour
              trackway trends purchase --from 2026-11-01 --to 2026-12-01 \\
                --zone Europe/Berlin --csv
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The names of the events.")
    var names: [String] = []

    @Option(name: .customLong("where"), parsing: .singleValue, help: "Only events for which this holds.")
    var conditions: [String] = []

    @Option(help: "Only events of this user.")
    var user: String?

    @Option(help: "Only events of this installation.")
    var installation: String?

    @Option(help: "Divide by the values of an attribute, or of a member of the context (context.app.version).")
    var by: String?

    @Flag(help: "Group values with the same text, such as 1 and \"1\"; for --by.")
    var valuesAsTexts = false

    @Option(help: "How many values are told apart, 1 to 25; the rest is one group. Default: 10.")
    var top: Int?

    @Option(help: "events, users, installations, sum:total, average:total or p95:total.")
    var measure = "events"

    @Flag(help: "Read texts such as \"12.50\" as numbers; for sum, average and p95.")
    var textsAsNumbers = false

    @Option(help: "minute, hour, day, week, month, quarter or year.")
    var interval = QuestionInterval.day

    @OptionGroup var question: QuestionOptions

    @Flag(help: "Compare with the period before.")
    var compare = false

    /// Sees that the options fit together.
    func validate() throws {
        guard top == nil || by != nil else { throw ValidationError("--top is for --by") }
        guard !valuesAsTexts || by != nil else { throw ValidationError("--values-as-texts is for --by") }
        guard !textsAsNumbers || measure.contains(":") else {
            throw ValidationError("--texts-as-numbers is for a --measure of an attribute, such as sum:total")
        }
    }

    /// Asks and prints.
    func run() async throws {
        let query = try query(now: SystemClock().now().wall)
        let answer = try await CollectorClient(try collector.address()).get("/v1/trends", query: query)
        if question.json { return Console.standard.write(json: answer) }
        let trend = CollectorTrend(answer)
        if question.csv { return Console.standard.write(csv: trend.csv) }
        let text = TrendText(style: Console.standard.style, zone: TimeZone(identifier: trend.zone) ?? .gmt)
        Console.standard.write(text.lines(trend, of: names, measure: measure))
    }

    /// The question as the collector understands it.
    ///
    /// - Parameter now: the moment that `--last` counts back from, and the end if none is given.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query = names.map { (name: "name", value: $0) } + conditions.map { (name: "where", value: $0) }
        for (name, value) in [
            ("user", user), ("installation", installation), ("by", by),
            ("values", valuesAsTexts ? "texts" : nil), ("top", top.map(String.init)),
        ] {
            if let value { query.append((name, value)) }
        }
        query += [("measure", measure), ("interval", interval.rawValue), ("zone", question.zoneName)]
        query += try question.range(now: now)
        if textsAsNumbers { query.append(("texts", "numbers")) }
        if compare { query.append(("compare", "before")) }
        return query
    }
}

extension QuestionInterval: ExpressibleByArgument {}
