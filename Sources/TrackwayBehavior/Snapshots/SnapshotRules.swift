// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How snapshots are taken, as the app wants it and its sources allow it.
package struct SnapshotRules: Sendable, Hashable {
    /// How often.
    package var policy: SnapshotPolicy
    /// What there is a source for.
    package var sources: Set<SnapshotPart>
    /// Whether sensors of motion may be read.
    package var allowsMotion: Bool
    /// Whether a snapshot may say where the device is.
    package var allowsLocation: Bool
    /// For how long properties of the device that did not change are not told again, as long as the same person is there.
    package var repeatsPropertiesAfter: Duration

    /// Rules of these parts.
    package init(
        policy: SnapshotPolicy = SnapshotPolicy(),
        sources: Set<SnapshotPart> = [],
        allowsMotion: Bool = false,
        allowsLocation: Bool = true,
        repeatsPropertiesAfter: Duration = .seconds(3600)
    ) {
        self.policy = policy
        self.sources = sources
        self.allowsMotion = allowsMotion
        self.allowsLocation = allowsLocation
        self.repeatsPropertiesAfter = repeatsPropertiesAfter
    }
}

/// What a snapshot tells: each kind is an event of its own.
package enum SnapshotKind: String, Sendable, Hashable, CaseIterable {
    /// What the device and its system are.
    case deviceProperties
    /// What the app and its device are about.
    case appState
}
