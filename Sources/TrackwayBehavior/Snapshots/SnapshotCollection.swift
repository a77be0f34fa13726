// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Collects sensor readings for snapshots.
///
/// Sensors run only while a snapshot is in progress. In the background, a snapshot consists of the data that is
/// available immediately. Snapshots in progress when the user leaves are finished with the data collected so far; they
/// do not wait for the user's return. Sensors that several snapshots wait for run until the last one is finished.
package struct SnapshotCollection: Sendable, Hashable, Codable {
    /// An action for the caller.
    ///
    /// The actions of one input are performed in order.
    package enum Action: Sendable, Hashable {
        /// Start the compass.
        case startHeading
        /// Stop the compass.
        case stopHeading
        /// Start sampling motion by these means.
        case startMotion(MotionMeans)
        /// Stop the motion sensors.
        case stopMotion
        /// Record this snapshot with the buffered sensor readings.
        ///
        /// Removes the readings from their buffers.
        case finish(Int)
        /// Call `timeCame` at this time, replacing any earlier wake action.
        case wake(at: MonotonicTime)
        /// Cancel the last wake action.
        case rest
    }

    private struct Pending: Sendable, Hashable, Codable {
        var number: Int
        var due: MonotonicTime
    }

    /// The maximum number of snapshots in progress.
    ///
    /// Beyond it, the first is finished early.
    package static let maxPending = 64

    private var pending: [Pending] = []
    private var runsHeading = false
    private var motion: MotionMeans?

    /// Creates a collection without snapshots in progress.
    package init() {}

    /// Whether a snapshot is in progress.
    package var isCollecting: Bool { !pending.isEmpty }

    // MARK: Inputs

    /// Begins a snapshot with these means.
    ///
    /// - Parameter number: Identifies it among the snapshots in progress.
    package mutating func begin(
        _ number: Int,
        with means: SnapshotMeans,
        isInForeground: Bool,
        at now: DeviceTime
    ) -> [Action] {
        guard isInForeground, means.timeout > .zero else { return [.finish(number)] }
        var actions: [Action] = []
        if means.hasHeading, !runsHeading {
            runsHeading = true
            actions.append(.startHeading)
        }
        if let better = means.motion, motion == nil {
            motion = better
            actions.append(.startMotion(better))
        }
        if pending.count >= Self.maxPending { actions.append(.finish(pending.removeFirst().number)) }
        pending.append(Pending(number: number, due: now.monotonic.advanced(by: means.timeout)))
        return actions + wake()
    }

    /// Handles the time of the last wake action.
    package mutating func timeCame(at now: DeviceTime) -> [Action] {
        guard isCollecting else { return [] }
        let due = pending.filter { $0.due <= now.monotonic }
        pending.removeAll { $0.due <= now.monotonic }
        return due.map { .finish($0.number) } + (isCollecting ? wake() : stop())
    }

    /// Handles the user's leaving.
    package mutating func enteredBackground() -> [Action] {
        guard isCollecting else { return [] }
        let finished = pending.map { Action.finish($0.number) }
        pending = []
        return finished + [.rest] + stop()
    }

    /// Cancels the snapshots in progress, because recording is no longer allowed.
    package mutating func cancelled() -> [Action] {
        guard isCollecting else { return [] }
        pending = []
        return [.rest] + stop()
    }

    /// Stops reading motion, because the app no longer allows it.
    ///
    /// Readings taken so far are not sent either.
    package mutating func motionDisallowed() -> [Action] {
        guard motion != nil else { return [] }
        motion = nil
        return [.stopMotion]
    }

    // MARK: Decisions

    private mutating func stop() -> [Action] {
        defer {
            runsHeading = false
            motion = nil
        }
        return (runsHeading ? [.stopHeading] : []) + (motion == nil ? [] : [.stopMotion])
    }

    private func wake() -> [Action] {
        pending.map(\.due).min().map { [.wake(at: $0)] } ?? []
    }
}

/// The sensors that can add to a snapshot if given time.
package struct SnapshotMeans: Sendable, Hashable, Codable {
    /// Whether a compass is available.
    package var hasHeading: Bool
    /// The means of reading motion; nil if motion is not read.
    package var motion: MotionMeans?

    /// Creates means.
    package init(hasHeading: Bool = false, motion: MotionMeans? = nil) {
        self.hasHeading = hasHeading
        self.motion = motion
    }

    /// The time that the sensors are given.
    ///
    /// A compass needs to settle, and motion is sampled until its buffers are full.
    package var timeout: Duration {
        max(hasHeading ? Self.headingTimeout : .zero, motion == nil ? .zero : Self.motionTimeout)
    }

    /// The interval between motion samples.
    package static let samplingInterval = Duration.milliseconds(500)
    /// The time that a compass is given.
    package static let headingTimeout = Duration.seconds(4)
    /// The time for ten samples plus a small margin.
    package static let motionTimeout = samplingInterval * ReadingBuffer<Double>.usualCapacity + .milliseconds(100)
}
