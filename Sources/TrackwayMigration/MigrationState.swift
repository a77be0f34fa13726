// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayLifecycle

/// The progress of a migration, stored in the installation's folder as `takeover`.
///
/// The state is written before the installation gets its identity, so that a process that is killed at any time leaves
/// either nothing or a record of the remaining work. Repeating a step after that has no effect.
struct MigrationState: Sendable, Hashable, Codable {
    enum Stage: String, Sendable, Codable {
        /// The installation is new, and nothing has been read yet.
        case begun
        /// Users and state were migrated; pending events may not have been.
        case importing
        /// Everything was migrated.
        case done
        /// Nothing more is migrated, because the user erased this installation.
        case closed
    }

    private var version = 1
    var stage: Stage
    /// The last processed row.
    var row: Int64 = 0
    /// The state from which the lifecycle state machines continue.
    var behavior: LegacyLifecycle?
    /// The migrated state; nil if there was nothing to migrate.
    var report: MigrationResult?

    init(_ stage: Stage) {
        self.stage = stage
    }

    /// Whether work remains.
    var isUnfinished: Bool {
        switch stage {
        case .begun, .importing: true
        case .done, .closed: false
        }
    }
}
