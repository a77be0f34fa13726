// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A snapshot that is being taken: what brought it about, and what is known for it so far.
struct SnapshotDraft: Sendable, Hashable {
    /// What tells it from all others of the process.
    let number: Int
    /// What brought it about; nil when the person left, which asks for the device's properties alone.
    let trigger: SnapshotCadence.Trigger?
    /// When.
    let time: DeviceTime
    /// What the app wants the event to say about that; nil for the truth.
    var said: Timestamp?
    /// What the app and its device are about, as far as the sources have said.
    var state = AppStateSnapshot()
    /// What the device is, once its source has said so.
    var properties: DeviceProperties?
    /// Who was signed in then.
    var person: String?
    /// Which sensors there are, once their sources have said so.
    var means = SnapshotMeans()
    /// Whose answers it waits for.
    var awaited: Set<SnapshotPart> = []
    /// What is shown, as the app said it; counts more than what the source knows.
    let title: String?
    /// Whether the person sees the app, as the SDK knows it; counts when the source does not know.
    let applicationState: AppStateSnapshot.ApplicationState?

    /// Takes what the source of the app's state knows. What needs other sources is not its business.
    mutating func take(_ answer: AppStateSnapshot) {
        let location = state.location
        state = answer
        if state.location == nil { state.location = location }
    }

    /// Takes where the device is, unless the source of the app's state knows it: that one counts more, whoever answers first.
    mutating func complete(_ location: Location?) {
        if state.location == nil { state.location = location }
    }

    /// What is known, completed by what the SDK knows itself.
    var completed: AppStateSnapshot {
        var state = state
        if let title { state.screenTitles = [title] }
        if state.applicationState == nil { state.applicationState = applicationState }
        return state
    }

    /// What is known and may be told under these rules.
    func completed(under rules: SnapshotRules) -> AppStateSnapshot {
        var state = completed
        if !rules.allowsLocation { state.location = nil }
        if !rules.allowsMotion { state.forgetMotion() }
        return state
    }
}

extension AppStateSnapshot {
    /// A source may know of motion without being asked, and allowed, to sample it.
    fileprivate mutating func forgetMotion() {
        motion = []
        accelerometer = []
        gyroscope = []
        magnetometer = []
    }
}

extension AppState {
    /// The same as a snapshot says it.
    var shown: AppStateSnapshot.ApplicationState? {
        switch self {
        case .active: .active
        case .inactive: .inactive
        case .background, .suspended: .background
        case .notRunning: nil
        }
    }
}
