// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
package import TrackwayCore

/// The state that a new installation migrated from the app's former SDK.
///
/// The former SDK's files are only read, not changed. Migrated values count as if they had been set in this SDK. Values
/// that the former SDK stores later have no effect.
public struct MigrationResult: Sendable, Hashable, Codable {
    /// The name of the former SDK: "Clickstream", "Sensors Analytics" or "Sift".
    public let origin: String
    /// The id of the signed-in user, or nil.
    public package(set) var user: String?
    /// The id of the anonymous visitor, or nil.
    package var anonymousID: String?
    /// The unique id of the person, or nil.
    package var uniqueID: String?
    /// The time of the person's first use of the app, or nil.
    package var firstTouch: Timestamp?
    /// The local day of the first start, such as "2024-05-31", or nil.
    package var firstDay: String?
    /// The system's device id for one vendor's apps, or nil.
    package var vendorID: String?
    /// Whether the app was opened before the migration.
    ///
    /// If so, the app's next start does not count as its first start.
    package var wasOpened = false
    /// The number of the last session, or nil.
    package var sessionNumber: Int64?
    /// The last known version of the app, or nil.
    package var appVersion: String?
    /// The last known version of the system, or nil.
    package var systemVersion: String?
    /// The number of earlier signed-in users who are still recognized.
    package var knownUsers = 0
    /// The keys of the migrated user attributes.
    public package(set) var userAttributes: [String] = []
    /// The keys of the migrated global attributes.
    public package(set) var globalAttributes: [String] = []
    /// The counts of events that were pending in the former SDK.
    public package(set) var waiting = PendingEventCounts()
    /// The values that could not be migrated, one sentence each.
    public package(set) var problems: [String] = []

    /// The counts of events that were pending in another SDK.
    public struct PendingEventCounts: Sendable, Hashable, Codable {
        /// The number of pending events; nil if it cannot be determined.
        public package(set) var found: Int?
        /// The number of pending events that were recorded in this SDK.
        ///
        /// Imported events keep their ids and times, and are sent to the module's own destination.
        public package(set) var imported = 0
        /// Whether all pending events were processed.
        public package(set) var isComplete = false

        /// The number of events that remain in the other SDK.
        ///
        /// nil if the number is unknown. Remaining events are not sent.
        public var left: Int? { found.map { $0 - imported } }
    }

    /// Creates a result for an SDK, with no migrated values.
    package init(origin: String) {
        self.origin = origin
    }
}

extension Analytics {
    /// The state that was migrated from the app's former SDK.
    ///
    /// nil if there was nothing to migrate, if this installation was not new, or if no compatibility module requested a
    /// migration. Later starts return the same value until the installation is erased. Callable from any thread.
    public var migrationResult: MigrationResult? { (migrator as? LegacyMigrator)?.result }
}
