// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Re-evaluates rejected events.
struct RejectionsReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Re-evaluate rejected events, and admit those that pass now.",
        discussion: """
            Use this command after a rule was changed or a bug was fixed: it applies the
            current rules to rejected events. Events that pass are stored as if they had
            never been rejected, marked with their origin, and removed from the list.
            An event counts once, even if this command runs again. Events that fail
            remain, with the current reason.

            Requires a key with write and read scope: trackway keys create support
            --scope write --scope read

            EXAMPLES
              # Show what would pass.
              trackway rejections replay --code name_too_long --dry-run
              # Admit events that were rejected for this reason.
              trackway rejections replay --code name_too_long --key tw_…
              # Admit a single event.
              trackway rejections replay --position 3.88213.7 --key tw_…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only events rejected for this reason.")
    var code: String?

    @Option(help: "Only events of this name, if it could be read.")
    var name: String?

    @Option(help: "Only the event, or the batch, at this position.")
    var position: String?

    @Flag(help: "Show the outcome without admitting events.")
    var dryRun = false

    @Flag(help: "Print the totals as JSON.")
    var json = false

    /// Checks the combination of options.
    func validate() throws {
        if let position {
            guard EventPosition(position) != nil else {
                throw ValidationError(
                    "“\(position)” is not a position such as 3.88213.7, as shown by `trackway rejections`"
                )
            }
            guard code == nil, name == nil else { throw ValidationError("choose --position, or --code and --name") }
        }
    }

    /// Replays page by page, waits for the index, and prints the totals.
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
        if json { return Console.standard.write(json: sums.json(isDryRun: dryRun)) }
        Console.standard.write(sums.lines(isDryRun: dryRun))
    }
}

/// The totals of all pages.
struct ReplaySums: Sendable, Hashable {
    /// The number of events that were admitted.
    var admitted: Int64 = 0
    /// The number of events that are rejected for a different reason than before.
    var refused: Int64 = 0
    /// The number of events that are rejected for the same reason as before.
    var unchanged: Int64 = 0
    /// The number of events that could not be re-evaluated, by reason.
    var lost: [String: Int64] = [:]
    /// The end of the log after the last write; nil if nothing was written.
    var position: String?

    /// Adds the totals of a collector's response.
    mutating func add(_ page: JSONValue) {
        admitted += page["admitted"]?.integer ?? 0
        refused += page["refused"]?.integer ?? 0
        unchanged += page["unchanged"]?.integer ?? 0
        for loss in page["not_kept"]?.array ?? [] { lost[loss["reason"]?.string ?? "", default: 0] += 1 }
        position = page["position"]?.string ?? position
    }

    /// Returns a line for each nonzero total.
    func lines(isDryRun: Bool) -> [String] {
        var lines: [String] = []
        if admitted > 0 { lines.append("\(isDryRun ? "would be admitted" : "admitted"): \(admitted.grouped)") }
        if refused > 0 { lines.append("rejected for another reason now: \(refused.grouped)") }
        if unchanged > 0 { lines.append("rejected as before: \(unchanged.grouped)") }
        for (reason, count) in lost.sorted(by: { $0.key < $1.key }) {
            lines.append("not re-evaluated (\(Self.lossReasons[reason] ?? reason)): \(count.grouped)")
        }
        return lines.isEmpty ? ["No rejected events match."] : lines
    }

    /// Returns the totals as a JSON object.
    func json(isDryRun: Bool) -> JSONValue {
        let lost = JSONValue.Object(
            lost.sorted { $0.key < $1.key }.map { JSONValue.Object.Member(key: $0.key, value: .integer($0.value)) }
        )
        return .members(
            ("admitted", .integer(admitted)),
            ("refused", .integer(refused)),
            ("unchanged", .integer(unchanged)),
            ("not_kept", .object(lost)),
            ("dry_run", .boolean(isDryRun))
        )
    }

    private static let lossReasons = [
        "unreadable": "no longer in the log", "cut": "not stored completely",
        "other_format": "sent in another format, or stored by an earlier version",
        "ambiguous": "its first member is “batch” or “context”", "installation_erased": "its installation was erased",
    ]
}
