// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Logging
internal import ServiceLifecycle
internal import TrackwayCore

/// Logs the numbers of rejected and failed requests by code, once a minute.
struct RefusalLog: Service, CustomStringConvertible {
    let description = "log of refused requests"
    let statistics: Locked<RequestStatistics>
    let logger: Logger

    private static let interval = Duration.seconds(60)

    func run() async throws {
        // A graceful shutdown arrives here as cancellation.
        try? await cancelWhenGracefulShutdown {
            var before: [String: UInt64] = [:]
            while true {
                try await ContinuousClock().sleep(for: Self.interval)
                let now = statistics.withLock { $0.failures }
                if let line = Self.line(now, since: before) { logger.notice("\(line)") }
                before = now
            }
        }
    }

    /// Returns the log line for new failures, most frequent first.
    ///
    /// Nil if there are no new failures.
    ///
    /// - Parameters:
    ///   - counts: The numbers of rejected and failed requests so far, by code.
    ///   - before: The same counts one minute earlier.
    static func line(_ counts: [String: UInt64], since before: [String: UInt64]) -> String? {
        let changes = counts.compactMap { code, count -> (code: String, count: UInt64)? in
            let more = count - min(before[code] ?? 0, count)
            return more > 0 ? (code, more) : nil
        }.sorted { ($1.count, $0.code) < ($0.count, $1.code) }
        guard !changes.isEmpty else { return nil }
        let list = changes.map { "\($0.code) \($0.count)" }.joined(separator: ", ")
        return "Requests refused or failed in the last minute: \(list)."
    }
}
