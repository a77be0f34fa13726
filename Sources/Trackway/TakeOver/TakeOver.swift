// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What a new installation took over from the app's former SDK.
///
/// The other SDK's files are read and do not change. Values that were taken over count as if they had been set here; values that the other SDK
/// stores later have no effect.
public struct MigrationResult: Sendable, Hashable, Codable {
    /// The other SDK: "Clickstream", "Sensors Analytics" or "Sift".
    public let origin: String
    /// The id of the signed-in user, or nil.
    public internal(set) var user: String?
    /// The id of the anonymous visitor.
    public internal(set) var anonymousID: String?
    /// The unique id of the person.
    public internal(set) var uniqueID: String?
    /// The time at which the person first opened the app.
    public internal(set) var firstTouch: Timestamp?
    /// The local day of the first start, such as "2024-05-31".
    public internal(set) var firstDay: String?
    /// The system's id of the device for the apps of one vendor.
    public internal(set) var vendorID: String?
    /// Whether the app was opened before, so that its next start is not the first.
    public internal(set) var wasOpened = false
    /// The number of the latest session.
    public internal(set) var sessionNumber: Int64?
    /// The latest version of the app.
    public internal(set) var appVersion: String?
    /// The latest version of the system.
    public internal(set) var systemVersion: String?
    /// The number of users who had signed in and are still recognized.
    public internal(set) var knownUsers = 0
    /// The keys of the user attributes that were taken over.
    public internal(set) var userAttributes: [String] = []
    /// The keys of the global attributes that were taken over.
    public internal(set) var globalAttributes: [String] = []
    /// The events that were pending in the other SDK.
    public internal(set) var waiting = WaitingEvents()
    /// What could not be taken over, one sentence each.
    public internal(set) var problems: [String] = []

    /// The events that were pending in another SDK.
    public struct WaitingEvents: Sendable, Hashable, Codable {
        /// The number of these events; nil when it cannot be determined.
        public internal(set) var found: Int?
        /// The number of these events that were recorded here.
        ///
        /// They keep their ids and times, and are sent to the module's own destination.
        public internal(set) var imported = 0
        /// Whether all of these events were processed.
        public internal(set) var isComplete = false

        /// The number of events that stay in the other SDK; nil if unknown.
        ///
        /// They are not sent.
        public var left: Int? { found.map { $0 - imported } }
    }

    /// Nothing was taken over so far.
    init(origin: String) {
        self.origin = origin
    }
}

extension Analytics {
    /// What was taken over from an older SDK of the app.
    ///
    /// nil when there was nothing to take over, when this installation was not new, or when no compatibility module asked for it. Later starts
    /// return the same value until the installation is erased. Any thread may call.
    public var migrationResult: MigrationResult? { storage.takingOver.report }
}

extension Diagnostic {
    /// A part of an older SDK's state that is not taken over.
    init(notTakenOver field: String, _ value: String, _ message: String, recoverySuggestion: String? = nil) {
        self.init(
            code: .takeOverIncomplete,
            field: field,
            value: value,
            message: message,
            recoverySuggestion: recoverySuggestion
        )
    }

    /// The same as a sentence for ``MigrationResult/problems``.
    var takeOverSentence: String { "\(field): \(message)\(recoverySuggestion.map { " \($0)" } ?? "")" }

    /// What was taken over, told once.
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
