// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What the first start of a compatibility module took over from the SDK that it stands for, where that one was in the app before.
///
/// What that SDK keeps is read and stays as it is. Once taken over, it counts as if it had been said here, and what it says later counts
/// no more.
public struct MigrationResult: Sendable, Hashable, Codable {
    /// The SDK: "Clickstream", "Sensors Analytics" or "Sift".
    public let origin: String
    /// Who was signed in there; nil when nobody was, or when that could not be taken over.
    public internal(set) var user: String?
    /// What named the anonymous visitor there.
    public internal(set) var anonymousID: String?
    /// What named the person there.
    public internal(set) var uniqueID: String?
    /// When the person first opened the app.
    public internal(set) var firstTouch: Timestamp?
    /// The local day of the first start, such as "2024-05-31".
    public internal(set) var firstDay: String?
    /// The id that the system gave the device for the apps of one vendor.
    public internal(set) var vendorID: String?
    /// Whether the app was opened before, so that its next start is not the first.
    public internal(set) var wasOpened = false
    /// The number of the latest session; the next one gets the next.
    public internal(set) var sessionNumber: Int64?
    /// The version of the app that was seen last.
    public internal(set) var appVersion: String?
    /// The version of the system that was seen last.
    public internal(set) var systemVersion: String?
    /// How many people had signed in, and are recognised when they come back.
    public internal(set) var knownUsers = 0
    /// The names of the attributes of the person that were taken over.
    public internal(set) var userAttributes: [String] = []
    /// The names of the attributes of all events that were taken over.
    public internal(set) var globalAttributes: [String] = []
    /// What became of events that waited to be sent there.
    public internal(set) var waiting = WaitingEvents()
    /// What could not be taken over, a sentence each; the rest was.
    public internal(set) var problems: [String] = []

    /// What became of events that waited to be sent in another SDK.
    public struct WaitingEvents: Sendable, Hashable, Codable {
        /// How many there are; nil when that cannot be told.
        public internal(set) var found: Int?
        /// How many were recorded here, with their own ids and times, and are sent to the module's own destination.
        public internal(set) var imported = 0
        /// Whether they were gone over to the end; false while that is still to be done.
        public internal(set) var isComplete = false

        /// How many stay where they are, and are not sent any more; nil when that cannot be told.
        public var left: Int? { found.map { $0 - imported } }
    }

    /// Nothing was taken over so far.
    init(origin: String) {
        self.origin = origin
    }
}

extension Analytics {
    /// What was taken over from an older SDK of the app; nil when there was nothing, when this installation was not new, or when
    /// nobody asked for it. Later starts answer the same, until the installation is erased. Any thread.
    public var migrationResult: MigrationResult? { takingOver.report }
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
