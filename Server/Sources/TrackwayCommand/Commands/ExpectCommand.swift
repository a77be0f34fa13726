// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Waits for what a test expects.
struct ExpectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expect",
        abstract: "Wait until expected events have arrived; for tests.",
        discussion: """
            Ends with 0 as soon as at least one event of the name has arrived for which
            all conditions hold, and with 1 when none came within the time: then it
            shows the events that come closest, with what did not hold, and refused
            ones. Conditions are those of `trackway trends`. --count, --at-most and
            --never wait the whole time, because one more may come; with one too many
            they end at once.

            EXAMPLES
              trackway expect purchase --where total=12.5 --within 10s
              # Exactly one, in this run.
              trackway expect purchase --count 1 --run ci-4711
              trackway expect crash --never --within 2s
              POSITION=$(trackway reset); …; trackway expect screen_view --since $POSITION
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The names of the events, one of which they have.")
    var names: [String]

    @Option(name: .customLong("where"), parsing: .singleValue, help: "What must hold. May be given several times.")
    var conditions: [String] = []

    @Option(help: "Exactly so many.")
    var count: Int?

    @Option(help: "So many or more. Default: 1.")
    var atLeast: Int?

    @Option(help: "So many or fewer.")
    var atMost: Int?

    @Flag(help: "None.")
    var never = false

    @Option(help: "How long to wait, such as 500ms, 5s or 2m; 5m at most.")
    var within = "5s"

    @Option(name: .customLong("run"), help: "Only events of this test run: those whose attribute _run says so.")
    var testRun: String?

    @Option(help: "Only events of this user.")
    var user: String?

    @Option(help: "Only events of this installation.")
    var installation: String?

    @Option(help: "Only events from this position on, or `now`. Default: all that are kept.")
    var since: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Reads it as the collector does, so that what makes no sense is said at once.
    func validate() throws {
        do {
            _ = try EventExpectation(parameters: query)
        } catch {
            throw ValidationError("--\(error.field.replacing("_", with: "-")): \(error.message)")
        }
    }

    /// Asks, waits and prints.
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

    /// The expectation as the collector understands it.
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
