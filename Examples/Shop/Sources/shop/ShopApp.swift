// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import ShopCore
internal import Trackway

/// The app: starts analytics, runs the visits, sends pending events and prints the ledger.
@main
struct ShopApp {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            if options.printsHelp {
                Output.line(Options.help)
                return
            }
            try await run(options)
        } catch let error as UsageError {
            Output.error("shop: \(error.sentence)\nTry: shop --help")
            exit(64)
        } catch {
            Output.error("shop: \(error)")
            exit(70)
        }
    }

    private static func run(_ options: Options) async throws {
        var configuration = Configuration(
            appID: Options.application,
            destinations: options.destinations,
            consent: options.visitorsBeforeConsent == nil ? .granted : .pending
        )
        configuration.appVersion = "1.0.0"
        configuration.storage.folder = options.folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
        if options.visitors != nil {
            configuration.sessions.timeout = SimulatedVisits.sessionTimeout(pace: options.pace)
        }
        // Uses this machine, or a simulated phone with battery, position and networks.
        configuration.snapshots = SnapshotOptions(
            sources: options.phone.map { SimulatedPhoneSource(number: $0).sources }
        )
        let analytics = try Analytics(configuration)
        analytics.setGlobalAttributes([
            "channel": "terminal", "visit": options.visitors == nil ? "in person" : "unattended",
        ])
        let shopAnalytics = ShopAnalytics(analytics: analytics)

        if let visitors = options.visitors {
            await SimulatedVisits(options: options, visitors: visitors, analytics: shopAnalytics).run()
        } else {
            try await InteractiveVisit(customer: options.name, analytics: shopAnalytics).run()
        }

        if options.erasesAtEnd { try await shopAnalytics.erase() }
        let report = await analytics.flush(timeout: options.visitors == nil ? .seconds(5) : .seconds(20))
        await analytics.shutdown(timeout: .seconds(1))
        let ledger = LedgerReport(
            ledger: analytics.ledger(),
            report: report,
            installation: analytics.installationID
        )
        Output.line(options.printsJSON ? try ledger.json() : ledger.text())
        exit(ledger.isBalanced ? 0 : 1)
    }
}
