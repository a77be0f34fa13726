// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// The option that lists the people behind a point of a result.
struct PeopleOptions: ParsableArguments {
    @Option(help: "List the people behind this point of the result instead.")
    var people: String?

    /// The number of people in a table; `--csv` and `--json` print all.
    private static let shown = 100

    /// Queries the collector and prints the people, if the option is set.
    ///
    /// - Parameters:
    ///   - kind: the query that has the point.
    ///   - query: the query's parameters.
    ///   - group: the group of the point, if the query is grouped.
    /// - Returns: Whether the option is set.
    func list(
        _ kind: PointPeopleQuery.Kind,
        _ query: [(name: String, value: String)],
        group: String? = nil,
        _ question: QueryOptions,
        of collector: CollectorOptions
    ) async throws -> Bool {
        guard let people else { return false }
        let client = CollectorClient(try collector.address())
        let isTable = !question.csv && !question.json
        var asked = query + [("point", try Self.point(people, question))]
        if let group { asked.append(("group", group)) }
        asked.append(("limit", String(isTable ? Self.shown : PointPeopleQuery.maximumLimit)))
        var found: [JSONValue] = []
        var after: String?
        var answer: JSONValue
        repeat {
            answer = try await client.get(
                "/v1/\(kind.rawValue)/people",
                query: asked + (after.map { [("after", $0)] } ?? [])
            )
            found += answer["people"]?.array ?? []
            after = answer["next"]?.string
        } while after != nil && !isTable
        if question.json {
            Console.standard.write(json: found)
        } else if question.csv {
            Console.standard.write(csv: Self.csv(found))
        } else {
            let style = Console.standard.style
            Console.standard.write(
                Self.table(answer, DateLabels(style: style, zone: question.timeZone)).lines(style: style)
            )
        }
        answer.noteRetentionLimit()
        return true
    }

    /// Returns the point for the collector.
    ///
    /// An interval may be given as a local date or time within it.
    static func point(_ text: String, _ question: QueryOptions) throws(CommandFailure) -> String {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // An index has no hyphen, and a relative time would depend on the time of the request.
        guard parts[0].dropFirst().contains("-") else { return text }
        let moment = try question.moment(String(parts[0]), now: SystemClock().now().wall)
        return ([String(moment.milliseconds)] + parts.dropFirst().map(String.init)).joined(separator: "/")
    }

    /// Returns a table with a row for each person.
    static func table(_ answer: JSONValue, _ dates: DateLabels) -> ResultTable {
        let people = answer["people"]?.array ?? []
        let total = answer["total"]?.integer ?? Int64(people.count)
        let isGroups = people.contains { $0["group"] != nil }
        let noun = total == 1 ? (isGroups ? "group" : "person") : (isGroups ? "groups" : "people")
        var heading = "\(total.grouped) \(noun)"
        if Int64(people.count) < total { heading += ", latest \(people.count); --csv prints all" }
        if let events = answer["without_person"]?.integer, events > 0 {
            heading += "; \(events.grouped) events without a person"
        }
        var table = ResultTable(heading: heading)
        table.columns = [("who", .left), ("first event", .left), ("last event", .left), ("events", .right)]
        table.nothing = "No one is behind this point."
        for person in people {
            let moments = ["first", "last"].map { name in
                person[name]?.integer.map { dates.moment(Timestamp(milliseconds: $0)) } ?? "–"
            }
            table.rows.append([label(person)] + moments + [(person["events"]?.integer ?? 0).grouped])
        }
        return table
    }

    private static func label(_ person: JSONValue) -> String {
        if let group = person["group"]?.string { return "group " + EventLineFormat.plain(group) }
        return person["user"]?.string.map { "user " + EventLineFormat.plain($0) }
            ?? "installation \(person["installation"]?.string ?? "unknown")"
    }

    /// Returns the people as CSV lines, heading first.
    static func csv(_ people: [JSONValue]) -> [String] {
        ["user,installation,group,first,last,events"]
            + people.map { person in
                let ids = ["user", "installation", "group"].map { UsageReportRow.quoted(person[$0]?.string ?? "") }
                let times = ["first", "last"].map { name in
                    person[name]?.integer.map { Timestamp(milliseconds: $0).iso8601 } ?? ""
                }
                return (ids + times + [String(person["events"]?.integer ?? 0)]).joined(separator: ",")
            }
    }
}
