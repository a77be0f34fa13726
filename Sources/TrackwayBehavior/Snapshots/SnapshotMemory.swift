// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What must survive a restart of the app, so that one that is started often is no exception: when snapshots were taken,
/// and which properties were told last.
package struct SnapshotMemory: Sendable, Hashable, Codable {
    var cadence: SnapshotCadence
    /// Compares digests: what a device is need not lie in another file.
    var properties = DuplicateSuppression<String>()

    /// Nothing was ever taken.
    package init(policy: SnapshotPolicy = SnapshotPolicy()) {
        cadence = SnapshotCadence(policy: policy)
    }
}
