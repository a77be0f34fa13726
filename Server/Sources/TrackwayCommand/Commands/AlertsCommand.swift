// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents

/// Lists the alerts.
struct AlertsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts",
        abstract: "List the alerts, and where they stand.",
        discussion: """
            EXAMPLES
              trackway alerts
              trackway alert add 'Few sales' --trends 'name=purchase&last=1h' \\
                --below 5 --webhook https://hooks.example.com/alerts
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Asks and prints.
    func run() async throws {
        let answer = try await CollectorClient(try collector.address()).get("/v1/alerts")
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(AlertText.table(answer).lines(style: Console.standard.style))
    }
}

/// Shows and changes one alert.
struct AlertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alert",
        abstract: "Make, show, try, pause or delete an alert, or check what it told.",
        subcommands: [
            AlertAddCommand.self, AlertShowCommand.self, AlertDeleteCommand.self, AlertTestCommand.self,
            AlertPauseCommand.self, AlertResumeCommand.self, AlertRotateCommand.self, AlertVerifyCommand.self,
        ]
    )
}

/// The collector and the alert that a command is about.
struct AlertOptions: ParsableArguments {
    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The alert's id, as `trackway alerts` shows it.")
    var id: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// The alert's path.
    var path: String { "/v1/alerts/" + CollectorAddress.escape(id) }

    /// A client of the collector.
    func client() throws(CommandFailure) -> CollectorClient { CollectorClient(try collector.address()) }

    /// Sends the alert back with a change, made from the version that was read.
    func change(_ change: (String, JSONValue)) async throws(CommandFailure) {
        let client = try client()
        let alert = try await client.get(path)
        let members = ["title", "condition", "every", "for", "keep_firing_for", "repeat", "paused", "version"]
        let kept = members.filter { $0 != change.0 }.map { ($0, alert[$0] ?? .null) }
        let draft = JSONValue.object(.init((kept + [change]).map { .init(key: $0.0, value: $0.1) }))
        let answer = try await client.send("PUT", path, body: draft)
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(AlertText.lines(answer, style: Console.standard.style))
    }
}

/// Shows an alert and what was told about it.
struct AlertShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an alert, where it stands, and the latest attempts to tell about it."
    )

    @OptionGroup var alert: AlertOptions

    /// Asks and prints.
    func run() async throws {
        let client = try alert.client()
        let answer = try await client.get(alert.path)
        if alert.json { return Console.standard.write(json: answer) }
        let style = Console.standard.style
        Console.standard.write(AlertText.lines(answer, style: style))
        let deliveries = try await client.get(alert.path + "/deliveries")
        Console.standard.write([""] + AlertText.deliveries(deliveries).lines(style: style))
    }
}

/// Deletes an alert.
struct AlertDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an alert, with what is still to be told about it."
    )

    @OptionGroup var alert: AlertOptions

    /// Asks which version there is, and deletes that.
    func run() async throws {
        let client = try alert.client()
        let version = try await client.get(alert.path)["version"]?.integer ?? 1
        let answer = try await client.send("DELETE", alert.path, query: [("version", String(version))])
        if alert.json { return Console.standard.write(json: answer) }
        Console.standard.write("deleted: \(EventLineFormat.plain(alert.id))")
    }
}

/// Tells something for a trial.
struct AlertTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send something to where an alert is told, and show what came back."
    )

    @OptionGroup var alert: AlertOptions

    /// Asks and prints; the exit status says whether it was taken.
    func run() async throws {
        let answer = try await alert.client().send("POST", alert.path + "/test", timeout: 60)
        if alert.json {
            Console.standard.write(json: answer)
        } else {
            Console.standard.write(AlertText.attempt(answer))
        }
        guard answer["outcome"]?.string == "delivered" else {
            throw CommandFailure(.negative, "the receiver did not take it")
        }
    }
}

/// Stops looking at an alert's condition.
struct AlertPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop looking at an alert's condition. Where it stands stays."
    )

    @OptionGroup var alert: AlertOptions

    /// Changes it.
    func run() async throws { try await alert.change(("paused", .boolean(true))) }
}

/// Looks at an alert's condition again.
struct AlertResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Look at an alert's condition again, and tell again where messages were no longer wanted."
    )

    @OptionGroup var alert: AlertOptions

    /// Changes it.
    func run() async throws { try await alert.change(("paused", .boolean(false))) }
}

/// Replaces an alert's secret.
struct AlertRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace the secret that signs what an alert tells. The new one is printed this once."
    )

    @OptionGroup var alert: AlertOptions

    @Option(help: "How long the former secret signs as well, such as 12h; 0m ends it at once. Default: 1d.")
    var overlap: String?

    /// Asks and prints.
    func run() async throws {
        let query = overlap.map { [(name: "overlap", value: $0)] } ?? []
        let answer = try await alert.client().send("POST", alert.path + "/rotate", query: query)
        if alert.json { return Console.standard.write(json: answer) }
        Console.standard.write(answer["secret"]?.string ?? "")
    }
}
