// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The state that a new installation migrated from the app's former SDK.
///
/// The former SDK's files are only read, not changed. Migrated values count as if they had been set in this SDK. Values
/// that the former SDK stores later have no effect.
public struct MigrationResult: Sendable, Hashable, Codable {
    /// The name of the former SDK: "Clickstream", "Sensors Analytics" or "Sift".
    public let origin: String
    /// The id of the signed-in user, or nil.
    public internal(set) var user: String?
    /// The id of the anonymous visitor, or nil.
    package internal(set) var anonymousID: String?
    /// The unique id of the person, or nil.
    package internal(set) var uniqueID: String?
    /// The time of the person's first use of the app, or nil.
    package internal(set) var firstTouch: Timestamp?
    /// The local day of the first start, such as "2024-05-31", or nil.
    package internal(set) var firstDay: String?
    /// The system's device id for one vendor's apps, or nil.
    package internal(set) var vendorID: String?
    /// Whether the app was opened before the migration.
    ///
    /// If so, the app's next start does not count as its first start.
    package internal(set) var wasOpened = false
    /// The number of the last session, or nil.
    package internal(set) var sessionNumber: Int64?
    /// The last known version of the app, or nil.
    package internal(set) var appVersion: String?
    /// The last known version of the system, or nil.
    package internal(set) var systemVersion: String?
    /// The number of earlier signed-in users who are still recognized.
    package internal(set) var knownUsers = 0
    /// The keys of the migrated user attributes.
    public internal(set) var userAttributes: [String] = []
    /// The keys of the migrated global attributes.
    public internal(set) var globalAttributes: [String] = []
    /// The counts of events that were pending in the former SDK.
    public internal(set) var waiting = PendingEventCounts()
    /// The values that could not be migrated, one sentence each.
    public internal(set) var problems: [String] = []

    /// The counts of events that were pending in another SDK.
    public struct PendingEventCounts: Sendable, Hashable, Codable {
        /// The number of pending events; nil if it cannot be determined.
        public internal(set) var found: Int?
        /// The number of pending events that were recorded in this SDK.
        ///
        /// Imported events keep their ids and times, and are sent to the module's own destination.
        public internal(set) var imported = 0
        /// Whether all pending events were processed.
        public internal(set) var isComplete = false

        /// The number of events that remain in the other SDK.
        ///
        /// nil if the number is unknown. Remaining events are not sent.
        public var left: Int? { found.map { $0 - imported } }
    }

    /// Creates a result for an SDK, with no migrated values.
    init(origin: String) {
        self.origin = origin
    }
}

extension Analytics {
    /// The state that was migrated from the app's former SDK.
    ///
    /// nil if there was nothing to migrate, if this installation was not new, or if no compatibility module requested a
    /// migration. Later starts return the same value until the installation is erased. Callable from any thread.
    public var migrationResult: MigrationResult? { storage.migrator.report }
}

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
