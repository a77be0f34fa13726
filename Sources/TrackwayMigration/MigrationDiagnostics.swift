// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore

extension Diagnostic {
    /// Creates the diagnostic for state of an older SDK that was not migrated.
    init(notMigrated field: String, _ value: String, _ message: String, recoverySuggestion: String? = nil) {
        self.init(
            code: .takeOverIncomplete,
            field: field,
            value: value,
            message: message,
            recoverySuggestion: recoverySuggestion
        )
    }

    /// The diagnostic as a sentence for ``MigrationResult/problems``.
    var migrationSentence: String { "\(field): \(message)\(recoverySuggestion.map { " \($0)" } ?? "")" }

    /// Creates the diagnostic for the migrated state, which is reported once.
    init(_ report: MigrationResult) {
        var parts: [String] = []
        if report.user != nil { parts.append("user") }
        if report.anonymousID != nil { parts.append("anonymous id") }
        if report.uniqueID != nil { parts.append("unique id") }
        if report.wasOpened { parts.append("first start") }
        if report.firstDay != nil { parts.append("first day") }
        if let number = report.sessionNumber { parts.append("session \(number)") }
        if !report.userAttributes.isEmpty { parts.append("\(report.userAttributes.count) user attributes") }
        if !report.globalAttributes.isEmpty { parts.append("\(report.globalAttributes.count) global attributes") }
        self.init(
            code: .takenOver,
            field: report.origin,
            value: parts.joined(separator: ", "),
            message: "The state of \(report.origin) was migrated: \(parts.joined(separator: ", ")). "
                + "Analytics.migrationResult has the details."
        )
    }
}
