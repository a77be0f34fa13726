// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayBehavior
import TrackwayEvents

/// A routine on a test's device, whose sources answer when the test says so.
struct RoutineRun {
    var device = TestDevice()
    var routine: SnapshotRoutine
    /// What the sources were asked and have not answered.
    var questions: [SnapshotPart] = []
    var triggers: [SnapshotCadence.Trigger] = []
    var states: [AppStateSnapshot] = []
    var properties: [Attributes] = []
    var silent: [SnapshotPart] = []
    var running: Set<SnapshotPart> = []
    /// The number of the compass's last run.
    var headingRun: Int?
    /// Whether sources answer at once.
    var answers = true
    /// What the sources know.
    var known = DeviceProperties()
    var means = SnapshotMeans()

    init(_ rules: SnapshotRules = SnapshotRules(sources: Set(SnapshotPart.allCases)), app: AppState = .background) {
        routine = SnapshotRoutine(SnapshotMemory(policy: rules.policy), rules, app: app)
        known[.deviceModel] = "phone"
    }

    /// Tells the routine something, and does what it orders.
    mutating func tell(_ input: (inout SnapshotRoutine, DeviceTime) -> [SnapshotRoutine.Action]) {
        for action in input(&routine, device.now) {
            switch action {
            case .ask(let part): questions.append(part)
            case .startHeading(let number):
                running.insert(.heading)
                headingRun = number
            case .stopHeading: running.remove(.heading)
            case .startMotion: running.insert(.motion)
            case .stopMotion: running.remove(.motion)
            case .recordProperties(let attributes, _): properties.append(attributes)
            case .recordState(let state, _, let trigger):
                states.append(state)
                triggers.append(trigger)
            case .tellSilent(let part): silent.append(part)
            case .save: break
            }
        }
        if answers { answerAll() }
    }

    mutating func answerAll() {
        while !questions.isEmpty { answer(questions.removeFirst()) }
    }

    mutating func answer(_ part: SnapshotPart) {
        let answer: SnapshotAnswer =
            switch part {
            case .deviceProperties: .deviceProperties(known)
            case .appState: .appState(AppStateSnapshot())
            case .location: .location(nil)
            case .heading: .heading(isAvailable: means.hasHeading)
            case .motion: .motion(hasDeviceMotion: means.motion == .device, hasRawSensors: means.motion != nil)
            }
        tell { $0.answered(answer, at: $1) }
    }

    mutating func watch(_ isWatching: Bool = true) {
        tell { $0.watches(isWatching ? Set(SnapshotKind.allCases) : [], at: $1) }
    }
    mutating func enter() { tell { $0.appChanged(to: .active, at: $1) } }
    mutating func leave() { tell { $0.appChanged(to: .background, at: $1) } }
    mutating func show(_ title: String = "Home") { tell { $0.screenShown(title, at: $1) } }
    mutating func ask() { tell { $0.requested(nil, at: $1) } }

    /// Lets time pass, waking the routine when it wants.
    mutating func pass(_ duration: Duration) {
        let end = device.now.monotonic.advanced(by: duration)
        while let time = routine.due, time <= end {
            device.pass(max(.zero, device.now.monotonic.duration(to: time)))
            tell { $0.timeCame(at: $1) }
        }
        device.pass(device.now.monotonic.duration(to: end))
    }

    /// Another process takes over.
    mutating func restart() throws {
        routine = SnapshotRoutine(try kept(routine.memory), routine.rules, app: .background)
        (questions, running) = ([], [])
        watch()
    }
}
