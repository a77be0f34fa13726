// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import TrackwayCore
package import TrackwayLifecycle

/// The thread on which a source is called.
///
/// Nothing else waits for this thread, so a source that never returns delays nothing.
package protocol SourceThread: Sendable {
    /// Schedules `work` after all earlier work, without waiting for it.
    ///
    /// May be called on any thread; must not call the app itself.
    func run(_ work: @escaping @Sendable () -> Void)
}

/// A system thread that exists only while it has work.
package struct SourceQueue: SourceThread {
    private let queue: DispatchQueue

    /// Creates the thread for a part's source.
    ///
    /// The thread's label is shown in debuggers.
    package init(for part: SnapshotPart) {
        queue = DispatchQueue(label: "trackway.snapshots.\(part.rawValue)", qos: .utility)
    }

    /// Schedules `work` after all earlier work.
    package func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}

/// The sources of snapshots, each called on its own thread.
///
/// Only one call to each source runs at a time. Every call returns immediately; a part that has no source provides no
/// answer.
struct SourceThreads: Sendable {
    private let sources: SnapshotSources
    private let threads: [SnapshotPart: any SourceThread]

    init(_ sources: SnapshotSources, on thread: (SnapshotPart) -> any SourceThread) {
        self.sources = sources
        threads = Dictionary(uniqueKeysWithValues: sources.parts.map { ($0, thread($0)) })
    }

    /// The parts that have a source.
    var parts: Set<SnapshotPart> { Set(threads.keys) }

    /// Whether the location source may currently report the location.
    ///
    /// Queries the source on the calling thread.
    var isLocationAuthorized: Bool { sources.location?.isAuthorized ?? false }

    /// Calls `handler` on a source's thread, with a closure that returns the source's answer.
    func query(_ part: SnapshotPart, _ handler: @escaping @Sendable (() -> SnapshotAnswer?) -> Void) {
        let sources = sources
        threads[part]?.run { handler { sources.answer(part) } }
    }

    /// Starts the compass.
    func startHeading(_ report: @escaping @Sendable (Heading) -> Void) {
        let source = sources.heading
        threads[.heading]?.run { source?.start(report) }
    }

    /// Stops the compass.
    func stopHeading() {
        let source = sources.heading
        threads[.heading]?.run { source?.stop() }
    }

    /// Starts motion sensors.
    func startMotion(_ mode: MotionSamplingMode, _ report: @escaping @Sendable (MotionReading) -> Void) {
        let source = sources.motion
        threads[.motion]?.run { source?.start(mode, every: SnapshotSensors.samplingInterval, report) }
    }

    /// Stops motion sensors.
    func stopMotion() {
        let source = sources.motion
        threads[.motion]?.run { source?.stop() }
    }
}

extension SnapshotSources {
    fileprivate var parts: [SnapshotPart] {
        let known: [(SnapshotPart, Bool)] = [
            (.deviceProperties, deviceProperties != nil), (.appState, appState != nil), (.location, location != nil),
            (.heading, heading != nil), (.motion, motion != nil),
        ]
        return known.filter(\.1).map(\.0)
    }

    /// Returns a source's current answer; nil if the part has no source.
    fileprivate func answer(_ part: SnapshotPart) -> SnapshotAnswer? {
        switch part {
        case .deviceProperties:
            deviceProperties.map { .deviceProperties($0.deviceProperties()) }
        case .appState:
            appState.map { .appState($0.appState()) }
        case .location:
            location.map { .location($0.isAuthorized ? $0.lastLocation() : nil) }
        case .heading:
            heading.map { .heading(isAvailable: $0.isAvailable) }
        case .motion:
            motion.map { .motion(hasDeviceMotion: $0.hasDeviceMotion, hasRawSensors: $0.hasRawSensors) }
        }
    }
}
