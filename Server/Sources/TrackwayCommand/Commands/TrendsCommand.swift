// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Shows events over time.
struct TrendsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trends",
        abstract: "Show the number of events over time.",
        discussion: """
            Counts events with the given names (all by default) per interval, from
            minutes to years. Conditions are attribute=value with =, ≠ (or !=), <, ≤
            (<=), > and ≥ (>=); coupon=* matches any value, plan=[pro,team] any of
            several, note~gift and note!~gift test for a part of a text, zip:=0815
            compares text, and context.app.version=2.1 tests a member of the context.
            All --where must hold; within one, “or” joins alternatives.

            With --people, lists the people behind one point: an interval (a date or
            time in it, or its number from 0), or total; with --by, of one --group.

            EXAMPLES
              # Count purchases per day in the last 30 days.
              trackway trends purchase
              # Count the users who bought something each week.
              trackway trends purchase --measure users --interval week
              # Compare revenue by currency with the previous period.
              trackway trends purchase --measure sum:total --by currency --compare
              # Count large orders per hour.
              trackway trends --where 'total>=100' --last 12h --interval hour
              # Count purchases with either of two payment methods, or with a coupon.
              trackway trends purchase --where 'payment=[card,cash] or coupon=*'
              # Save the people who bought something that day.
              trackway trends purchase --people 2026-11-21 --csv >buyers.csv
              # Print a month as CSV.
              trackway trends purchase --from 2026-11-01 --to 2026-12-01 \\
                --zone Europe/Berlin --csv
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Event names. Default: all.")
    var names: [String] = []

    @Option(name: .customLong("where"), parsing: .singleValue, help: "Condition for events. May be repeated.")
    var conditions: [String] = []

    @Option(help: "Only events of this user.")
    var user: String?

    @Option(help: "Only events of this installation.")
    var installation: String?

    @Option(
        parsing: .singleValue,
        help: "Attribute, context.app.version, or person.plan, to group by. May occur up to three times."
    )
    var by: [String] = []

    @Option(help: "With --by: limits between groups of numbers of the first attribute, such as 10,50,100.")
    var buckets: String?

    @Flag(help: "With --by: group values that have the same text, such as 1 and \"1\".")
    var valuesAsTexts = false

    @Option(help: "Number of groups, 1 to 100; all other values form one more group. Default: 10.")
    var top: Int?

    @Option(help: "Measure: events, users, installations, groups:company, sum:total, average:total, or p95:total.")
    var measure = "events"

    @Flag(help: "With sum, average, and p95: convert text such as \"12.50\" to numbers.")
    var textsAsNumbers = false

    @Option(help: "Interval: minute, hour, day, week, month, quarter, or year.")
    var interval = QueryInterval.day

    @OptionGroup var question: QueryOptions

    @Flag(help: "Compare with the previous period.")
    var compare = false

    @OptionGroup var list: PeopleOptions

    @Option(help: "With --people and --by: value of the group, or other.")
    var group: String?

    /// Checks the combination of options.
    func validate() throws {
        guard top == nil || !by.isEmpty else { throw ValidationError("--top requires --by") }
        guard buckets == nil || !by.isEmpty else { throw ValidationError("--buckets requires --by") }
        guard !valuesAsTexts || !by.isEmpty else { throw ValidationError("--values-as-texts requires --by") }
        guard group == nil || (!by.isEmpty && list.people != nil) else {
            throw ValidationError("--group requires --people and --by")
        }
        guard !textsAsNumbers || (measure.contains(":") && !measure.hasPrefix("groups:")) else {
            throw ValidationError("--texts-as-numbers requires a --measure of an attribute, such as sum:total")
        }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let query = try query(now: SystemClock().now().wall)
        guard try await !list.list(.trends, query, group: group, question, of: collector) else { return }
        let answer = try await CollectorClient(try collector.address()).get("/v1/trends", query: query)
        if question.json { return Console.standard.write(json: answer) }
        let trend = CollectorTrend(answer)
        if question.csv { return Console.standard.write(csv: trend.csv) }
        let text = TrendText(style: Console.standard.style, zone: TimeZone(identifier: trend.zone) ?? .gmt)
        Console.standard.write(text.lines(trend, of: names, measure: measure))
    }

    /// Returns the query parameters for the collector.
    ///
    /// - Parameter now: The time from which `--last` counts back, and the default end.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query = names.map { (name: "name", value: $0) } + conditions.map { (name: "where", value: $0) }
        for (name, value) in [
            ("user", user), ("installation", installation), ("buckets", buckets),
            ("values", valuesAsTexts ? "texts" : nil), ("top", top.map(String.init)),
        ] {
            if let value { query.append((name, value)) }
        }
        query += by.map { (name: "by", value: $0) }
        query += [("measure", measure), ("interval", interval.rawValue), ("zone", question.zoneName)]
        query += try question.range(now: now)
        if textsAsNumbers { query.append(("texts", "numbers")) }
        if compare { query.append(("compare", "before")) }
        return query
    }
}

extension QueryInterval: ExpressibleByArgument {}
