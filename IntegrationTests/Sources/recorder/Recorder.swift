// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway

/// An app on the SDK for tests to kill, starve and interrupt: it records as its arguments and the lines on its standard
/// input say, and tells on standard output what it did, one line each, written at once.
///
/// `kept SEQUENCE THREAD NUMBER` is written after `record` has returned, never before.
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
        let analytics = try Analytics(options.configuration())
        for queue in options.queues { try options.add(queue.id, queue.url, queue.policy, to: analytics) }
        Output.line("ready \(analytics.installation)")
        let load = Load(analytics, options)
        if let timeout = options.flushFirst { await report(analytics, timeout) }
        if options.threads > 0 { await load.run() }
        if let timeout = options.finish {
            await report(analytics, timeout)
            Output.line("ledger \(analytics.ledger().json)")
            await analytics.shutdown(within: timeout)
            Output.line("done")
        }
        if options.takesOrders {
            var orders = Orders(analytics, load)
            await orders.follow()
        }
    }

    static func report(_ analytics: Analytics, _ timeout: Duration) async {
        let report = await analytics.flush(timeout: timeout)
        Output.line("report \(report.json)")
    }
}
