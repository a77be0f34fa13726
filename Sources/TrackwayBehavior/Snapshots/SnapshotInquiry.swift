// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Keeps count of the sources that were asked and have not answered.
///
/// A source is asked one thing at a time: whoever needs it meanwhile shares the answer that is under way. One that has not
/// answered for long counts as silent: nobody waits for it, and it is not asked again, until it does.
package struct SnapshotInquiry: Sendable, Hashable {
    private var asked: [SnapshotPart: MonotonicTime] = [:]
    private var silent: Set<SnapshotPart> = []

    /// How long a source may take. Reading a few files takes milliseconds.
    package static let timeout = Duration.seconds(2)

    /// Nobody was asked.
    package init() {}

    /// When the first of those who were asked counts as silent.
    package var due: MonotonicTime? { asked.values.min()?.advanced(by: Self.timeout) }

    // MARK: Inputs

    /// Answers of these are needed.
    ///
    /// - Returns: Those to ask now, in the order of the cases, and those to wait for.
    package mutating func needs(
        _ parts: Set<SnapshotPart>,
        at now: DeviceTime
    ) -> (ask: [SnapshotPart], await: Set<SnapshotPart>) {
        let awaited = parts.subtracting(silent)
        let unasked = SnapshotPart.allCases.filter { awaited.contains($0) && asked[$0] == nil }
        for part in unasked { asked[part] = now.monotonic }
        return (unasked, awaited)
    }

    /// A source answered, late or not: it can be asked again.
    package mutating func answered(_ part: SnapshotPart) {
        asked[part] = nil
        silent.remove(part)
    }

    /// Time passed.
    ///
    /// - Returns: Those that count as silent from now on.
    package mutating func timeCame(at now: DeviceTime) -> [SnapshotPart] {
        let fallen = SnapshotPart.allCases.filter { part in
            asked[part].map { $0.duration(to: now.monotonic) >= Self.timeout } ?? false
        }
        for part in fallen { asked[part] = nil }
        silent.formUnion(fallen)
        return fallen
    }

    /// The process stood still, and goes on: the time in between was not the sources'.
    package mutating func resumed(at now: DeviceTime) {
        for part in asked.keys { asked[part] = now.monotonic }
    }
}

/// A part of a snapshot; each is known by a source of its own.
package enum SnapshotPart: String, Sendable, Hashable, CaseIterable {
    /// What the device and its system are.
    case deviceProperties
    /// What the app and its device are about.
    case appState
    /// Where the device is.
    case location
    /// Where the device points.
    case heading
    /// How the device moves.
    case motion
}

/// What a source said.
package enum SnapshotAnswer: Sendable, Hashable {
    /// What the device and its system are.
    case deviceProperties(DeviceProperties)
    /// What the app and its device are about.
    case appState(AppStateSnapshot)
    /// Where the device is; nil when that is unknown, or the person does not allow the app to know.
    case location(Location?)
    /// Whether there is a compass.
    case heading(isAvailable: Bool)
    /// Which sensors of motion there are.
    case motion(hasDeviceMotion: Bool, hasRawSensors: Bool)

    /// Which source said it.
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
