// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import Logging
internal import TrackwayCommand
internal import TrackwayEvents

/// How long a forwarder keeps events in the tables.
struct TableRetentionOptions: ParsableArguments {
    /// The interval of expiries.
    private static let pause: Duration = .seconds(3_600)
    /// The interval at which a forwarder on stand-by checks its role.
    private static let standbyPause: Duration = .seconds(60)

    @Option(
        help: ArgumentHelp(
            """
            Age after which whole weeks of events are dropped from ClickHouse, such as 26w or 180d, as by \
            trackway-cluster engine expire. Default: never.
            """,
            valueName: "time"
        )
    )
    var retention: String?

    /// Validates the option.
    func validate() throws { _ = try time() }

    private func time() throws -> RetentionTime? {
        try retention.map { try RetentionTime(ofEvents: $0, option: "--retention") }
    }

    /// Drops old events repeatedly while this forwarder writes, until the task is canceled.
    ///
    /// Does nothing without a time.
    func run(_ store: ClickHouseStore, _ report: ForwardReport) async {
        // Validated earlier.
        guard let age = try? time()?.duration else { return }
        var told: [String] = []
        while !Task.isCancelled {
            if report.isStandingBy {
                await CollectorHost.sleep(Self.standbyPause)
                continue
            }
            let found = await ExpiryPlanner.carryOut(
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
    /// Reports expired weeks and new problems.
    ///
    /// - Parameter trouble: The new problems, one sentence each.
    func expired(_ report: ExpiryReport, trouble: [String]) {
        health?.expired(report)
        for week in report.expired {
            logger.notice(
                "The week from \(ExpiryText.date(ExpiryPlanner.beginning(of: week.number))) expired: \(week.rows) events."
            )
        }
        for line in trouble { logger.warning("\(line)") }
        guard isJSON, !report.expired.isEmpty || !trouble.isEmpty else { return }
        Console.standard.write(json: .members(("expiry", ExpiryText.json(report))))
    }
}
