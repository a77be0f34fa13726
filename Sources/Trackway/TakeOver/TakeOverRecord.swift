// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior

/// How far taking over has come, kept in the installation's folder as `takeover`.
///
/// It is written before the installation gets its identity, so that a process killed at any moment leaves either nothing at all, or a
/// word that there is something to be done. From then on each step may be done again without a difference.
struct TakeOverRecord: Sendable, Hashable, Codable {
    enum Stage: String, Sendable, Codable {
        /// This installation is new; nothing was read yet.
        case begun
        /// Who and what is known was taken over; events that waited may not have been.
        case importing
        /// Everything was taken over.
        case done
        /// Nothing is taken over any more: the person had this installation erased.
        case closed
    }

    private var version = 1
    var stage: Stage
    /// The last row that was gone over.
    var row: Int64 = 0
    /// What the app's behaviour goes on from.
    var behavior: FormerBehavior?
    /// What was taken over; nil when there was nothing.
    var report: MigrationResult?

    init(_ stage: Stage) {
        self.stage = stage
    }

    /// Whether something is still to be done.
    var isUnfinished: Bool {
        switch stage {
        case .begun, .importing: true
        case .done, .closed: false
        }
    }
}
