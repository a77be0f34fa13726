// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Trackway

/// A Linux service that handles an order for each line of standard input.
@main
struct Service {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        let url = URL(string: environment["TRACKWAY_URL"] ?? "http://127.0.0.1:8787")!
        let key = environment["TRACKWAY_KEY"] ?? "dev"
        var configuration = Configuration(
            appID: "order-service",
            destinations: [
                .collector(url, writeKey: key),
                // Finance, which has its own collector in production, gets payments only, without e-mail addresses.
                .collector(url, writeKey: key, id: "finance").configured(
                    rules: [.allow("payment"), .deny("*"), .redact("email")]
                ),
            ],
            consent: .granted
        )
        // systemd sets STATE_DIRECTORY; without it, the user's state folder is used.
        configuration.storage.folder = environment["STATE_DIRECTORY"].map {
            URL(fileURLWithPath: $0, isDirectory: true)
        }
        configuration.delivery.policy.flushInterval = .seconds(2)
        // On SIGTERM the service sends pending events and exits after at most five seconds.
        configuration.lifecycle.terminationTimeout = .seconds(5)
        configuration.capture = []
        configuration.onDiagnostic = { diagnostic in
            FileHandle.standardError.write(Data("trackway \(diagnostic.severity): \(diagnostic)\n".utf8))
        }
        // Without a usable folder the service still works, but records nothing.
        let analytics = Analytics.start(configuration)
        analytics.setGlobalAttributes(["host": ProcessInfo.processInfo.hostName])

        while let line = readLine() {
            let start = ContinuousClock.now
            let fields = line.split(separator: " ")
            guard fields.count == 2, let total = Double(fields[1]) else {
                analytics.record("order_rejected", ["reason": "malformed", "length": line.utf8.count])
                continue
            }
            do {
                // A payment is on disk before it is confirmed.
                try await analytics.recordDurably("payment", ["email": fields[0], "total": total])
                print("confirmed \(fields[0])")
            } catch {
                print("failed \(fields[0]): \(error)")
            }
            analytics.record("order_handled", ["took": start.duration(to: .now)])
        }
        let report = await analytics.flush(timeout: .seconds(5))
        await analytics.shutdown()
        print("delivered: \(report.isComplete)")
    }
}
