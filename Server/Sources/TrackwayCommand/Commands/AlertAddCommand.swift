// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Makes an alert.
struct AlertAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make an alert.",
        discussion: """
            The secret that signs what is told is printed this once. It takes a key that
            may both write and read: trackway keys create operator --scope write --scope
            read

            EXAMPLES
              trackway alert add 'Few sales' --trends 'name=purchase&last=1h' \\
                --below 5 --for 10m --webhook https://hooks.example.com/alerts
              trackway alert add 'Sales break in' --trends 'name=purchase&last=24h' \\
                --below -50 --change
              trackway alert add 'Check-out' \\
                --funnels 'step=view_cart&step=purchase&last=24h' --below 20
              trackway alert add 'Something is missing' --missing 0 \\
                --webhook http://127.0.0.1:9000/
              trackway alert add 'Refused' --failed 1 --within 1h --at-least 200
              trackway alert add 'Nothing arrives' --silence --within 15m --repeat 4h
              trackway alert add 'Disk nearly full' --disk-share 10 --repeat 1d
              trackway alert add 'Index lags' --lag 5m --for 10m
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "What it is called.")
    var title: String

    @Option(help: "The parameters of a trend, whose number is compared; with last=.")
    var trends: String?

    @Option(help: "The parameters of a funnel, whose share of people that come through is compared, in percent.")
    var funnels: String?

    @Option(help: "More than so many events that devices recorded are missing.")
    var missing: Double?

    @Option(help: "More than so many percent of what arrived were refused.")
    var failed: Double?

    @Flag(help: "No events arrive.")
    var silence = false

    @Option(help: "Minimum free space of the collector's disk, in percent.")
    var diskShare: Double?

    @Option(help: "Minimum free space of the collector's disk, in bytes.")
    var diskBytes: Double?

    @Option(help: "Maximum time that the index is behind, such as 5m.")
    var lag: String?

    @Option(help: "The number is more than this.")
    var above: Double?

    @Option(help: "The number is less than this.")
    var below: Double?

    @Flag(help: "Compare how far a trend's number is from that of the period before, in percent.")
    var change = false

    @Option(help: "The time that --failed and --silence look at. Default: 1h.")
    var within: String?

    @Option(help: "So many events must have arrived before --failed says anything. Default: 100.")
    var atLeast: Int?

    @Option(help: "How often it is looked at, 1m to 24h. Default: 1m.")
    var every: String?

    @Option(name: .customLong("for"), help: "How long it must hold before it is told. Default: 0m.")
    var hold: String?

    @Option(help: "How long it must be over before that is told. Default: 0m.")
    var keepFiringFor: String?

    @Option(name: .customLong("repeat"), help: "After how long it is told again while it goes on. Default: never.")
    var again: String?

    @Option(help: "Where it is told. Default: nowhere; it is seen on the page and in the metrics.")
    var webhook: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Sees that the options fit together.
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
        if let lag, LengthText.length(lag) == nil {
            throw ValidationError("--lag “\(lag)” is not a length of time such as 90s, 5m or 1h")
        }
        let isQuestion = trends != nil || funnels != nil
        guard (above == nil) != (below == nil) || !isQuestion else {
            throw ValidationError("choose --above or --below")
        }
        guard isQuestion || (above == nil && below == nil) else {
            throw ValidationError("--above and --below are for --trends and --funnels")
        }
        guard !change || trends != nil else { throw ValidationError("--change is for --trends") }
        guard within == nil || failed != nil || silence else {
            throw ValidationError("--within is for --failed and --silence; a question has last=")
        }
        guard atLeast == nil || failed != nil else { throw ValidationError("--at-least is for --failed") }
    }

    /// Sends it.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let answer = try await client.send("POST", "/v1/alerts", body: draft)
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(AlertText.lines(answer, style: Console.standard.style))
    }

    /// The alert as the collector reads it.
    var draft: JSONValue {
        var members: [(String, JSONValue)] = [("title", .string(title)), ("condition", condition)]
        for (name, text) in [
            ("every", every), ("for", hold), ("keep_firing_for", keepFiringFor), ("repeat", again),
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
                ("query", .string(BoardAddCommand.escaped(query[...]))),
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
            let seconds = (LengthText.length(lag) ?? .zero) / .seconds(1)
            members = [("kind", .string("lag")), ("threshold", .double(seconds))]
        } else {
            members = [("kind", .string("silence"))]
        }
        if let within { members.append(("within", .string(within))) }
        if let atLeast { members.append(("at_least", .integer(Int64(atLeast)))) }
        return .object(.init(members.map { .init(key: $0.0, value: $0.1) }))
    }
}
