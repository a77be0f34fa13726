// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

extension SnapshotDriver {
    /// Asks a source, on its thread.
    func ask(_ part: SnapshotPart) {
        guard let thread = threads[part] else { return }
        let sources = sources
        thread.run { [weak self] in
            guard let self, let answer = sources.answer(part) else { return }
            let person = contextStore.current.user.id
            report(begins: false) { machine, now in machine.answered(answer, for: person, at: now) }
        }
    }

    func startHeading(_ run: Int) {
        guard let source = sources.heading, let thread = threads[.heading] else { return }
        let report: @Sendable (Heading) -> Void = { [weak self] in self?.read($0, run: run) }
        thread.run { source.start(report) }
    }

    func startMotion(_ means: MotionMeans, _ run: Int) {
        guard let source = sources.motion, let thread = threads[.motion] else { return }
        let report: @Sendable (MotionReading) -> Void = { [weak self] in self?.read($0, run: run) }
        thread.run { source.start(means, every: SnapshotMeans.samplingInterval, report) }
    }

    /// A sensor of motion was read.
    func read(_ reading: MotionReading, run: Int?) {
        report(begins: false) { machine, _ in
            machine.read(reading, run: run)
            return []
        }
    }

    /// A compass was read.
    func read(_ heading: Heading, run: Int?) {
        report(begins: false) { machine, _ in
            machine.read(heading, run: run)
            return []
        }
    }
}

extension SnapshotSources {
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
