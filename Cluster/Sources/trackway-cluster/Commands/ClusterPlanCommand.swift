// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayCore

/// Shows the streams that accept records, and changes their number.
struct ClusterPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show or change the streams that accept records.",
        discussion: """
            Every installation belongs to one of 256 partitions, and each partition to
            one stream. Each stream has its own leader, so a growing cluster uses more
            streams. With --streams, new streams are created, proven durable, and
            assigned all partitions. The old streams accept no more records, and keep
            their existing records until these are purged. Collectors continue
            automatically: records that arrive during the change are held for about a
            second. All records keep one common order, which is decided in the stream
            ORDER_0.

            Upgrade all collectors and forwarders before the first change: older
            versions support only one stream, and accept no records after the change.
            If the command is killed or stopped at any point, run it again to continue.
            Exits with 77 if something blocks the change.

            EXAMPLES
              # Show the streams.
              trackway-cluster cluster plan --nats nats://a,nats://b,nats://c
              # Show the first step of a change.
              trackway-cluster cluster plan --streams 4 --dry-run \\
                --nats nats://a,nats://b,nats://c
              # Distribute records over four streams.
              trackway-cluster cluster plan --streams 4 \\
                --nats nats://a,nats://b,nats://c --nats-credentials nats.json
            """
    )

    @OptionGroup var nats: NATSOptions

    @Option(help: "Number of streams that accept records, 1 to 64.")
    var streams: Int?

    @Option(
        help: """
            Maximum size of each new stream on each server, in gigabytes (of 2^30 bytes). Default: its share of the \
            old streams' total.
            """
    )
    var gigabytes: Int?

    @Flag(help: "Show the first step without performing it.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster, and validates the options.
    func validate() throws {
        try nats.require()
        if let streams, !(1...StreamChangePlanner.maxStreams).contains(streams) {
            throw ValidationError("--streams takes 1 to \(StreamChangePlanner.maxStreams)")
        }
        if let gigabytes, !(1...1_000_000).contains(gigabytes) {
            throw ValidationError("--gigabytes takes 1 to 1000000")
        }
        if gigabytes != nil, streams == nil { throw ValidationError("--gigabytes requires --streams") }
        if dryRun, streams == nil { throw ValidationError("--dry-run requires --streams") }
    }

    /// Changes the number of streams if requested, and prints the state.
    func run() async throws {
        guard let settings = try nats.settings() else { return }
        try await settings.run { engine in
            // An interrupted change may have left streams closed, and the durability of closed streams cannot be
            // proven.
            if await !Self.isConnected(engine) {
                let reasons = await engine.waitUntilDurable() ?? []
                throw CommandFailure(
                    .unavailable,
                    "the NATS cluster cannot be used:\n" + reasons.joined(separator: "\n"),
                    remedy: "`trackway-cluster cluster check` with the same options shows each server"
                )
            }
            let runner = StreamChangeRunner(engine, bytes: gigabytes.map { Int64($0) << 30 })
            if let streams { try await changeStreamCount(runner, to: streams) }
            let snapshot: StreamChangePlanner.Snapshot
            do {
                snapshot = try await runner.check()
            } catch {
                throw CommandFailure(.unavailable, "the state of the streams is not available: \(error)")
            }
            if json {
                Console.standard.write(json: StreamPlanText.json(snapshot))
            } else {
                Console.standard.write(StreamPlanText.lines(snapshot, style: Console.standard.style))
            }
        }
    }

    /// Waits until the streams are known; returns whether they are.
    ///
    /// The wait ends early if a fault is known but the order is not. The wait also has a time limit.
    private static func isConnected(_ engine: Engine) async -> Bool {
        let end = engine.clock.now().monotonic.advanced(by: DurabilityWait.Times().unknown)
        while engine.clock.now().monotonic < end, !Task.isCancelled {
            if engine.order.status != .unknown, engine.facts != nil { return true }
            // A fault that is known from the start is reported immediately.
            if case .unproven = engine.status, engine.order.status == .unknown { return false }
            await CollectorHost.sleep(.milliseconds(100))
        }
        return false
    }

    private func changeStreamCount(_ runner: StreamChangeRunner, to count: Int) async throws {
        let reason = await runner.run(to: count, isDryRun: dryRun) { progress in
            if json {
                Console.standard.write(json: StreamPlanText.json(progress))
            } else {
                Console.standard.note(StreamPlanText.sentence(progress, isDryRun: dryRun))
            }
        }
        if let reason { throw CommandFailure(.refused, reason) }
    }
}

