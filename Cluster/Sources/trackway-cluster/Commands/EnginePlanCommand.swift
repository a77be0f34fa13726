// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayEvents

/// Shows which streams take the records, and has others take them.
struct EnginePlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "See which streams take the records of which partitions, and have more streams, or fewer, take them.",
        discussion: """
            Every installation belongs to one of 256 partitions, and each partition to
            one stream. Every stream has a leader of its own, so a cluster that grows
            takes more streams. With --streams new ones are made, proven, and given all
            partitions; those before them take no records any more, and keep what they
            have until it is purged. Collectors go on by themselves: records that come
            meanwhile are held for about a second. The order of all records stays one,
            decided in the stream ORDER_0.

            Update all collectors and forwarders before the first time: older ones know
            one stream only, and take nothing then. Killed or stopped at any moment, the
            same command goes on. Exits with 1 when something is in the way.

            EXAMPLES
              trackway-cluster engine plan --engine nats://a,nats://b,nats://c
              trackway-cluster engine plan --streams 4 --dry-run \\
                --engine nats://a,nats://b,nats://c
              trackway-cluster engine plan --streams 4 \\
                --engine nats://a,nats://b,nats://c --engine-credentials engine.json
            """
    )

    @OptionGroup var engine: EngineOptions

    @Option(help: "How many streams are to take the records, 1 to 64.")
    var streams: Int?

    @Option(
        help:
            "How many gigabytes (of 2^30 bytes) each new stream may have on each server. Default: its part of what those before it may have together."
    )
    var gigabytes: Int?

    @Flag(help: "Tell what would follow first, and change nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Sees that there is an engine, and a number.
    func validate() throws {
        try engine.require()
        if let streams, !(1...StreamGrowth.most).contains(streams) {
            throw ValidationError("--streams takes 1 to \(StreamGrowth.most)")
        }
        if let gigabytes, !(1...1_000_000).contains(gigabytes) {
            throw ValidationError("--gigabytes takes 1 to 1000000")
        }
        if gigabytes != nil, streams == nil { throw ValidationError("--gigabytes is for --streams") }
        if dryRun, streams == nil { throw ValidationError("--dry-run is for --streams") }
    }

    /// Grows, if that is wanted, and tells what there is.
    func run() async throws {
        guard let settings = try engine.settings() else { return }
        try await settings.run { engine in
            // Whoever was stopped between may have left streams closed, of which nothing is proven.
            if await !Self.isConnected(engine) {
                let reasons = await engine.reasonsAgainst() ?? []
                throw CommandFailure(
                    .unavailable,
                    "the engine cannot be used:\n" + reasons.joined(separator: "\n"),
                    remedy: "`trackway-cluster engine check` with the same options shows each server"
                )
            }
            let growing = StreamGrowing(engine, bytes: gigabytes.map { Int64($0) << 30 })
            if let streams { try await grow(growing, to: streams) }
            let look: StreamGrowth.Look
            do {
                look = try await growing.look()
            } catch {
                throw CommandFailure(.unavailable, "the engine does not tell about its streams: \(error)")
            }
            if json {
                Console.standard.write(json: StreamPlanText.json(look))
            } else {
                Console.standard.write(StreamPlanText.lines(look, style: Console.standard.style))
            }
        }
    }

    /// Waits until what is known of the streams is enough to begin with.
    private static func isConnected(_ engine: Engine) async -> Bool {
        let end = engine.clock.now().monotonic.advanced(by: EngineStart.Times().unknown)
        while engine.clock.now().monotonic < end, !Task.isCancelled {
            if engine.order.standing != .unknown, engine.facts != nil { return true }
            // What is wrong from the start is told as it is.
            if case .unproven = engine.standing, engine.order.standing == .unknown { return false }
            await CollectorHost.sleep(.milliseconds(100))
        }
        return false
    }

    private func grow(_ growing: StreamGrowing, to count: Int) async throws {
        let reason = await growing.run(to: count, isTrial: dryRun) { news in
            if json {
                Console.standard.write(json: StreamPlanText.json(news))
            } else {
                Console.standard.note(StreamPlanText.sentence(news, isTrial: dryRun))
            }
        }
        if let reason { throw CommandFailure(.refused, reason) }
    }
}

