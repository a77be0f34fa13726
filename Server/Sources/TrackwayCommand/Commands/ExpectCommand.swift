// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Waits for the events that a test expects.
struct ExpectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expect",
        abstract: "Wait for expected events in a test.",
        discussion: """
            Exits with 0 as soon as at least one event with one of the names meets all
            conditions. Exits with 1 if none arrives in time, and then shows the closest
            events with the conditions that they failed, and rejected events. Conditions
            are those of `trackway trends`. --count, --at-most, and --never wait for the
            whole time, because another event may still arrive; they exit at once when
            there is one event too many.

            EXAMPLES
              # Expect a purchase with this total.
              trackway expect purchase --where total=12.5 --within 10s
              # Expect exactly one purchase in this run.
              trackway expect purchase --count 1 --run ci-4711
              # Expect no crash.
              trackway expect crash --never --within 2s
              # Expect a screen view after a reset.
              POSITION=$(trackway reset)
              trackway expect screen_view --since $POSITION
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Event names; an event must have one of them.")
    var names: [String]

    @Option(name: .customLong("where"), parsing: .singleValue, help: "Condition for events. May be repeated.")
    var conditions: [String] = []

    @Option(help: "Exact number of events.")
    var count: Int?

    @Option(help: "Minimum number of events. Default: 1.")
    var atLeast: Int?

    @Option(help: "Maximum number of events.")
    var atMost: Int?

    @Flag(help: "Expect no event.")
    var never = false

    @Option(help: "Time to wait, such as 500ms, 5s, or 2m; at most 5m.")
    var within = "5s"

    @Option(name: .customLong("run"), help: "Only events of this test run (attribute _run).")
    var testRun: String?

    @Option(help: "Only events of this user.")
    var user: String?

    @Option(help: "Only events of this installation.")
    var installation: String?

    @Option(help: "Position of the first event to consider, or `now`. Default: all stored events.")
    var since: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Parses the expectation as the collector does.
    ///
    /// An invalid expectation is therefore reported before a request is sent.
    func validate() throws {
        do {
            _ = try EventExpectation(parameters: query)
        } catch {
            throw ValidationError("--\(error.field.replacing("_", with: "-")): \(error.message)")
        }
    }

    /// Waits for the events and prints the result.
    func run() async throws {
        let expectation = try EventExpectation(parameters: query)
        let wait = Double(expectation.within / .milliseconds(1)) / 1_000
        let client = CollectorClient(try collector.address())
        let answer = try await client.get("/v1/expect", query: query, timeout: wait + 30)
        let holds = answer["holds"]?.boolean == true
        if json {
            Console.standard.write(json: answer)
        } else {
            let text = ExpectationText(expectation, style: Console.standard.style)
            Console.standard.write(text.lines(answer))
        }
        if !holds { throw ExitCode(CommandStatus.negative.rawValue) }
    }

    /// The expectation as query parameters.
    var query: [(name: String, value: String)] {
        var query = names.map { (name: "name", value: $0) } + conditions.map { (name: "where", value: $0) }
        for (name, value) in [
            ("user", user), ("installation", installation), ("run", testRun), ("count", count.map(String.init)),
            ("at_least", atLeast.map(String.init)), ("at_most", atMost.map(String.init)), ("within", within),
            ("since", since),
        ] {
            if let value { query.append((name, value)) }
        }
        if never { query.append(("never", "1")) }
        return query
    }
}
