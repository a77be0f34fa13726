// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway

/// An app built on the SDK that tests can kill, starve and interrupt.
///
/// It records as specified by its arguments and by the lines on standard input, and prints one unbuffered line for each
/// result.
///
/// `kept SEQUENCE THREAD NUMBER` is always written after `record` has returned, never before.
@main
struct Recorder {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            try await run(options)
            exit(0)
        } catch {
            Output.line("failed \(error)")
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws {
        try options.host.apply()
        let streams = StandardStreams()
        if let report = options.report {
            try Output.report(to: report)
            await streams.watch()
        }
        defer { if options.report != nil { for line in streams.foundFiles { Output.line("below \(line)") } } }
        let analytics = try Analytics(options.configuration())
        for queue in options.queues { try options.addSift(queue.id, queue.url, queue.policy, to: analytics) }
        Output.line("ready \(analytics.installationID)")
        if options.printsStart {
            Output.line("consent \(analytics.consent.rawValue)")
            Output.line("ledger \(analytics.ledger().json)")
        }
        let load = LoadGenerator(analytics, options)
        if let timeout = options.flushFirst { await report(analytics, timeout) }
        if options.threads > 0, !options.recordsConcurrently { await load.run() }
        if let timeout = options.finish {
            await report(analytics, timeout)
            Output.line("ledger \(analytics.ledger().json)")
            await analytics.shutdown(timeout: timeout)
            Output.line("done")
        }
        guard options.readsCommands else { return }
        var commands = CommandLoop(analytics, load, options)
        guard options.recordsConcurrently else { return await commands.run() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await load.run() }
            await commands.run()
            // The threads would never end.
            exit(0)
        }
    }

    static func report(_ analytics: Analytics, _ timeout: Duration) async {
        let report = await analytics.flush(timeout: timeout)
        Output.line("report \(report.json)")
        Output.line("complete \(report.isComplete)")
    }
}
