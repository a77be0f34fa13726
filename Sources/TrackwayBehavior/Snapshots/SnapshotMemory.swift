// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What must survive a restart of the app, so that one that is started often is no exception: when snapshots were taken,
/// and which properties were told last.
package struct SnapshotMemory: Sendable, Hashable, Codable {
    var cadence: SnapshotCadence
    /// Compares digests: what a device is need not lie in another file.
    private var properties = DuplicateSuppression<String>()

    /// Nothing was ever taken.
    package init(policy: SnapshotPolicy = SnapshotPolicy()) {
        cadence = SnapshotCadence(policy: policy)
    }

    /// Whether what the device is was not told before, or too long ago; what is news counts as told. Whose device it is,
    /// is a part of what it is.
    mutating func isNews(_ properties: Attributes, of person: String?, within window: Duration, at time: DeviceTime)
        -> Bool
    {
        // An end that no JSON has: nobody and somebody without a name differ, and no name can look like a property.
        let whose: [UInt8] = person.map { [1] + Array($0.utf8) } ?? [0]
        let digest = SHA256.hash(JSONValue.object(properties.json).json() + whose).prefix(16).hexadecimal
        return self.properties.takes(digest, within: window, at: time)
    }
}
