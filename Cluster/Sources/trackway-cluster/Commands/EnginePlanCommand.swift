// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayEvents

/// Shows the streams that accept records, and changes their number.
struct EnginePlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show or change the streams that accept records.",
        discussion: """
            Every installation belongs to one of 256 partitions, and each partition to
            one stream. Each stream has its own leader, so a growing cluster uses more
            streams. With --streams, new ones are created, proven durable, and given
            all partitions; the old ones accept no more records, and keep theirs until
            they are purged. Collectors continue automatically: records that arrive
            during the change are held for about a second. All records keep one common
            order, which is decided in the stream ORDER_0.

            Upgrade all collectors and forwarders before the first change: older ones
            know one stream only, and accept nothing afterwards. If the command is
            killed or stopped at any point, run it again to continue. Exits with 77 if
            something blocks the change.

            EXAMPLES
              trackway-cluster engine plan --engine nats://a,nats://b,nats://c
              trackway-cluster engine plan --streams 4 --dry-run \\
                --engine nats://a,nats://b,nats://c
              trackway-cluster engine plan --streams 4 \\
                --engine nats://a,nats://b,nats://c --engine-credentials engine.json
            """
    )

    @OptionGroup var engine: EngineOptions

    @Option(help: "Number of streams that accept records, 1 to 64.")
    var streams: Int?

    @Option(
        help: """
            Maximum size of each new stream on each server, in gigabytes (of 2^30 bytes). Default: its share of the \
            old streams' total.
            """
    )
    var gigabytes: Int?

    @Flag(help: "Show the first step without taking it.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster, and validates the numbers.
    func validate() throws {
        try engine.require()
        if let streams, !(1...StreamChangePlanner.most).contains(streams) {
            throw ValidationError("--streams takes 1 to \(StreamChangePlanner.most)")
        }
        if let gigabytes, !(1...1_000_000).contains(gigabytes) {
            throw ValidationError("--gigabytes takes 1 to 1000000")
        }
        if gigabytes != nil, streams == nil { throw ValidationError("--gigabytes is for --streams") }
        if dryRun, streams == nil { throw ValidationError("--dry-run is for --streams") }
    }

    /// Changes the number of streams if requested, and prints the state.
    func run() async throws {
        guard let settings = try engine.settings() else { return }
        try await settings.run { engine in
            // An interrupted change may have left streams closed, and their durability cannot be proven.
            if await !Self.isConnected(engine) {
                let reasons = await engine.waitUntilDurable() ?? []
                throw CommandFailure(
                    .unavailable,
                    "the NATS cluster cannot be used:\n" + reasons.joined(separator: "\n"),
                    remedy: "`trackway-cluster engine check` with the same options shows each server"
                )
            }
            let growing = StreamChangeRunner(engine, bytes: gigabytes.map { Int64($0) << 30 })
            if let streams { try await grow(growing, to: streams) }
            let look: StreamChangePlanner.Look
            do {
                look = try await growing.look()
            } catch {
                throw CommandFailure(.unavailable, "the state of the streams is not available: \(error)")
            }
            if json {
                Console.standard.write(json: StreamPlanText.json(look))
            } else {
                Console.standard.write(StreamPlanText.lines(look, style: Console.standard.style))
            }
        }
    }

    /// Waits until enough is known about the streams to start.
    private static func isConnected(_ engine: Engine) async -> Bool {
        let end = engine.clock.now().monotonic.advanced(by: EngineStart.Times().unknown)
        while engine.clock.now().monotonic < end, !Task.isCancelled {
            if engine.order.standing != .unknown, engine.facts != nil { return true }
            // A fault that is known from the start is reported immediately.
            if case .unproven = engine.standing, engine.order.standing == .unknown { return false }
            await CollectorHost.sleep(.milliseconds(100))
        }
        return false
    }

    private func grow(_ growing: StreamChangeRunner, to count: Int) async throws {
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

/// Formats the state of the streams that accept records.
enum StreamPlanText {
    /// Returns a line for each stream, and one for the order.
    static func lines(_ look: StreamChangePlanner.Look, style: Style) -> [String] {
        var table = Table([
            ("stream", .left), ("partitions", .right), ("leader", .left), ("records received", .right),
            ("size", .right),
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
                "\(OrderStream.name)  orders \((line.end - 1).grouped) records, \((line.next - 1).grouped) entries"
            )
        } else {
            lines.append("One stream accepts all records, in its own order.")
        }
        if let unfinished = look.unfinished { lines.append(unfinished.sentence) }
        return lines
    }

    private static func partitions(_ number: Int, _ look: StreamChangePlanner.Look) -> Int {
        guard let line = look.line else { return number == 0 ? StreamNames.partitions : 0 }
        return line.partitions(of: number).count
    }

    /// Returns the state as JSON.
    static func json(_ look: StreamChangePlanner.Look) -> JSONValue {
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

    /// Returns a sentence about a step, or about the first one of a trial.
    static func sentence(_ news: StreamChangeRunner.News, isTrial: Bool) -> String {
        switch news {
        case .trouble(let reason): "Retrying: \(reason)"
        case .took(let step): "\(isTrial ? "First step" : "Now"): \(words(step))."
        }
    }

    /// Returns the progress as JSON.
    static func json(_ news: StreamChangeRunner.News) -> JSONValue {
        switch news {
        case .trouble(let reason): .members(("trouble", .string(reason)))
        case .took(let step): .members(("step", .string(words(step))))
        }
    }

    private static func words(_ step: StreamChangePlanner.Step) -> String {
        switch step {
        case .makeOrder: "create the stream \(OrderStream.name), and wait until every collector checks it"
        case .make(let streams): "create the \(names(streams)), which accept no records yet"
        case .close(let streams): "close the \(names(streams)); records are held from now on"
        case .settle(let streams): "add all records of the \(names(streams)) to the order"
        case .give(let streams, _): "assign the \(names(streams)) the subjects of their partitions"
        case .open(let streams): "open the \(names(streams))"
        case .done: "the streams are as requested"
        case .stop(let reason): reason
        }
    }

    private static func names(_ streams: [Int]) -> String {
        guard let first = streams.first, let last = streams.last, first != last else {
            return "stream \(StreamNames(number: streams.first ?? 0).stream)"
        }
        return "streams \(StreamNames(number: first).stream) to \(StreamNames(number: last).stream)"
    }
}
