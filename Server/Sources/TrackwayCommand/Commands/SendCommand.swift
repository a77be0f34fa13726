// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Trackway
internal import TrackwayCore

/// Sends events, as an app would.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send events, as an app would.",
        discussion: """
            Uses the SDK itself: events are stored on disk before they are sent. Events
            that cannot be delivered now are delivered by the next `trackway send` to the
            same collector (exit status 75).

            The type of a value is inferred: 12.5, 3, true, ["a","b"], {"w":1}; anything
            else is text. Write key:=value to force text. Standard input is
            NDJSON, one event per line:
              {"name":"purchase","attributes":{"total":12.5},"items":[{"id":"A-1"}]}

            Without --key and TRACKWAY_KEY, the key is “dev”, as in `trackway serve
            --dev-key dev`.

            EXAMPLES
              # Send one event.
              trackway send purchase total=12.5 currency=CNY first=true
              # Durably send an event with a text attribute.
              trackway send sign_up plan:=007 --durably
              # Send events from a file.
              trackway send < events.ndjson
              # Copy all events to another collector.
              trackway events --limit 0 --json | \\
                trackway send --url https://other.example
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Event name. If omitted, events are read as NDJSON from standard input.")
    var name: String?

    @Argument(help: "Attributes as key=value.")
    var attributes: [String] = []

    @Flag(help: "Return only once the event would survive power loss.")
    var durably = false

    @Option(help: "Seconds to wait for delivery.")
    var wait: Int = 10

    @Option(help: "Folder for pending events. Default: one for each collector, below ~/.local/state/trackway.")
    var data: String?

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    /// Checks the option values.
    func validate() throws {
        guard (0...3600).contains(wait) else { throw ValidationError("--wait takes 0 to 3600 seconds") }
        if name?.isEmpty == true {
            throw ValidationError("the event name is empty; pass one, such as: trackway send purchase")
        }
        if name == nil, durably { throw ValidationError("--durably requires a single event on the command line") }
    }

    /// Records and delivers the events, and prints the outcome.
    func run() async throws {
        let console = Console.standard
        var attributes: Attributes = [:]
        for argument in self.attributes {
            let attribute = try AttributeArgument(argument)
            attributes[attribute.key] = attribute.value
        }
        if name == nil, isatty(STDIN_FILENO) == 1 {
            throw CommandFailure(
                .usage,
                "no event to send",
                remedy: "pass one (trackway send purchase total=12.5), or NDJSON on standard input"
            )
        }
        var sender = try Sender(to: try collector.address(), folder: data, console: console)
        var id: EventID?
        if let name {
            let receipt =
                durably ? try await sender.recordDurably(name, attributes) : sender.record(name, attributes)
            id = receipt.id
        } else {
            try await sender.record(from: .standardInput, bytes: Self.inputLength(), console: console)
        }
        await sender.finish(timeout: .seconds(wait))
        try report(sender, id: id, console: console)
    }

    private func report(_ sender: Sender, id: EventID?, console: Console) throws {
        let tally = sender.tally
        if json {
            let outcome = JSONValue.members(
                ("id", id.map { .string("\($0)") } ?? .null),
                ("recorded", .count(tally.recorded)),
                ("delivered", .count(tally.delivered)),
                ("pending", .count(tally.pending)),
                ("dropped", .count(tally.dropped)),
                ("not_recorded", .count(tally.refused)),
                ("pending_reason", tally.pendingReason.map { .string($0) } ?? .null),
                ("folder", .string(sender.folder))
            )
            console.write(json: outcome)
        } else if let id, tally.pending == 0, tally.dropped == 0 {
            console.write("\(id)")
        } else if tally.pending == 0 {
            console.note(tally.text)
        }
        if tally.isUnauthorized {
            throw CommandFailure(
                .refused,
                "\(tally.text)\(tally.pendingReason.map { ": \($0)" } ?? "")",
                remedy: "the events are pending in \(sender.folder); send again with a key from `trackway keys create`"
            )
        }
        if tally.pending > 0 {
            throw CommandFailure(
                .temporary,
                "\(tally.text)\(tally.pendingReason.map { ": \($0)" } ?? "")",
                remedy:
                    "no events are lost: they are in \(sender.folder); the next `trackway send` to this collector "
                    + "delivers them"
            )
        }
        if tally.dropped > 0 || tally.refused > 0 {
            throw CommandFailure(
                .malformedInput,
                tally.text,
                remedy: "see the reasons with `trackway rejections`, or in the page's Rejected tab"
            )
        }
    }

    /// Returns the number of unread bytes of standard input.
    ///
    /// Returns nil if standard input is not a file.
    private static func inputLength() -> UInt64? {
        let input = FileHandle.standardInput
        do {
            let offset = try input.offset()
            let end = try input.seekToEnd()
            try input.seek(toOffset: offset)
            return end > offset ? end - offset : nil
        } catch {
            return nil  // a pipe or a terminal, whose length is unknown
        }
    }
}
