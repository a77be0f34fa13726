// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The snapshot state that survives a restart of the app.
///
/// It holds the times of snapshots and the last reported properties, so frequent restarts do not bypass the limits.
package struct SnapshotMemory: Sendable, Equatable, Codable {
    var cadence: SnapshotCadence
    /// The suppression of unchanged properties.
    ///
    /// It compares digests, so that device properties are not stored in another file.
    private var properties = DuplicateSuppression<String>()

    /// Creates the memory of an installation without snapshots.
    package init(policy: SnapshotPolicy = SnapshotPolicy()) {
        cadence = SnapshotCadence(policy: policy)
    }

    /// Returns whether the properties are new or due to be reported again.
    ///
    /// If so, the properties count as reported from now on. The comparison includes the user.
    mutating func isNew(_ properties: Attributes, of person: String?, within window: Duration, at time: DeviceTime)
        -> Bool
    {
        // These bytes never occur in JSON: a missing user differs from a user with an empty id, and no id can be
        // mistaken for a property.
        let whose: [UInt8] = person.map { [1] + Array($0.utf8) } ?? [0]
        let digest = SHA256.hash(JSONValue.object(properties.json).json() + whose).prefix(16).hexadecimal
        return self.properties.accept(digest, within: window, at: time)
    }
}
