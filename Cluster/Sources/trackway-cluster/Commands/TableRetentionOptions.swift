// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorCore
internal import Logging
internal import TrackwayCommand
internal import TrackwayCore

/// The time for which a forwarder keeps events in the tables.
struct TableRetentionOptions: ParsableArguments {
    /// The interval between expiry runs.
    private static let pause: Duration = .seconds(3_600)
    /// The interval at which a forwarder on standby checks its role.
    private static let standbyPause: Duration = .seconds(60)

    @Option(
        help: ArgumentHelp(
            """
            Age after which whole weeks of events are dropped from ClickHouse, such as 26w or 180d; 2w or more. \
            Default: never.
            """,
            valueName: "time"
        )
    )
    var tableRetention: String?

    /// Validates the option.
    func validate() throws { _ = try time() }

    private func time() throws -> RetentionTime? {
        try tableRetention.map { try RetentionTime(ofEvents: $0, option: "--table-retention") }
    }

    /// Drops old events repeatedly while this forwarder writes, until the task is canceled.
    ///
    /// Does nothing without a retention time.
    func run(_ store: ClickHouseStore, _ reporter: ForwardReporter) async {
        // The option was validated earlier.
        guard let age = try? time()?.duration else { return }
        var lastReasons: [String] = []
        while !Task.isCancelled {
            if reporter.isStandingBy {
                await CollectorHost.sleep(Self.standbyPause)
                continue
            }
            let report = await ExpiryRunner.run(
                store,
                at: SystemClock().now().wall,
                age: age,
                sleep: CollectorHost.sleep
            )
            if Task.isCancelled { return }
            let reasons = ExpiryText.reasons(report)
            reporter.reportExpiry(report, problems: reasons == lastReasons ? [] : reasons)
            lastReasons = reasons
            await CollectorHost.sleep(Self.pause)
        }
    }
}

extension ForwardReporter {
    /// Reports expired weeks and new problems.
    ///
    /// - Parameter problems: The new problems, one sentence each.
    func reportExpiry(_ report: ExpiryReport, problems: [String]) {
        health?.record(report)
        for week in report.expired {
            logger.notice(
                "The week from \(ExpiryText.date(ExpiryPlanner.start(ofWeek: week.number))) expired: \(week.rows) events."
            )
        }
        for problem in problems { logger.warning("\(problem)") }
        guard isJSON, !report.expired.isEmpty || !problems.isEmpty else { return }
        Console.standard.write(json: .members(("expiry", ExpiryText.json(report))))
    }
}
