// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Tracks the sources that were queried and have not answered.
///
/// A source is queried once at a time; a snapshot that needs it in the meantime shares the pending answer. A source
/// that has not answered before the timeout counts as unresponsive: no snapshot waits for it, and it is not queried
/// again until it answers.
package struct PendingSourceQueries: Sendable, Hashable {
    private var asked: [SnapshotPart: MonotonicTime] = [:]
    private var silent: Set<SnapshotPart> = []

    /// The time limit for a source; reading a few files takes milliseconds.
    package static let timeout = Duration.seconds(2)

    /// Creates an instance without pending queries.
    package init() {}

    /// The time at which the next pending query times out.
    package var due: MonotonicTime? { asked.values.min()?.advanced(by: Self.timeout) }

    // MARK: Inputs

    /// Requests answers for these parts.
    ///
    /// - Returns: The parts to query now, in the order of the cases, and the parts to wait for.
    package mutating func needs(
        _ parts: Set<SnapshotPart>,
        at now: DeviceTime
    ) -> (ask: [SnapshotPart], await: Set<SnapshotPart>) {
        let awaited = parts.subtracting(silent)
        let unasked = SnapshotPart.allCases.filter { awaited.contains($0) && asked[$0] == nil }
        for part in unasked { asked[part] = now.monotonic }
        return (unasked, awaited)
    }

    /// Handles an answer, possibly late; the source can be queried again.
    package mutating func answered(_ part: SnapshotPart) {
        asked[part] = nil
        silent.remove(part)
    }

    /// Checks for timeouts.
    ///
    /// - Returns: The parts whose sources count as unresponsive from now on.
    package mutating func timeCame(at now: DeviceTime) -> [SnapshotPart] {
        let fallen = SnapshotPart.allCases.filter { part in
            asked[part].map { $0.duration(to: now.monotonic) >= Self.timeout } ?? false
        }
        for part in fallen { asked[part] = nil }
        silent.formUnion(fallen)
        return fallen
    }

    /// Handles the end of the process's suspension.
    ///
    /// The time of the suspension does not count toward the timeouts.
    package mutating func resumed(at now: DeviceTime) {
        for part in asked.keys { asked[part] = now.monotonic }
    }
}

/// A part of a snapshot, each provided by its own source.
package enum SnapshotPart: String, Sendable, Hashable, CaseIterable {
    /// The properties of the device and its system.
    case deviceProperties
    /// The state of the app and the device.
    case appState
    /// The location of the device.
    case location
    /// The heading of the device.
    case heading
    /// The motion of the device.
    case motion
}

/// An answer from a source.
package enum SnapshotAnswer: Sendable, Hashable {
    /// The properties of the device and its system.
    case deviceProperties(DeviceProperties)
    /// The state of the app and the device.
    case appState(AppStateSnapshot)
    /// The location of the device; nil if unknown or not permitted.
    case location(Location?)
    /// Whether a compass is available.
    case heading(isAvailable: Bool)
    /// The available motion sensors.
    case motion(hasDeviceMotion: Bool, hasRawSensors: Bool)

    /// The part whose source gave the answer.
    package var part: SnapshotPart {
        switch self {
        case .deviceProperties: .deviceProperties
        case .appState: .appState
        case .location: .location
        case .heading: .heading
        case .motion: .motion
        }
    }
}
