// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A snapshot in progress, with its trigger and the data so far.
struct SnapshotDraft: Sendable, Hashable {
    /// Identifies the snapshot within the process.
    let number: Int
    /// The trigger; nil for a snapshot of the device properties alone.
    ///
    /// Such a snapshot is taken when the user leaves, for example.
    let trigger: SnapshotCadence.Trigger?
    /// The time of the snapshot.
    let time: DeviceTime
    /// The app's time for the event; nil for the actual time.
    var said: Timestamp?
    /// The state of the app and device so far.
    var state = AppStateSnapshot()
    /// The device properties, once their source has answered.
    var properties: DeviceProperties?
    /// The user who was signed in when the properties' source answered.
    var person: String?
    /// The available sensors, once their sources have answered.
    var means = SnapshotMeans()
    /// The parts whose sources have not answered yet.
    var awaited: Set<SnapshotPart> = []
    /// The screen title set by the app; overrides the source's.
    let title: String?
    /// The SDK's application state; used if the source has none.
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
    /// That source takes precedence, whichever answers first.
    mutating func complete(_ location: Location?) {
        if state.location == nil { state.location = location }
    }

    /// The data so far, completed with what the SDK knows.
    var completed: AppStateSnapshot {
        var state = state
        if let title { state.screenTitles = [title] }
        if state.applicationState == nil { state.applicationState = applicationState }
        return state
    }

    /// The data that may be reported under these rules.
    func completed(under rules: SnapshotRules) -> AppStateSnapshot {
        var state = completed
        if !rules.allowsLocation { state.location = nil }
        if !rules.allowsMotion { state.forgetMotion() }
        return state
    }
}

extension AppStateSnapshot {
    /// Discards motion that a source reported without sampling or permission.
    fileprivate mutating func forgetMotion() {
        motion = []
        accelerometer = []
        gyroscope = []
        magnetometer = []
    }
}

extension AppState {
    /// The corresponding application state of a snapshot.
    var shown: AppStateSnapshot.ApplicationState? {
        switch self {
        case .active: .active
        case .inactive: .inactive
        case .background, .suspended: .background
        case .notRunning: nil
        }
    }
}
