// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The rules for snapshots, determined by the app and the available sources.
package struct SnapshotRules: Sendable, Equatable {
    /// The frequency of snapshots.
    package var policy: SnapshotPolicy
    /// The parts that have a source.
    package var sources: Set<SnapshotPart>
    /// Whether motion sensors may be read.
    package var allowsMotion: Bool
    /// Whether a snapshot may contain the location.
    package var allowsLocation: Bool
    /// The time during which unchanged device properties are not reported again.
    ///
    /// It applies while the user stays the same.
    package var propertiesRepeatInterval: Duration

    /// Creates rules.
    package init(
        policy: SnapshotPolicy = SnapshotPolicy(),
        sources: Set<SnapshotPart> = [],
        allowsMotion: Bool = false,
        allowsLocation: Bool = true,
        propertiesRepeatInterval: Duration = .seconds(3600)
    ) {
        self.policy = policy
        self.sources = sources
        self.allowsMotion = allowsMotion
        self.allowsLocation = allowsLocation
        self.propertiesRepeatInterval = propertiesRepeatInterval
    }
}

/// The kinds of snapshots, each of which has its own event.
package enum SnapshotKind: String, Sendable, Hashable, CaseIterable {
    /// The properties of the device and its system.
    case deviceProperties
    /// The state of the app and the device.
    case appState
}
