// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
package import TrackwayBehavior
internal import TrackwayEvents

/// Where a source is asked: a thread that nobody else waits for, so that a source which never answers holds nothing up.
package protocol SourceThread: Sendable {
    /// Runs `work` after everything handed over before, without waiting for it. Any thread; must not call the app itself.
    func run(_ work: @escaping @Sendable () -> Void)
}

/// A thread of the system's, which exists while it has work.
package struct SourceQueue: SourceThread {
    private let queue: DispatchQueue

    /// Makes the thread of a part's source; debuggers show which.
    package init(for part: SnapshotPart) {
        queue = DispatchQueue(label: "trackway.snapshots.\(part.rawValue)", qos: .utility)
    }

    /// Runs `work` after everything handed over before.
    package func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}

/// The sources of snapshots, each asked on a thread of its own, one thing at a time. Every call returns at once; a part
/// without a source answers nothing.
struct SourceThreads: Sendable {
    private let sources: SnapshotSources
    private let threads: [SnapshotPart: any SourceThread]

    init(_ sources: SnapshotSources, on thread: (SnapshotPart) -> any SourceThread) {
        self.sources = sources
        threads = Dictionary(uniqueKeysWithValues: sources.parts.map { ($0, thread($0)) })
    }

    /// What there is a source for.
    var parts: Set<SnapshotPart> { Set(threads.keys) }

    /// Whether the source of the place may say it now. Asks on the calling thread.
    var isLocationAuthorized: Bool { sources.location?.isAuthorized ?? false }

    /// Has `asking` called on a source's thread, with what asks the source and returns what it knows then.
    func ask(_ part: SnapshotPart, _ asking: @escaping @Sendable (() -> SnapshotAnswer?) -> Void) {
        let sources = sources
        threads[part]?.run { asking { sources.answer(part) } }
    }

    /// Lets the compass run.
    func startHeading(_ report: @escaping @Sendable (Heading) -> Void) {
        let source = sources.heading
        threads[.heading]?.run { source?.start(report) }
    }

    /// Lets the compass rest.
    func stopHeading() {
        let source = sources.heading
        threads[.heading]?.run { source?.stop() }
    }

    /// Lets sensors of motion run.
    func startMotion(_ means: MotionMeans, _ report: @escaping @Sendable (MotionReading) -> Void) {
        let source = sources.motion
        threads[.motion]?.run { source?.start(means, every: SnapshotMeans.samplingInterval, report) }
    }

    /// Lets sensors of motion rest.
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

    /// What a source says now; nil when there is none.
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
