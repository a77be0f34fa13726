// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import Logging
internal import TrackwayCommand
internal import TrackwayEvents

/// How long a forwarder keeps events in the tables.
struct RetentionOptions: ParsableArguments {
    /// So often it is looked whether a week is old enough.
    private static let pause: Duration = .seconds(3_600)
    /// So often one that stands by looks whether it still does.
    private static let standbyPause: Duration = .seconds(60)

    @Option(
        help: ArgumentHelp(
            "Let go of weeks of events in ClickHouse that arrived longer ago, such as 26w or 180d, as trackway-cluster engine expire does. Default: everything stays there.",
            valueName: "time"
        )
    )
    var retention: String?

    /// Sees that a time is one.
    func validate() throws { _ = try time() }

    private func time() throws -> KeptTime? { try retention.map { try KeptTime(ofEvents: $0, option: "--retention") } }

    /// Lets go of what is old, again and again until the task is cancelled, while this forwarder writes; nothing without a time.
    func run(_ store: ClickHouseStore, _ report: ForwardReport) async {
        // Validated before.
        guard let age = try? time()?.duration else { return }
        var told: [String] = []
        while !Task.isCancelled {
            if report.isStandingBy {
                await CollectorHost.sleep(Self.standbyPause)
                continue
            }
            let found = await TableExpiry.carryOut(
                store,
                at: SystemClock().now().wall,
                age: age,
                sleep: CollectorHost.sleep
            )
            if Task.isCancelled { return }
            let trouble = ExpiryText.reasons(found)
            report.expired(found, trouble: trouble == told ? [] : trouble)
            told = trouble
            await CollectorHost.sleep(Self.pause)
        }
    }
}

extension ForwardReport {
    /// Weeks of events went, or something new stands in the way.
    ///
    /// - Parameter trouble: What that is, a sentence each.
    func expired(_ report: ExpiryReport, trouble: [String]) {
        health?.expired(report)
        for week in report.expired {
            logger.notice(
                "The week from \(ExpiryText.date(TableExpiry.beginning(of: week.number))) on went: \(week.rows) events."
            )
        }
        for line in trouble { logger.warning("\(line)") }
        guard isJSON, !report.expired.isEmpty || !trouble.isEmpty else { return }
        Console.standard.write(json: .members(("expiry", ExpiryText.json(report))))
    }
}