/// Formats the state of the streams that accept records.
enum StreamPlanText {
    /// Returns a line for each stream, and one for the order.
    static func lines(_ snapshot: StreamChangePlanner.Snapshot, style: Style) -> [String] {
        var table = Table([
            ("stream", .left), ("partitions", .right), ("leader", .left), ("records received", .right),
            ("size", .right),
        ])
        for (number, facts) in snapshot.streams.sorted(by: { $0.key < $1.key }) {
            table.append([
                facts.name, "\(partitions(number, snapshot))", facts.leader ?? "none now", facts.lastSequence.grouped,
                ClusterText.size(facts.bytes),
            ])
        }
        var lines = table.lines(style: style)
        if let order = snapshot.order {
            lines.append(
                "\(OrderStream.name)  orders \((order.end - 1).grouped) records, \((order.next - 1).grouped) entries"
            )
        } else {
            lines.append("One stream accepts all records, in its own order.")
        }
        if let pendingChange = snapshot.pendingChange { lines.append(pendingChange.message) }
        return lines
    }

    private static func partitions(_ number: Int, _ snapshot: StreamChangePlanner.Snapshot) -> Int {
        guard let order = snapshot.order else { return number == 0 ? StreamNames.partitions : 0 }
        return order.partitions(of: number).count
    }

    /// Returns the state as JSON.
    static func json(_ snapshot: StreamChangePlanner.Snapshot) -> JSONValue {
        .members(
            (
                "streams",
                .array(
                    snapshot.streams.sorted { $0.key < $1.key }.map { number, facts in
                        .members(
                            ("name", .string(facts.name)),
                            ("partitions", .integer(Int64(partitions(number, snapshot)))),
                            ("leader", facts.leader.map { .string($0) } ?? .null),
                            ("last", .integer(Int64(clamping: facts.lastSequence))),
                            ("bytes", .integer(facts.bytes))
                        )
                    }
                )
            ),
            (
                "order",
                snapshot.order.map { order in
                    .members(
                        ("entries", .integer(Int64(clamping: order.next - 1))),
                        ("records", .integer(Int64(clamping: order.end - 1)))
                    )
                } ?? .null
            ),
            (
                "unfinished",
                snapshot.pendingChange.map { pendingChange in
                    .members(
                        ("streams", .integer(Int64(pendingChange.streams))),
                        ("accepts", .boolean(pendingChange.isAccepting))
                    )
                } ?? .null
            )
        )
    }

    /// Returns a sentence about a step, or about the first step of a dry run.
    static func sentence(_ progress: StreamChangeRunner.Progress, isDryRun: Bool) -> String {
        switch progress {
        case .stepFailed(let reason): "Retrying: \(reason)"
        case .stepStarted(let step): "\(isDryRun ? "First step" : "Now"): \(description(step))."
        }
    }

    /// Returns the progress as JSON.
    static func json(_ progress: StreamChangeRunner.Progress) -> JSONValue {
        switch progress {
        case .stepFailed(let reason): .members(("trouble", .string(reason)))
        case .stepStarted(let step): .members(("step", .string(description(step))))
        }
    }

    private static func description(_ step: StreamChangePlanner.Step) -> String {
        switch step {
        case .createOrder: "create the stream \(OrderStream.name), and wait until every collector discovers it"
        case .create(let streams): "create the \(names(streams)); no records are accepted there yet"
        case .close(let streams): "close the \(names(streams)); records are held from now on"
        case .drain(let streams): "add all records of the \(names(streams)) to the order"
        case .assignSubjects(let streams, _): "assign the \(names(streams)) the subjects of their partitions"
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