/// What is told of the streams that take records.
enum StreamPlanText {
    /// A line for each stream, and one for the order.
    static func lines(_ look: StreamGrowth.Look, style: Style) -> [String] {
        var table = Table([
            ("stream", .left), ("partitions", .right), ("leader", .left), ("records taken", .right), ("size", .right),
        ])
        for (number, facts) in look.streams.sorted(by: { $0.key < $1.key }) {
            table.append([
                facts.name, "\(partitions(number, look))", facts.leader ?? "none now", facts.lastSequence.grouped,
                EngineText.size(facts.bytes),
            ])
        }
        var lines = table.lines(style: style)
        if let line = look.line {
            lines.append(
                "\(OrderStream.name)  the order of \((line.end - 1).grouped) records, entries: \((line.next - 1).grouped)"
            )
        } else {
            lines.append("One stream takes all records, in its own order.")
        }
        if let unfinished = look.unfinished { lines.append(unfinished.sentence) }
        return lines
    }

    private static func partitions(_ number: Int, _ look: StreamGrowth.Look) -> Int {
        guard let line = look.line else { return number == 0 ? StreamPlace.partitions : 0 }
        return line.partitions(of: number).count
    }

    /// The same as a value.
    static func json(_ look: StreamGrowth.Look) -> JSONValue {
        .members(
            (
                "streams",
                .array(
                    look.streams.sorted { $0.key < $1.key }.map { number, facts in
                        .members(
                            ("name", .string(facts.name)),
                            ("partitions", .integer(Int64(partitions(number, look)))),
                            ("leader", facts.leader.map { .string($0) } ?? .null),
                            ("last", .integer(Int64(clamping: facts.lastSequence))),
                            ("bytes", .integer(facts.bytes))
                        )
                    }
                )
            ),
            (
                "order",
                look.line.map { line in
                    .members(
                        ("entries", .integer(Int64(clamping: line.next - 1))),
                        ("records", .integer(Int64(clamping: line.end - 1)))
                    )
                } ?? .null
            ),
            (
                "unfinished",
                look.unfinished.map { unfinished in
                    .members(
                        ("streams", .integer(Int64(unfinished.streams))),
                        ("accepts", .boolean(unfinished.accepts))
                    )
                } ?? .null
            )
        )
    }

    /// What was done, or would be.
    static func sentence(_ news: StreamGrowing.News, isTrial: Bool) -> String {
        switch news {
        case .trouble(let reason): "It is tried again: \(reason)"
        case .took(let step): "\(isTrial ? "First of all" : "Now"): \(words(step))."
        }
    }

    /// The same as a value.
    static func json(_ news: StreamGrowing.News) -> JSONValue {
        switch news {
        case .trouble(let reason): .members(("trouble", .string(reason)))
        case .took(let step): .members(("step", .string(words(step))))
        }
    }

    private static func words(_ step: StreamGrowth.Step) -> String {
        switch step {
        case .makeOrder: "make the stream \(OrderStream.name), and wait until every collector looks there"
        case .make(let streams): "make the \(names(streams)), which take no records yet"
        case .close(let streams): "close the \(names(streams)); records are held from here on"
        case .settle(let streams): "put everything of the \(names(streams)) into the order"
        case .give(let streams, _): "give the \(names(streams)) the subjects of their partitions"
        case .open(let streams): "open the \(names(streams))"
        case .done: "it is as it is to be"
        case .stop(let reason): reason
        }
    }

    private static func names(_ streams: [Int]) -> String {
        guard let first = streams.first, let last = streams.last, first != last else {
            return "stream \(StreamPlace(number: streams.first ?? 0).stream)"
        }
        return "streams \(StreamPlace(number: first).stream) to \(StreamPlace(number: last).stream)"
    }
}
