// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides which diagnostics are written, so that a mistake in a loop does not flood the log: each code may speak a few
/// times a minute, and afterwards says how often it was silent.
package struct DiagnosticThrottle: Sendable {
    /// What to do with a diagnostic.
    package enum Decision: Sendable, Hashable {
        /// Write it, with the number of equals left out since the last one written.
        case write(leftOut: Int)
        /// Leave it out.
        case leaveOut
    }

    private struct Window: Sendable {
        var began: MonotonicTime
        var written = 0
        var leftOut = 0
    }

    private let burst: Int
    private let span: Duration
    private let maxCodes: Int
    private var windows: [String: Window] = [:]

    /// Makes a throttle.
    ///
    /// - Parameters:
    ///   - burst: How many diagnostics of one code are written per span.
    ///   - span: The length of a code's window.
    ///   - maxCodes: How many codes are told apart; the rest share one window, so memory stays bounded.
    package init(burst: Int = 5, span: Duration = .seconds(60), maxCodes: Int = 64) {
        self.burst = max(1, burst)
        self.span = span
        self.maxCodes = max(1, maxCodes)
    }

    /// A diagnostic wants to be written.
    package mutating func diagnosticArrived(code: String, at now: MonotonicTime) -> Decision {
        let key = windows[code] != nil || windows.count < maxCodes ? code : ""
        var window = windows[key] ?? Window(began: now)
        if window.began.advanced(by: span) <= now {
            let leftOut = window.leftOut
            windows[key] = Window(began: now, written: 1)
            return .write(leftOut: leftOut)
        }
        defer { windows[key] = window }
        if window.written < burst {
            window.written += 1
            return .write(leftOut: 0)
        }
        window.leftOut += 1
        return .leaveOut
    }
}
