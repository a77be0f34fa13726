// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The state machine that collects sensor readings for snapshots.
///
/// Sensors run only while a snapshot is in progress. In the background, a snapshot consists of the data that is
/// available immediately. Snapshots in progress when the user leaves are finished with the data collected so far; they
/// do not wait for the user's return. Sensors that several snapshots wait for run until the last of these snapshots is
/// finished.
package struct SnapshotCollection: Sendable, Equatable, Codable {
    /// An action for the caller.
    ///
    /// The actions of one input are performed in order.
    package enum Action: Sendable, Equatable {
        /// Start the compass.
        case startHeading
        /// Stop the compass.
        case stopHeading
        /// Start sampling motion in this mode.
        case startMotion(MotionSamplingMode)
        /// Stop the motion sensors.
        case stopMotion
        /// Record this snapshot with the buffered sensor readings.
        ///
        /// The readings are removed from their buffers.
        case finish(Int)
        /// Call `timerFired` at this time, replacing any earlier wake action.
        case wake(at: MonotonicTime)
        /// Cancel the last wake action.
        case cancelWake
    }

    private struct Pending: Sendable, Equatable, Codable {
        var number: Int
        var due: MonotonicTime
    }

    /// The maximum number of snapshots in progress.
    ///
    /// Beyond this limit, the oldest is finished early.
    package static let maxPending = 64

    private var pending: [Pending] = []
    private var runsHeading = false
    private var motion: MotionSamplingMode?

    /// Creates a collection without snapshots in progress.
    package init() {}

    /// Whether a snapshot is in progress.
    package var isCollecting: Bool { !pending.isEmpty }

    // MARK: Inputs

    /// Begins a snapshot with these sensors.
    ///
    /// - Parameter number: The number that identifies the snapshot among those in progress.
    package mutating func begin(
        _ number: Int,
        with sensors: SnapshotSensors,
        isInForeground: Bool,
        at now: DeviceTime
    ) -> [Action] {
        guard isInForeground, sensors.timeout > .zero else { return [.finish(number)] }
        var actions: [Action] = []
        if sensors.hasHeading, !runsHeading {
            runsHeading = true
            actions.append(.startHeading)
        }
        if let better = sensors.motion, motion == nil {
            motion = better
            actions.append(.startMotion(better))
        }
        if pending.count >= Self.maxPending { actions.append(.finish(pending.removeFirst().number)) }
        pending.append(Pending(number: number, due: now.monotonic.advanced(by: sensors.timeout)))
        return actions + wake()
    }

    /// Handles the time of the last wake action.
    package mutating func timerFired(at now: DeviceTime) -> [Action] {
        guard isCollecting else { return [] }
        let due = pending.filter { $0.due <= now.monotonic }
        pending.removeAll { $0.due <= now.monotonic }
        return due.map { .finish($0.number) } + (isCollecting ? wake() : stop())
    }

    /// Handles the user's departure.
    package mutating func appEnteredBackground() -> [Action] {
        guard isCollecting else { return [] }
        let finished = pending.map { Action.finish($0.number) }
        pending = []
        return finished + [.cancelWake] + stop()
    }

    /// Cancels the snapshots in progress, because recording is no longer allowed.
    package mutating func cancelAll() -> [Action] {
        guard isCollecting else { return [] }
        pending = []
        return [.cancelWake] + stop()
    }

    /// Stops sampling motion, because the app no longer allows it.
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

/// The sensors that can contribute to a snapshot if given time.
package struct SnapshotSensors: Sendable, Equatable, Codable {
    /// Whether a compass is available.
    package var hasHeading: Bool
    /// The motion sampling mode; nil if motion is not sampled.
    package var motion: MotionSamplingMode?

    /// Creates a set of sensors.
    package init(hasHeading: Bool = false, motion: MotionSamplingMode? = nil) {
        self.hasHeading = hasHeading
        self.motion = motion
    }

    /// The time allowed for the sensors.
    ///
    /// A compass needs to settle, and motion is sampled until its buffers are full.
    package var timeout: Duration {
        max(hasHeading ? Self.headingTimeout : .zero, motion == nil ? .zero : Self.motionTimeout)
    }

    /// The interval between motion samples.
    package static let samplingInterval = Duration.milliseconds(500)
    /// The time allowed for a compass.
    package static let headingTimeout = Duration.seconds(4)
    /// The time allowed for motion: ten samples plus a small margin.
    package static let motionTimeout = samplingInterval * ReadingBuffer<Double>.defaultCapacity + .milliseconds(100)
}
