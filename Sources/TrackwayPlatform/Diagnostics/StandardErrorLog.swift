// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
package import TrackwayEvents

/// Writes diagnostics to standard error, one line each, a few per code and minute.
///
/// Never waits for whoever reads standard error, never raises SIGPIPE: a line that cannot be written at once is lost.
package final class StandardErrorLog: Sendable {
    /// Longer lines are cut; short enough for a pipe to take a line in one piece.
    private static let longestLine = 1_024

    private let throttle: Locked<DiagnosticThrottle>
    private let clock: any EventClock
    private let write: @Sendable (String) -> Void

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - clock: Tells when a code may speak again.
    ///   - throttle: How often that is.
    ///   - write: Takes a line with its end; standard error unless a test says otherwise.
    package init(
        clock: any EventClock = SystemClock(),
        throttle: DiagnosticThrottle = DiagnosticThrottle(),
        write: @escaping @Sendable (String) -> Void = StandardErrorLog.writeLine
    ) {
        self.clock = clock
        self.throttle = Locked(throttle)
        self.write = write
    }

    /// Writes a diagnostic unless its code has spoken enough. Any thread.
    package func report(_ diagnostic: Diagnostic) {
        let now = clock.now().monotonic
        let decision = throttle.withLock {
            $0.diagnosticArrived(code: diagnostic.code.rawValue, at: now)
        }
        switch decision {
        case .leaveOut:
            return
        case .write(let leftOut):
            let more = leftOut > 0 ? " (and \(leftOut) more like it since the last one)" : ""
            write(Self.line("trackway: \(diagnostic)\(more)"))
        }
    }

    /// Writes a line to standard error if that is possible at once.
    package static func writeLine(_ line: String) {
        var line = line
        // Nowhere is left to say that the log cannot be written.
        _ = line.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { ctrackway_write_standard_error($0.baseAddress, $0.count) }
        }
    }

    /// One line without control characters, whatever an app's values hold, so that no value can fake a second line.
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
