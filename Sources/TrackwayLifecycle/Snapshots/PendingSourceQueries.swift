// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The sources that were queried and have not answered.
///
/// Each source has at most one query in progress; another snapshot that needs the source shares the pending answer. A
/// source that has not answered before the timeout counts as unresponsive: no snapshot waits for it, and it is not
/// queried again until it answers.
package struct PendingSourceQueries: Sendable, Equatable {
    private var queried: [SnapshotPart: MonotonicTime] = [:]
    private var unresponsive: Set<SnapshotPart> = []

    /// The time that a source has to answer.
    ///
    /// Reading a few files takes only milliseconds.
    package static let timeout = Duration.seconds(2)

    /// Creates an instance without pending queries.
    package init() {}

    /// The time at which the next pending query times out.
    package var due: MonotonicTime? { queried.values.min()?.advanced(by: Self.timeout) }

    // MARK: Inputs

    /// Requests answers for these parts.
    ///
    /// - Returns: The parts to query now, in declaration order, and the parts to wait for.
    package mutating func request(
        _ parts: Set<SnapshotPart>,
        at now: DeviceTime
    ) -> (query: [SnapshotPart], await: Set<SnapshotPart>) {
        let awaited = parts.subtracting(unresponsive)
        let unqueried = SnapshotPart.allCases.filter { awaited.contains($0) && queried[$0] == nil }
        for part in unqueried { queried[part] = now.monotonic }
        return (unqueried, awaited)
    }

    /// Handles an answer, even a late one, and allows another query.
    package mutating func sourceAnswered(_ part: SnapshotPart) {
        queried[part] = nil
        unresponsive.remove(part)
    }

    /// Checks for timeouts.
    ///
    /// - Returns: The parts whose sources count as unresponsive from now on.
    package mutating func timerFired(at now: DeviceTime) -> [SnapshotPart] {
        let timedOut = SnapshotPart.allCases.filter { part in
            queried[part].map { $0.duration(to: now.monotonic) >= Self.timeout } ?? false
        }
        for part in timedOut { queried[part] = nil }
        unresponsive.formUnion(timedOut)
        return timedOut
    }

    /// Handles the end of the process's suspension.
    ///
    /// The time of the suspension does not count toward the timeouts.
    package mutating func processResumed(at now: DeviceTime) {
        for part in queried.keys { queried[part] = now.monotonic }
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
package enum SnapshotAnswer: Sendable, Equatable {
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
