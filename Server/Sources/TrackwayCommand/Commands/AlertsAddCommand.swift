// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Creates an alert.
struct AlertsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Create an alert.",
        discussion: """
            Prints the secret that signs webhook messages; it is not shown again.
            Requires a key with write and read scope: trackway keys create operator
            --scope write --scope read

            EXAMPLES
              # Fire when fewer than 5 purchases arrive in an hour.
              trackway alerts add 'Few sales' --trends 'name=purchase&last=1h' \\
                --below 5 --for 10m --webhook https://hooks.example.com/alerts
              # Fire when purchases drop by half from the day before.
              trackway alerts add 'Sales drop' --trends 'name=purchase&last=24h' \\
                --below -50 --change
              # Fire when conversion falls below 20 percent.
              trackway alerts add 'Checkout' \\
                --funnels 'step=view_cart&step=purchase&last=24h' --below 20
              # Fire when any event is missing.
              trackway alerts add 'Missing events' --missing 0 \\
                --webhook http://127.0.0.1:9000/
              # Fire when more than 1 percent of events is rejected.
              trackway alerts add 'Rejected' --failed 1 --within 1h --at-least 200
              # Fire when nothing arrives; repeat the notification every 4 hours.
              trackway alerts add 'No events' --silence --within 15m --repeat 4h
              # Fire when the disk is nearly full.
              trackway alerts add 'Disk nearly full' --disk-share 10 --repeat 1d
              # Fire when the index lags.
              trackway alerts add 'Index lags' --lag 5m --for 10m
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Title.")
    var title: String

    @Option(help: "Query parameters of a trend whose value is compared, including last=.")
    var trends: String?

    @Option(help: "Query parameters of a funnel whose conversion is compared, in percent.")
    var funnels: String?

    @Option(help: "Fire when more than this many recorded events are missing.")
    var missing: Double?

    @Option(help: "Fire when more than this percentage of arriving events is rejected.")
    var failed: Double?

    @Flag(help: "Fire when no events arrive.")
    var silence = false

    @Option(help: "Minimum free space on the collector's disk, in percent.")
    var diskShare: Double?

    @Option(help: "Minimum free space on the collector's disk, in bytes.")
    var diskBytes: Double?

    @Option(help: "Maximum lag of the index, such as 5m.")
    var lag: String?

    @Option(parsing: .unconditional, help: "Fire when the value is above this threshold.")
    var above: Double?

    @Option(parsing: .unconditional, help: "Fire when the value is below this threshold.")
    var below: Double?

    @Flag(help: "Compare a trend's change from the previous period, in percent.")
    var change = false

    @Option(help: "Time window of --failed and --silence. Default: 1h.")
    var within: String?

    @Option(help: "Minimum number of arriving events for --failed. Default: 100.")
    var atLeast: Int?

    @Option(help: "Check interval, 1m to 24h. Default: 1m.")
    var every: String?

    @Option(name: .customLong("for"), help: "Time that the condition must hold before notifying. Default: 0m.")
    var pendingFor: String?

    @Option(help: "Time that the condition must be over before resolving. Default: 0m.")
    var keepFiringFor: String?

    @Option(name: .customLong("repeat"), help: "Interval for repeating the notification while firing. Default: never.")
    var repeatInterval: String?

    @Option(help: "Webhook URL. Default: none; the page and the metrics show the alert.")
    var webhook: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the combination of options.
    func validate() throws {
        let kinds = [
            trends != nil, funnels != nil, missing != nil, failed != nil, silence, diskShare != nil, diskBytes != nil,
            lag != nil,
        ]
        guard kinds.count(where: { $0 }) == 1 else {
            throw ValidationError(
                "choose one of --trends, --funnels, --missing, --failed, --silence, --disk-share, --disk-bytes and --lag"
            )
        }
        if let lag, DurationText.length(lag) == nil {
            throw ValidationError("--lag “\(lag)” is not a duration such as 90s, 5m, or 1h")
        }
        let isQuestion = trends != nil || funnels != nil
        guard (above == nil) != (below == nil) || !isQuestion else {
            throw ValidationError("choose --above or --below")
        }
        guard isQuestion || (above == nil && below == nil) else {
            throw ValidationError("--above and --below require --trends or --funnels")
        }
        guard !change || trends != nil else { throw ValidationError("--change requires --trends") }
        guard within == nil || failed != nil || silence else {
            throw ValidationError("--within requires --failed or --silence; in a query, use last=")
        }
        guard atLeast == nil || failed != nil else { throw ValidationError("--at-least requires --failed") }
    }

    /// Creates the alert and prints it.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let answer = try await client.send("POST", "/v1/alerts", body: draft)
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(AlertText.lines(answer, style: Console.standard.style))
    }

    /// The JSON body of the request.
    var draft: JSONValue {
        var members: [(String, JSONValue)] = [("title", .string(title)), ("condition", condition)]
        for (name, text) in [
            ("every", every), ("for", pendingFor), ("keep_firing_for", keepFiringFor), ("repeat", repeatInterval),
            ("webhook", webhook),
        ] {
            if let text { members.append((name, .string(text))) }
        }
        return .object(.init(members.map { .init(key: $0.0, value: $0.1) }))
    }

    private var condition: JSONValue {
        var members: [(String, JSONValue)] = []
        if let query = trends ?? funnels {
            members = [
                ("kind", .string(trends != nil ? "trends" : "funnels")),
                ("query", .string(BoardsAddCommand.escaped(query[...]))),
                ("operator", .string(above != nil ? ">" : "<")), ("threshold", .double(above ?? below ?? 0)),
            ]
            if change { members.append(("of", .string("change"))) }
        } else if let missing {
            members = [("kind", .string("missing")), ("threshold", .double(missing))]
        } else if let failed {
            members = [("kind", .string("failed")), ("threshold", .double(failed))]
        } else if let free = diskShare ?? diskBytes {
            let form = diskShare != nil ? "share" : "bytes"
            members = [("kind", .string("disk")), ("of", .string(form)), ("threshold", .double(free))]
        } else if let lag {
            let seconds = (DurationText.length(lag) ?? .zero) / .seconds(1)
            members = [("kind", .string("lag")), ("threshold", .double(seconds))]
        } else {
            members = [("kind", .string("silence"))]
        }
        if let within { members.append(("within", .string(within))) }
        if let atLeast { members.append(("at_least", .integer(Int64(atLeast)))) }
        return .object(.init(members.map { .init(key: $0.0, value: $0.1) }))
    }
}
