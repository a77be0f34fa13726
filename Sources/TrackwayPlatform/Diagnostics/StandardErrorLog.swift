// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
package import TrackwayCore

/// Writes diagnostics to standard error.
///
/// The log writes one line per diagnostic, and a few lines per code and minute. It never waits for the reader of
/// standard error and never raises SIGPIPE: a line that cannot be written immediately is dropped.
package final class StandardErrorLog: Sendable {
    /// The maximum length of a line in bytes.
    ///
    /// A pipe accepts a line of this length atomically.
    private static let longestLine = 1_024

    private let throttle: Locked<DiagnosticThrottle>
    private let clock: any EventClock
    private let write: @Sendable (String) -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - clock: The clock that provides the time for the throttle.
    ///   - throttle: Limits the diagnostics per code.
    ///   - write: Writes a line including its line feed; by default to standard error.
    package init(
        clock: any EventClock = SystemClock(),
        throttle: DiagnosticThrottle = DiagnosticThrottle(),
        write: @escaping @Sendable (String) -> Void = StandardErrorLog.writeLine
    ) {
        self.clock = clock
        self.throttle = Locked(throttle)
        self.write = write
    }

    /// Writes a diagnostic unless its code has exceeded the limit.
    ///
    /// This function can be called from any thread.
    package func report(_ diagnostic: Diagnostic) {
        let now = clock.now().monotonic
        let decision = throttle.withLock {
            $0.diagnosticArrived(code: diagnostic.code.rawValue, at: now)
        }
        switch decision {
        case .skip:
            return
        case .log(let skipped):
            let more = skipped > 0 ? " (and \(skipped) more like it since the last one)" : ""
            write(Self.line("trackway: \(diagnostic)\(more)"))
        }
    }

    /// Writes a line to standard error if that is possible without blocking.
    package static func writeLine(_ line: String) {
        var line = line
        // An error is ignored, because it could not be reported anywhere else.
        _ = line.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { ctrackway_write_standard_error($0.baseAddress, $0.count) }
        }
    }

    /// Converts a text to one line of limited length.
    ///
    /// Control characters become spaces, so that a value from the app cannot forge a second line.
    static func line(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            if line.utf8.count > longestLine - 8 {
                line += "…"
                break
            }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: line += " "
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line + "\n"
    }
}
