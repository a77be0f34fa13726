// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The state that a new installation migrated from the app's former SDK.
///
/// The other SDK's files are read and do not change. Migrated values count as if they had been set here. Values that
/// the other SDK stores later have no effect.
public struct MigrationResult: Sendable, Hashable, Codable {
    /// The name of the other SDK: "Clickstream", "Sensors Analytics" or "Sift".
    public let origin: String
    /// The id of the signed-in user, or nil.
    public internal(set) var user: String?
    /// The id of the anonymous visitor, or nil.
    public internal(set) var anonymousID: String?
    /// The unique id of the person, or nil.
    public internal(set) var uniqueID: String?
    /// The time of the person's first use of the app, or nil.
    public internal(set) var firstTouch: Timestamp?
    /// The local day of the first start, such as "2024-05-31", or nil.
    public internal(set) var firstDay: String?
    /// The system's device id for one vendor's apps, or nil.
    public internal(set) var vendorID: String?
    /// Whether the app was opened before.
    ///
    /// If so, its next start does not count as the first.
    public internal(set) var wasOpened = false
    /// The number of the latest session, or nil.
    public internal(set) var sessionNumber: Int64?
    /// The latest version of the app, or nil.
    public internal(set) var appVersion: String?
    /// The latest version of the system, or nil.
    public internal(set) var systemVersion: String?
    /// The number of users who had signed in and are still recognized.
    public internal(set) var knownUsers = 0
    /// The keys of the migrated user attributes.
    public internal(set) var userAttributes: [String] = []
    /// The keys of the migrated global attributes.
    public internal(set) var globalAttributes: [String] = []
    /// The events that were pending in the other SDK.
    public internal(set) var waiting = PendingEventCounts()
    /// The values that could not be migrated, one sentence each.
    public internal(set) var problems: [String] = []

    /// The events that were pending in another SDK.
    public struct PendingEventCounts: Sendable, Hashable, Codable {
        /// The number of these events; nil if it cannot be determined.
        public internal(set) var found: Int?
        /// The number of these events that were recorded here.
        ///
        /// They keep their ids and times, and are sent to the module's own destination.
        public internal(set) var imported = 0
        /// Whether all of these events were processed.
        public internal(set) var isComplete = false

        /// The number of events that stay in the other SDK.
        ///
        /// nil if unknown. They are not sent.
        public var left: Int? { found.map { $0 - imported } }
    }

    /// Creates the result of an SDK, without any migrated values.
    init(origin: String) {
        self.origin = origin
    }
}

extension Analytics {
    /// The state that was migrated from an older SDK of the app.
    ///
    /// nil if there was nothing to migrate, if this installation was not new, or if no compatibility module requested a
    /// migration. Later starts return the same value until the installation is erased. Any thread may call.
    public var migrationResult: MigrationResult? { storage.takingOver.report }
}

extension Diagnostic {
    /// Creates the diagnostic for state of an older SDK that was not migrated.
    init(notTakenOver field: String, _ value: String, _ message: String, recoverySuggestion: String? = nil) {
        self.init(
            code: .takeOverIncomplete,
            field: field,
            value: value,
            message: message,
            recoverySuggestion: recoverySuggestion
        )
    }

    /// The diagnostic as a sentence for ``MigrationResult/problems``.
    var takeOverSentence: String { "\(field): \(message)\(recoverySuggestion.map { " \($0)" } ?? "")" }

    /// Creates the diagnostic for the migrated state, reported once.
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
