// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Has refused events looked at again.
struct FailedReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Have refused events looked at again, and those admitted that pass now.",
        discussion: """
            After a rule was changed or a fault mended: what was refused is judged by
            the rules of today. What passes is stored as if it had been admitted at
            once, marked with where it comes from, and gone from the list; an event
            counts once however often this is run. What fails stays, with the reason
            that it fails for now.

            It takes a key that may both write and read: trackway keys create support
            --scope write --scope read

            EXAMPLES
              # See what would pass.
              trackway failed replay --code name_too_long --dry-run
              trackway failed replay --code name_too_long --key tw_…
              trackway failed replay --position 3.88213.7 --key tw_…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only what was refused for this reason.")
    var code: String?

    @Option(help: "Only events of this name, as far as it could be read.")
    var name: String?

    @Option(help: "Only the event, or the batch, at this position.")
    var position: String?

    @Flag(help: "Only say what would become of them.")
    var dryRun = false

    @Flag(help: "Print the sums as JSON.")
    var json = false

    /// Sees that the options fit together.
    func validate() throws {
        if let position {
            guard EventPosition(position) != nil else {
                throw ValidationError(
                    "“\(position)” is not a position such as 3.88213.7, as `trackway failed` shows them"
                )
            }
            guard code == nil, name == nil else { throw ValidationError("choose --position, or --code and --name") }
        }
    }

    /// Asks, page by page, waits until the index has it, and says what became of them.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        var sums = ReplaySums()
        var before: String?
        repeat {
            var query = [(name: "dry_run", value: dryRun ? "1" : "0")]
            for (name, value) in [("code", code), ("name", name), ("position", position), ("before", before)] {
                if let value { query.append((name, value)) }
            }
            let page = try await client.send("POST", "/v1/failed/replay", query: query, timeout: 120)
            sums.add(page)
            before = page["next"]?.string
        } while before != nil
        if let end = sums.position {
            _ = try await client.get("/v1/wait", query: [("position", end), ("timeout", "30")], timeout: 60)
        }
        if json { return Console.standard.write(json: sums.json(isTrial: dryRun)) }
        Console.standard.write(sums.lines(isTrial: dryRun))
    }
}

/// What became of all pages.
struct ReplaySums: Sendable, Hashable {
    /// Events that were admitted.
    var admitted: Int64 = 0
    /// Those that are refused for another reason now.
    var refused: Int64 = 0
    /// Those that are refused for the same reason.
    var unchanged: Int64 = 0
    /// How many could not be looked at again, by reason.
    var lost: [String: Int64] = [:]
    /// Where the log ended when the last was written; nil when nothing was.
    var position: String?

    /// Adds what the collector answered.
    mutating func add(_ page: JSONValue) {
        admitted += page["admitted"]?.integer ?? 0
        refused += page["refused"]?.integer ?? 0
        unchanged += page["unchanged"]?.integer ?? 0
        for loss in page["not_kept"]?.array ?? [] { lost[loss["reason"]?.string ?? "", default: 0] += 1 }
        position = page["position"]?.string ?? position
    }

    /// A line for each sum that is not zero.
    func lines(isTrial: Bool) -> [String] {
        var lines: [String] = []
        if admitted > 0 { lines.append("\(isTrial ? "would be admitted" : "admitted"): \(admitted.grouped)") }
        if refused > 0 { lines.append("refused for another reason now: \(refused.grouped)") }
        if unchanged > 0 { lines.append("refused as before: \(unchanged.grouped)") }
        for (reason, count) in lost.sorted(by: { $0.key < $1.key }) {
            lines.append("not looked at again (\(Self.words[reason] ?? reason)): \(count.grouped)")
        }
        return lines.isEmpty ? ["Nothing that was refused matches."] : lines
    }

    /// The sums as an object.
    func json(isTrial: Bool) -> JSONValue {
        let lost = JSONValue.Object(
            lost.sorted { $0.key < $1.key }.map { JSONValue.Object.Member(key: $0.key, value: .integer($0.value)) }
        )
        return .members(
            ("admitted", .integer(admitted)),
            ("refused", .integer(refused)),
            ("unchanged", .integer(unchanged)),
            ("not_kept", .object(lost)),
            ("dry_run", .boolean(isTrial))
        )
    }

    private static let words = [
        "unreadable": "the log does not have it any more", "cut": "less is kept than was sent",
        "other_format": "sent in another format, or kept by an earlier version",
        "ambiguous": "its first member is “batch” or “context”", "installation_erased": "its installation was erased",
    ]
}
