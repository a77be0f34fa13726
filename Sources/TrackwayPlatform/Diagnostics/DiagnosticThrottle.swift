// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Limits the diagnostics that are logged.
///
/// Each code is logged a few times per minute, so an error in a loop does not flood the log. The next logged diagnostic
/// states how many were skipped.
package struct DiagnosticThrottle: Sendable {
    /// Whether to log a diagnostic.
    package enum Decision: Sendable, Equatable {
        /// Log the diagnostic, with the number of earlier ones that were skipped.
        case log(skipped: Int)
        /// Skip the diagnostic.
        case skip
    }

    private struct Window: Sendable {
        var began: MonotonicTime
        var written = 0
        var skipped = 0
    }

    private let burst: Int
    private let span: Duration
    private let maxCodes: Int
    private var windows: [String: Window] = [:]

    /// Creates a throttle.
    ///
    /// - Parameters:
    ///   - burst: The maximum number of diagnostics per code and span.
    ///   - span: The length of a code's window.
    ///   - maxCodes: The maximum number of codes tracked separately; the rest share one window, so memory stays
    ///     bounded.
    package init(burst: Int = 5, span: Duration = .seconds(60), maxCodes: Int = 64) {
        self.burst = max(1, burst)
        self.span = span
        self.maxCodes = max(1, maxCodes)
    }

    /// Decides whether to log a diagnostic.
    package mutating func diagnosticArrived(code: String, at now: MonotonicTime) -> Decision {
        let key = windows[code] != nil || windows.count < maxCodes ? code : ""
        var window = windows[key] ?? Window(began: now)
        if window.began.advanced(by: span) <= now {
            let skipped = window.skipped
            windows[key] = Window(began: now, written: 1)
            return .log(skipped: skipped)
        }
        defer { windows[key] = window }
        if window.written < burst {
            window.written += 1
            return .log(skipped: 0)
        }
        window.skipped += 1
        return .skip
    }
}
