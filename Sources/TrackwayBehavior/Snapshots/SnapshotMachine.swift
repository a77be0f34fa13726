// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Takes snapshots: decides when, whom to ask, how long to wait, and what is worth telling.
///
/// A snapshot goes through two rooms. First its sources are asked (``SnapshotInquiry``); then, in the foreground, sensors
/// are given the time they need (``SnapshotCollection``). Who leaves the app takes every snapshot out of both at once, with
/// what there is. What the device is, is told as soon as the first room is left; so it comes before what it is about.
package struct SnapshotMachine: Sendable {
    /// An order to the driver. Orders are carried out one after the other, in this order.
    package enum Action: Sendable, Hashable {
        /// Ask a source, elsewhere, and report its answer with ``SnapshotMachine/answered(_:for:at:)``.
        case ask(SnapshotPart)
        /// Run the compass; readings come with this number.
        case startHeading(run: Int)
        /// Let the compass rest.
        case stopHeading
        /// Sample motion in this way; readings come with this number.
        case startMotion(MotionMeans, run: Int)
        /// Let the motion sensors rest.
        case stopMotion
        /// Record what the device is.
        case recordProperties(Attributes, at: DeviceTime)
        /// Record what the app and its device are about.
        case recordState(AppStateSnapshot, at: DeviceTime, SnapshotCadence.Trigger)
        /// Tell the app that this source does not answer.
        case reportSilent(SnapshotPart)
        /// Keep ``SnapshotMachine/memory``.
        case save
    }

    /// What must survive a restart.
    package internal(set) var memory: SnapshotMemory
    /// How snapshots are taken.
    package internal(set) var rules: SnapshotRules
    /// What the app does, whether anything may be watched or not.
    package internal(set) var app: AppState
    /// Whether the person has the app before them: from when it is in use until it is gone. What only lies over it does not
    /// change that.
    var isInSight: Bool
    /// What may be told now; nothing is read for what may not.
    var watched: Set<SnapshotKind> = []
    var inquiry = SnapshotInquiry()
    var collection = SnapshotCollection()
    var readings = SensorReadings()
    /// Snapshots in the first room, in the order in which they began.
    var asking: [SnapshotDraft] = []
    /// Those in the second, by their numbers.
    var collecting: [Int: SnapshotDraft] = [:]
    var lastNumber = 0
    /// What snapshots that begin now say about when they happened; nil for the truth.
    var said: Timestamp?
    /// Which run of each sensor counts; readings of an earlier one come too late.
    var headingRun: Int?
    var motionRun: Int?
    var cadenceDue: MonotonicTime?
    var collectionDue: MonotonicTime?

    /// A process began, with what an earlier one left.
    package init(_ memory: SnapshotMemory, _ rules: SnapshotRules, app: AppState) {
        self.memory = memory
        self.rules = rules
        self.app = app
        isInSight = app == .active
        self.memory.cadence.processStarted(policy: rules.policy)
    }

    /// When ``timeCame(at:)`` is to be called next; never when nil.
    package var due: MonotonicTime? {
        [asking.isEmpty ? nil : inquiry.due, collectionDue, cadenceDue].compactMap { $0 }.min()
    }

    /// The number that readings of motion must come with now; nil while its sensors rest.
    package var currentMotionRun: Int? { motionRun }

    /// How many snapshots can wait for sources; the first goes on without their answers when there are more.
    package static let maxAsking = 256

    /// Whether snapshots may be taken at all now.
    var isWatching: Bool { !watched.isEmpty }

    /// True while a snapshot is being taken.
    package var isBusy: Bool { !asking.isEmpty || !collecting.isEmpty }

    // MARK: The app's life

    /// Snapshots of these kinds may be taken from now on, and of no others. When that changes, what is under way is given
    /// up and nothing of it is told; what may be told is begun anew.
    package mutating func watches(_ kinds: Set<SnapshotKind>, at now: DeviceTime) -> [Action] {
        guard kinds != watched else { return [] }
        watched = kinds
        asking = []
        collecting = [:]
        readings = SensorReadings()
        _ = memory.cadence.enteredBackground()
        cadenceDue = nil
        let stops = carryOut(collection.cancelled(), at: now)
        return isWatching && isInSight ? stops + cameIntoSight(at: now) : stops
    }

    /// The app does something else now.
    package mutating func appChanged(to app: AppState, at now: DeviceTime) -> [Action] {
        let wasInSight = isInSight
        if self.app == .suspended { inquiry.resumed(at: now) }
        self.app = app
        switch app {
        case .active: isInSight = true
        case .inactive: break  // On its way in or out, or something lies over it.
        case .background, .suspended, .notRunning: isInSight = false
        }
        guard isWatching, wasInSight != isInSight else { return [] }
        return isInSight ? cameIntoSight(at: now) : wentOutOfSight(at: now)
    }

    /// The app shows a screen.
    package mutating func screenShown(_ title: String?, at now: DeviceTime) -> [Action] {
        guard watched.contains(.appState) else { return [] }
        return carryOut(memory.cadence.screenChanged(at: now), title: title, at: now)
    }

    /// The app wants a snapshot of its state, seen or not, and of what the device is unless it says that it does not.
    ///
    /// - Parameter time: what the event says about when it happened; `now` when nil. All limits reckon with `now`.
    package mutating func requested(
        _ title: String?,
        reportsProperties: Bool = true,
        saying time: Timestamp? = nil,
        at now: DeviceTime
    ) -> [Action] {
        said = time
        defer { said = nil }
        // How often the app is about something is counted only while that may be told.
        guard watched.contains(.appState) else { return begin(nil, reportsProperties: reportsProperties, at: now) }
        return carryOut(memory.cadence.requested(at: now), title: title, reportsProperties: reportsProperties, at: now)
    }

    /// The app wants a snapshot of what the device is, which no limit is about.
    package mutating func requestedProperties(at now: DeviceTime) -> [Action] {
        begin(nil, reportsProperties: true, at: now)
    }

    /// The app wants a snapshot if the last one is too long ago.
    package mutating func requestedIfDue(at now: DeviceTime) -> [Action] {
        guard watched.contains(.appState) else { return [] }
        return carryOut(memory.cadence.timeCame(at: now), at: now)
    }

    /// The app is done: what is under way is told with what there is, and nothing more is taken.
    package mutating func ended(at now: DeviceTime) -> [Action] {
        guard isWatching else { return [] }
        return finishAll(at: now) + watches([], at: now)
    }

    /// Everything is forgotten.
    package mutating func forgotten(at now: DeviceTime) -> [Action] {
        let actions = watches([], at: now)
        memory = SnapshotMemory(policy: rules.policy)
        return actions
    }

    /// The app allows or forbids sensors. What was read and is not allowed any more is not told either.
    package mutating func allows(motion: Bool, location: Bool, at now: DeviceTime) -> [Action] {
        rules.allowsLocation = location
        rules.allowsMotion = motion
        guard !motion else { return [] }
        readings.forgetMotion()
        for index in asking.indices { asking[index].means.motion = nil }
        return carryOut(collection.motionDisallowed(), at: now)
    }

    // MARK: Sources

    /// A source answered.
    ///
    /// - Parameter person: who is signed in; nil for nobody.
    package mutating func answered(
        _ answer: SnapshotAnswer,
        for person: String? = nil,
        at now: DeviceTime
    ) -> [Action] {
        inquiry.answered(answer.part)
        for index in asking.indices where asking[index].awaited.contains(answer.part) {
            asking[index].awaited.remove(answer.part)
            switch answer {
            case .deviceProperties(let properties):
                asking[index].properties = properties
                asking[index].person = person
            case .appState(let state):
                asking[index].take(state)
            case .location(let location):
                asking[index].complete(location)
            case .heading(let isAvailable):
                asking[index].means.hasHeading = isAvailable
            case .motion(let hasDeviceMotion, let hasRawSensors):
                asking[index].means.motion = .preferred(
                    hasDeviceMotion: hasDeviceMotion,
                    hasRawSensors: hasRawSensors,
                    isAllowed: rules.allowsMotion
                )
            }
        }
        return advance(at: now)
    }

    /// A sensor of motion was read.
    ///
    /// - Parameter run: the run it was read in; nil when the app read it itself.
    package mutating func read(_ reading: MotionReading, run: Int?) {
        // What the app read and handed over itself needs no leave of its own.
        guard isWatching, run == nil || rules.allowsMotion && run == motionRun else { return }
        readings.append(reading)
    }

    /// A compass was read.
    ///
    /// - Parameter run: the run it was read in; nil when the app read it itself.
    package mutating func read(_ heading: Heading, run: Int?) {
        guard isWatching, run == nil || run == headingRun else { return }
        readings.append(heading, isFromRun: run != nil)
    }

    // MARK: Time

    /// Time passed.
    package mutating func timeCame(at now: DeviceTime) -> [Action] {
        guard isWatching else { return [] }
        let fallen = asking.isEmpty ? [] : inquiry.timeCame(at: now)
        for index in asking.indices { asking[index].awaited.subtract(fallen) }
        var actions = fallen.map(Action.reportSilent) + advance(at: now)
        if let due = collectionDue, due <= now.monotonic {
            collectionDue = nil
            actions += carryOut(collection.timeCame(at: now), at: now)
        }
        if let due = cadenceDue, due <= now.monotonic {
            cadenceDue = nil
            actions += carryOut(memory.cadence.timeCame(at: now), at: now)
        }
        return actions
    }
}
