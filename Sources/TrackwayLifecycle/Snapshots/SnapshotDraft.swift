// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A snapshot in progress, with its trigger and the collected data.
struct SnapshotDraft: Sendable, Equatable {
    /// The number that identifies the snapshot within the process.
    let number: Int
    /// The trigger; nil for a snapshot of the device properties alone.
    ///
    /// Such a snapshot is taken when the user leaves, for example.
    let trigger: SnapshotCadence.Trigger?
    /// The time of the snapshot.
    let time: DeviceTime
    /// The event time set by the app; nil for the actual time.
    var reportedTime: Timestamp?
    /// The state of the app and device, as collected so far.
    var state = AppStateSnapshot()
    /// The device properties, once their source has answered.
    var properties: DeviceProperties?
    /// The user who was signed in when the device properties' source answered.
    var person: String?
    /// The available sensors, once their sources have answered.
    var sensors = SnapshotSensors()
    /// The parts whose sources have not answered yet.
    var awaited: Set<SnapshotPart> = []
    /// The screen title set by the app; overrides the source's title.
    let title: String?
    /// The SDK's own application state, used if the source provides none.
    let applicationState: AppStateSnapshot.ApplicationState?

    /// Stores the app state from its source.
    ///
    /// A location from another source is kept if the state has none.
    mutating func take(_ answer: AppStateSnapshot) {
        let location = state.location
        state = answer
        if state.location == nil { state.location = location }
    }

    /// Stores the location, unless the app state's source has reported one.
    ///
    /// The app state's source takes precedence, whichever source answers first.
    mutating func complete(_ location: Location?) {
        if state.location == nil { state.location = location }
    }

    /// The data collected so far, completed with values known to the SDK.
    var completed: AppStateSnapshot {
        var state = state
        if let title { state.screenTitles = [title] }
        if state.applicationState == nil { state.applicationState = applicationState }
        return state
    }

    /// Returns the data that may be reported under these rules.
    func completed(under rules: SnapshotRules) -> AppStateSnapshot {
        var state = completed
        if !rules.allowsLocation { state.location = nil }
        if !rules.allowsMotion { state.forgetMotion() }
        return state
    }
}

extension AppStateSnapshot {
    /// Discards motion data that a source reported without sampling or permission.
    fileprivate mutating func forgetMotion() {
        motion = []
        accelerometer = []
        gyroscope = []
        magnetometer = []
    }
}

extension AppState {
    /// The corresponding application state in a snapshot.
    var snapshotState: AppStateSnapshot.ApplicationState? {
        switch self {
        case .active: .active
        case .inactive: .inactive
        case .background, .suspended: .background
        case .notRunning: nil
        }
    }
}
