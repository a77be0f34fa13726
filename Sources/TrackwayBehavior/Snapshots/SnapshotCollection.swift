// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Gathers what a snapshot needs time for: sensors run while one is under way, and only then.
///
/// In the background a snapshot is what is known at once. One under way when the user leaves is finished with what there
/// is: nothing waits for their return. Sensors that several snapshots wait for run until the last is finished.
package struct SnapshotCollection: Sendable, Hashable, Codable {
    /// An order to the driver. Orders of one input are carried out one after the other.
    package enum Action: Sendable, Hashable {
        /// Run the compass.
        case startHeading
        /// Let the compass rest.
        case stopHeading
        /// Sample motion in this way.
        case startMotion(MotionMeans)
        /// Let the motion sensors rest.
        case stopMotion
        /// Take what the sensors have read out of their buffers, and record the snapshot of this number.
        case finish(Int)
        /// Call `timeCame` at this time; replaces any earlier such order.
        case wake(at: MonotonicTime)
        /// Forget the last such order.
        case rest
    }

    private struct Pending: Sendable, Hashable, Codable {
        var number: Int
        var due: MonotonicTime
    }

    /// How many snapshots can be under way; the first is finished early when there are more.
    package static let maxPending = 64

    private var pending: [Pending] = []
    private var runsHeading = false
    private var motion: MotionMeans?

    /// Nothing is under way.
    package init() {}

    /// True while a snapshot is under way.
    package var isCollecting: Bool { !pending.isEmpty }

    // MARK: Inputs

    /// A snapshot is to be taken, with these means.
    ///
    /// - Parameter number: what tells it from those under way.
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

    /// The time of the last wake order came.
    package mutating func timeCame(at now: DeviceTime) -> [Action] {
        guard isCollecting else { return [] }
        let due = pending.filter { $0.due <= now.monotonic }
        pending.removeAll { $0.due <= now.monotonic }
        return due.map { .finish($0.number) } + (isCollecting ? wake() : stop())
    }

    /// The user left.
    package mutating func enteredBackground() -> [Action] {
        guard isCollecting else { return [] }
        let finished = pending.map { Action.finish($0.number) }
        pending = []
        return finished + [.rest] + stop()
    }

    /// Nothing may be recorded any more: those under way are given up.
    package mutating func cancelled() -> [Action] {
        guard isCollecting else { return [] }
        pending = []
        return [.rest] + stop()
    }

    /// The app does not allow motion to be read any more. What was read is not to be sent either.
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

/// Which sensors that need time can add to a snapshot.
package struct SnapshotMeans: Sendable, Hashable, Codable {
    /// Whether there is a compass to read.
    package var hasHeading: Bool
    /// How motion is read, if it is.
    package var motion: MotionMeans?

    /// Means of these parts.
    package init(hasHeading: Bool = false, motion: MotionMeans? = nil) {
        self.hasHeading = hasHeading
        self.motion = motion
    }

    /// How long the sensors are given: a compass needs to settle, and motion is sampled until its buffers are full.
    package var timeout: Duration {
        max(hasHeading ? Self.headingTimeout : .zero, motion == nil ? .zero : Self.motionTimeout)
    }

    /// How often motion is sampled.
    package static let samplingInterval = Duration.milliseconds(500)
    /// How long a compass is given.
    package static let headingTimeout = Duration.seconds(4)
    /// How long ten samples take, and a little more.
    package static let motionTimeout = samplingInterval * ReadingBuffer<Double>.usualCapacity + .milliseconds(100)
}
