// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Checks a tracking plan, or checks a collector's events against a plan.
struct PlanCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a tracking plan, or a collector's events against it.",
        discussion: """
            Without --against: reports all mistakes in the file at once, each with its
            location, its value, and a suggestion. With --against: also reports received
            events that are not planned, planned events that were never received, and
            violations. If the collector uses this plan, the counts cover all events
            since it took effect, or those of the last --last days; otherwise they cover
            the latest events of each name (--sample).

            EXIT STATUS
              0   the plan is valid; with --against: all events conform to it
              1   with --against: some events violate the plan
              65  the plan has mistakes
              66  the file does not exist
            """
    )

    @Argument(help: "Plan file.")
    var file: String

    @Option(help: "Address of a collector.")
    var against: String?

    @Option(help: "The collector's key. Default: TRACKWAY_KEY, or none.")
    var key: String?

    @Option(help: "Number of days, including today, such as 7d. Default: all.")
    var last: String?

    @Option(
        help:
            "Number of latest events to check per name if the collector does not use this plan."
    )
    var sample = 500

    @Flag(help: "Print one JSON value.")
    var json = false

    /// Checks the option values.
    func validate() throws {
        guard against != nil || (key == nil && last == nil) else {
            throw ValidationError("--key and --last require --against")
        }
        guard (1...1_000).contains(sample) else { throw ValidationError("--sample takes 1 to 1000") }
        if let last {
            guard last.last == "d", let days = Int(last.dropLast()), (1...3_660).contains(days) else {
                throw ValidationError("“\(last)” is not a number of days such as 7d")
            }
        }
    }

    /// Checks the plan and prints the result.
    func run() async throws {
        let reading = try PlanFile.read(file)
        let text = PlanText(style: Console.standard.style, zone: .current)
        guard let plan = reading.plan else {
            if json {
                Console.standard.write(json: Self.json(reading, file, against: nil))
            } else {
                Console.standard.write(PlanText.faults(reading, of: file))
            }
            throw ExitCode(CommandStatus.malformedInput.rawValue)
        }
        guard let against else {
            if json { return Console.standard.write(json: Self.json(reading, file, against: nil)) }
            return Console.standard.write(text.validationSummary(reading, plan, file))
        }
        let client = CollectorClient(try PlanAddress.address(against, key))
        let comparison = try await compare(PlanChecker(plan), client)
        if json {
            Console.standard.write(json: Self.json(reading, file, against: comparison))
        } else {
            Console.standard.write(text.validationSummary(reading, plan, file) + text.comparison(comparison))
        }
        if !comparison.isClean { throw ExitCode(CommandStatus.negative.rawValue) }
    }

    /// Returns, as JSON, the results of the check and of the comparison with a collector.
    static func json(_ reading: PlanParseResult, _ file: String, against comparison: PlanComparison?) -> JSONValue {
        .members(
            ("file", .string(file)),
            ("digest", reading.plan.map { .string($0.digest) } ?? .null),
            ("events", .count(reading.plan?.events.count ?? 0)),
            ("errors", .array(reading.faults.map(\.json))),
            ("remarks", .array(reading.warnings.map(\.json))),
            ("omitted", .count(reading.omitted)),
            ("against", comparison?.json ?? .null)
        )
    }

    /// Compares a collector's events with a plan.
    func compare(_ checker: PlanChecker, _ client: CollectorClient) async throws(CommandFailure)
        -> PlanComparison
    {
        var comparison = PlanComparison(address: client.address.root)
        let state = try await client.get("/v1/plan", query: [("limit", "1")])
        let range = last.map { [(name: "last", value: $0)] } ?? []
        comparison.isCounted = state["counted"]?["digest"]?.string == checker.digest
        if comparison.isCounted {
            try await count(&comparison, client, range)
        } else {
            try await inspectLatestEvents(&comparison, checker, client)
        }
        return comparison
    }

    /// Adds the violations that the collector counted for this plan.
    private func count(
        _ comparison: inout PlanComparison,
        _ client: CollectorClient,
        _ range: [(name: String, value: String)]
    ) async throws(CommandFailure) {
        var after: String?
        repeat {
            var query = range
            query.append(("limit", "500"))
            if let after { query.append(("after", after)) }
            let page = try await client.get("/v1/plan", query: query)
            comparison.others = page["counted"]?["others"]?.integer ?? 0
            for event in page["events"]?.array ?? [] {
                let (name, events) = (event["name"]?.string ?? "", event["events"]?.integer ?? 0)
                if event["planned"]?.boolean == false {
                    comparison.add(unplanned: name, events: events)
                } else if events == 0 {
                    comparison.add(missing: name)
                } else {
                    comparison.checkedEvents += events
                }
            }
            after = page["next"]?.string
        } while after != nil
        let answer = try await client.get("/v1/plan/violations", query: range + [("limit", "1000")])
        for group in answer["violations"]?.array ?? [] where group["code"]?.string != PlanCode.unplanned.rawValue {
            comparison.add(
                PlanComparison.Violation(
                    name: group["name"]?.string ?? "",
                    path: group["path"]?.string ?? "",
                    code: group["code"]?.string ?? "",
                    version: group["version"]?.string ?? "",
                    expected: group["expected"]?.string ?? "",
                    events: group["events"]?.integer ?? 0,
                    sample: group["sample"]?.string ?? ""
                )
            )
        }
    }

    /// Checks the latest events of each planned name locally.
    private func inspectLatestEvents(
        _ comparison: inout PlanComparison,
        _ checker: PlanChecker,
        _ client: CollectorClient
    ) async throws(CommandFailure) {
        let now = SystemClock().now().wall.milliseconds
        let days = last.flatMap { Int64($0.dropLast()) } ?? 0
        // Use UTC days, as the collector does.
        let begin = days == 0 ? Int64.min : (now / QueryInterval.dayLength - days + 1) * QueryInterval.dayLength
        var inspection = PlanInspection(checker)
        var receivedNames: Set<String> = []
        for (name, events, latest) in try await client.catalog() where latest >= begin {
            guard let number = checker.number(of: name) else {
                if checker.plan.unplanned == .count, !PlanChecker.isCaptured(name) {
                    comparison.add(unplanned: name, events: events)
                }
                continue
            }
            var query = [(name: "name", value: name), (name: "limit", value: String(sample))]
            if days > 0 { query.append(("from", String(begin))) }
            let found = try await client.get("/v1/events", query: query)["events"]?.array ?? []
            if !found.isEmpty { receivedNames.insert(name) }
            comparison.inspect(found, of: name, number: number, by: &inspection)
        }
        for event in checker.plan.events where !receivedNames.contains(event.name) {
            comparison.add(missing: event.name)
        }
    }
}
