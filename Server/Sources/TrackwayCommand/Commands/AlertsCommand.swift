// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayCore

/// Lists, shows, and changes alerts.
struct AlertsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts",
        abstract: "List, show, test, and change alerts.",
        discussion: """
            Without a subcommand, lists alerts with the options of `list`.

            EXAMPLES
              # List all alerts.
              trackway alerts
              # Create an alert.
              trackway alerts add 'Few sales' --trends 'name=purchase&last=1h' \\
                --below 5 --webhook https://hooks.example.com/alerts
            """,
        subcommands: [
            AlertsListCommand.self, AlertsShowCommand.self, AlertsAddCommand.self, AlertsVerifyCommand.self,
            AlertsTestCommand.self, AlertsPauseCommand.self, AlertsResumeCommand.self, AlertsRotateCommand.self,
            AlertsDeleteCommand.self,
        ],
        defaultSubcommand: AlertsListCommand.self
    )
}

/// Lists the alerts.
struct AlertsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List alerts and their state."
    )

    @OptionGroup var collector: CollectorOptions

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Queries the collector and prints the result.
    func run() async throws {
        let answer = try await CollectorClient(try collector.address()).get("/v1/alerts")
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(AlertText.table(answer).lines(style: Console.standard.style))
    }
}

/// Options that identify a collector and an alert.
struct AlertOptions: ParsableArguments {
    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Alert id, as shown by `trackway alerts`.")
    var id: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// The alert's API path.
    var path: String { "/v1/alerts/" + CollectorAddress.escape(id) }

    /// A client of the collector.
    func client() throws(CommandFailure) -> CollectorClient { CollectorClient(try collector.address()) }

    /// Changes one member of the alert.
    ///
    /// Sends the version that was read, so that a concurrent change is not overwritten.
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

/// Shows an alert and its latest deliveries.
struct AlertsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an alert, its state, and its latest delivery attempts."
    )

    @OptionGroup var alert: AlertOptions

    /// Queries the collector and prints the result.
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
struct AlertsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an alert and its pending notifications."
    )

    @OptionGroup var alert: AlertOptions

    /// Deletes the current version of the alert.
    func run() async throws {
        let client = try alert.client()
        let version = try await client.get(alert.path)["version"]?.integer ?? 1
        let answer = try await client.send("DELETE", alert.path, query: [("version", String(version))])
        if alert.json { return Console.standard.write(json: answer) }
        Console.standard.write("deleted: \(EventLineFormat.plain(alert.id))")
    }
}

/// Sends a test message to an alert's receiver.
struct AlertsTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a test message to an alert's webhook, and show the response."
    )

    @OptionGroup var alert: AlertOptions

    /// Sends the message; the exit status indicates whether the receiver accepted it.
    func run() async throws {
        let answer = try await alert.client().send("POST", alert.path + "/test", timeout: 60)
        if alert.json {
            Console.standard.write(json: answer)
        } else {
            Console.standard.write(AlertText.attempt(answer))
        }
        guard answer["outcome"]?.string == "delivered" else {
            throw CommandFailure(.negative, "the receiver did not accept the message")
        }
    }
}

/// Pauses an alert.
struct AlertsPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause an alert, which keeps its current state."
    )

    @OptionGroup var alert: AlertOptions

    /// Pauses the alert.
    func run() async throws { try await alert.change(("paused", .boolean(true))) }
}

/// Resumes an alert.
struct AlertsResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume an alert, and deliveries to a receiver that rejected messages with 410."
    )

    @OptionGroup var alert: AlertOptions

    /// Resumes the alert.
    func run() async throws { try await alert.change(("paused", .boolean(false))) }
}

/// Replaces an alert's secret.
struct AlertsRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace the secret that signs an alert's messages. The new one is shown once."
    )

    @OptionGroup var alert: AlertOptions

    @Option(help: "Time for which messages are also signed with the old secret, such as 12h; 0m for none. Default: 1d.")
    var overlap: String?

    /// Replaces the secret and prints the new one.
    func run() async throws {
        let query = overlap.map { [(name: "overlap", value: $0)] } ?? []
        let answer = try await alert.client().send("POST", alert.path + "/rotate", query: query)
        if alert.json { return Console.standard.write(json: answer) }
        Console.standard.write(answer["secret"]?.string ?? "")
    }
}
