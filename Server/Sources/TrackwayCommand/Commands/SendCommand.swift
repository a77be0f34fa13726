// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Trackway
internal import TrackwayEvents

/// Sends events, as an app would.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send events, as an app would.",
        discussion: """
            Uses the SDK itself: the events are kept on disk before anything is sent,
            and what cannot be delivered now is delivered by the next `trackway send` to
            the same collector (status 75 tells a script so).

            A value has the type it looks like: 12.5, 3, true, ["a","b"], {"w":1},
            anything else is text. Write key:=value for text in any case. Standard input
            is NDJSON, one event a line:
              {"name":"purchase","attributes":{"total":12.5},"items":[{"id":"A-1"}]}

            Without --key and TRACKWAY_KEY the key is “dev”, as in `trackway serve
            --dev-key dev`.

            EXAMPLES
              trackway send purchase total=12.5 currency=CNY first=true
              trackway send sign_up plan:=007 --durably
              trackway send < events.ndjson
              trackway events --limit 0 --json | trackway send --url https://other.example
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The event's name. Without one, events come as NDJSON from standard input.")
    var name: String?

    @Argument(help: "Attributes as key=value.")
    var attributes: [String] = []

    @Flag(help: "Return only when the event survives power loss.")
    var durably = false

    @Option(help: "How many seconds to wait for delivery.")
    var wait: Int = 10

    @Option(help: "The folder in which events wait. Default: one for each collector, below ~/.local/state/trackway.")
    var data: String?

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    /// Sees that the options make sense together.
    func validate() throws {
        guard (0...3600).contains(wait) else { throw ValidationError("--wait takes 0 to 3600 seconds") }
        if name?.isEmpty == true {
            throw ValidationError("the event's name is empty; name one, such as: trackway send purchase")
        }
        if name == nil, durably { throw ValidationError("--durably is for one event from the command line") }
    }

    /// Records, delivers, and says what became of it.
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
                remedy: "name one (trackway send purchase total=12.5), or give NDJSON on standard input"
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
                ("obstacle", tally.obstacle.map { .string($0) } ?? .null),
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
                "\(tally.text)\(tally.obstacle.map { ": \($0)" } ?? "")",
                remedy: "the events wait in \(sender.folder); send again with a key that `trackway keys create` made"
            )
        }
        if tally.pending > 0 {
            throw CommandFailure(
                .temporary,
                "\(tally.text)\(tally.obstacle.map { ": \($0)" } ?? "")",
                remedy:
                    "nothing is lost: the events lie in \(sender.folder), and the next `trackway send` to this collector "
                    + "delivers them"
            )
        }
        if tally.dropped > 0 || tally.refused > 0 {
            throw CommandFailure(
                .malformedInput,
                tally.text,
                remedy: "see why on the collector's page, under failed events"
            )
        }
    }

    /// How much of standard input is to come, when it is a file.
    private static func inputLength() -> UInt64? {
        let input = FileHandle.standardInput
        do {
            let here = try input.offset()
            let end = try input.seekToEnd()
            try input.seek(toOffset: here)
            return end > here ? end - here : nil
        } catch {
            return nil  // a pipe or a terminal: unknown
        }
    }
}
