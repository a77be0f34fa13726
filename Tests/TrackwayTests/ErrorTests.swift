// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore

@Suite("Errors and the diagnostics page")
struct ErrorTests {
    @Test
    func `an error's description contains the code, the message, the suggestion and the cause`() {
        let plain = TrackwayError(.noDestinations, "No destination is configured.")
        #expect("\(plain)" == "no_destinations: No destination is configured.")
        #expect(plain.recoverySuggestion == nil && plain.cause == nil)
        let full = TrackwayError(
            .invalidAppID,
            "The app id is empty.",
            recoverySuggestion: "Use another.",
            cause: Cause()
        )
        #expect("\(full)" == "invalid_app_id: The app id is empty. Use another. (the cause)")
    }

    @Test
    func `a diagnostic with the code of an error has the severity error`() {
        let code = Diagnostic.Code(TrackwayError.Code.storageUnavailable)
        #expect(code.rawValue == "storage_unavailable" && code.severity == .error)
    }

    @Test(arguments: [
        Diagnostic.Code.nameEmpty, .valueTooLong, .malformed, .fieldDuplicate, .notKept, .storageFailing,
        .userForgotten,
        .settingOutOfRange, .screenCaptureMissing, .lifecycleObservationFailed, .crashCaptureUnavailable,
        .systemReportDropped, .destinationParked, .destinationDown, .eventRefused, .intercepted, .takenOver,
        .previewed,
        .storageAwaited, .unknownDestination, .streamsDamaged, .timerUnknown, .snapshotsOff, .groupInvalid,
    ])
    func `the diagnostics page lists codes with their severity`(_ code: Diagnostic.Code) throws {
        #expect(try Self.rows("Diagnostics").contains { $0.hasPrefix("| `\(code)` | \(code.severity.rawValue) | ") })
    }

    @Test(arguments: [
        DropReason.damaged, .journalFull, .storageAwaited, .consentDenied, .duplicate, .forked, .notCollected,
        .unknownDestination, .intercepted,
    ])
    func `the diagnostics page lists drop reasons`(_ reason: DropReason) throws {
        #expect(try Self.rows("Drop reasons").contains { $0.hasPrefix("| `\(reason)` | ") })
    }

    @Test(arguments: [
        TrackwayError.Code.invalidAppID, .noDestinations, .tooManyDestinations, .destinationKindMismatch,
        .snapshotEnded,
        .inForkedChild, .notErased,
    ])
    func `the diagnostics page lists error codes`(_ code: TrackwayError.Code) throws {
        #expect(try Self.rows("Error codes").contains { $0.hasPrefix("| `\(code)` | ") })
    }

    /// The rows of one section's table.
    private static func rows(_ section: String) throws -> [Substring] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let page = try String(contentsOf: root.appending(path: "Documentation/Diagnostics.md"), encoding: .utf8)
        let lines = page.split(separator: "\n")
        let start = try #require(lines.firstIndex(of: "## \(section)"))
        return lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| `") }
    }

    private struct Cause: Error, CustomStringConvertible {
        let description = "the cause"
    }
}
