// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Logging
internal import ServiceLifecycle
internal import TrackwayEvents

/// Logs once a minute which requests were refused or failed in it, in sums by their codes.
struct RefusalLog: Service, CustomStringConvertible {
    let description = "log of refused requests"
    let statistics: Locked<RequestStatistics>
    let logger: Logger

    private static let interval = Duration.seconds(60)

    func run() async throws {
        // Ends by cancellation, which is how a graceful shutdown arrives here.
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

    /// What was refused since the counts were others, the most frequent first; nil when nothing was.
    ///
    /// - Parameters:
    ///   - counts: refused and failed requests so far, by code.
    ///   - before: the same a minute before.
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
