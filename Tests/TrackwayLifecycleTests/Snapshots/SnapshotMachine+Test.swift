// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayCore
import TrackwayLifecycle

/// A machine on a test device, with sources that the test controls.
struct SnapshotMachineRun {
    var device = TestDevice()
    var machine: SnapshotMachine
    /// Queries that the sources have not answered yet.
    var questions: [SnapshotPart] = []
    var triggers: [SnapshotCadence.Trigger] = []
    var states: [AppStateSnapshot] = []
    var properties: [Attributes] = []
    var silent: [SnapshotPart] = []
    var running: Set<SnapshotPart> = []
    /// The number of the compass's last run.
    var headingRun: Int?
    /// Whether sources answer immediately.
    var answers = true
    /// The properties that the sources know.
    var known = DeviceProperties()
    var sensors = SnapshotSensors()

    init(_ rules: SnapshotRules = SnapshotRules(sources: Set(SnapshotPart.allCases)), app: AppState = .background) {
        machine = SnapshotMachine(SnapshotMemory(policy: rules.policy), rules, app: app)
        known[.deviceModel] = "phone"
    }

    /// Passes an input to the machine and performs its actions.
    mutating func report(_ input: (inout SnapshotMachine, DeviceTime) -> [SnapshotMachine.Action]) {
        for action in input(&machine, device.now) {
            switch action {
            case .query(let part): questions.append(part)
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
            case .reportUnresponsiveSource(let part): silent.append(part)
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
            case .heading: .heading(isAvailable: sensors.hasHeading)
            case .motion: .motion(hasDeviceMotion: sensors.motion == .device, hasRawSensors: sensors.motion != nil)
            }
        report { $0.sourceAnswered(answer, at: $1) }
    }

    mutating func watch(_ isWatching: Bool = true) {
        report { $0.setAllowedKinds(isWatching ? Set(SnapshotKind.allCases) : [], at: $1) }
    }
    mutating func enter() { report { $0.appChanged(to: .active, at: $1) } }
    mutating func leave() { report { $0.appChanged(to: .background, at: $1) } }
    mutating func show(_ title: String = "Home") { report { $0.screenShown(title, at: $1) } }
    mutating func ask() { report { $0.snapshotRequested(nil, at: $1) } }

    /// Advances the clock and performs the machine's wake-ups.
    mutating func pass(_ duration: Duration) {
        let end = device.now.monotonic.advanced(by: duration)
        while let time = machine.due, time <= end {
            device.pass(max(.zero, device.now.monotonic.duration(to: time)))
            report { $0.timerFired(at: $1) }
        }
        device.pass(device.now.monotonic.duration(to: end))
    }

    /// Continues in another process.
    mutating func restart() throws {
        machine = SnapshotMachine(try reloaded(machine.memory), machine.rules, app: .background)
        (questions, running) = ([], [])
        watch()
    }
}
