// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Takes snapshots of device properties and app state.
///
/// Decides when to take them, which sources to query, how long to wait, and what to report. A snapshot has two phases.
/// First its sources are queried (``PendingSourceQueries``); then, in the foreground, sensors get the time they need
/// (``SnapshotCollection``). When the user leaves the app, all snapshots in both phases end at once, with the data so
/// far. Device properties are reported at the end of the first phase, so they precede the app state.
package struct SnapshotMachine: Sendable {
    /// An action for the caller; actions are performed in order.
    package enum Action: Sendable, Hashable {
        /// Query a source asynchronously, then call ``SnapshotMachine/answered(_:for:at:)``.
        case ask(SnapshotPart)
        /// Start the compass; its readings carry this number.
        case startHeading(run: Int)
        /// Stop the compass.
        case stopHeading
        /// Start sampling motion by these means; readings carry this number.
        case startMotion(MotionMeans, run: Int)
        /// Stop the motion sensors.
        case stopMotion
        /// Record the device properties.
        case recordProperties(Attributes, at: DeviceTime)
        /// Record the state of the app and the device.
        case recordState(AppStateSnapshot, at: DeviceTime, SnapshotCadence.Trigger)
        /// Report to the app that this source does not answer.
        case reportSilent(SnapshotPart)
        /// Persist ``SnapshotMachine/memory``.
        case save
    }

    /// The state that must survive a restart.
    package private(set) var memory: SnapshotMemory
    /// The rules for taking snapshots.
    package private(set) var rules: SnapshotRules
    /// The state of the app, tracked even while nothing may be recorded.
    package private(set) var app: AppState
    /// Whether the app is in the foreground.
    ///
    /// True from when it becomes active until it enters the background; an overlay does not change it.
    private var isInSight: Bool
    /// The kinds that may be reported; no data is read for others.
    private var watched: Set<SnapshotKind> = []
    private var inquiry = PendingSourceQueries()
    private var collection = SnapshotCollection()
    private var readings = SensorReadings()
    /// Snapshots in the first phase, in order of their beginning.
    private var asking: [SnapshotDraft] = []
    /// Snapshots in the second phase, by number.
    private var collecting: [Int: SnapshotDraft] = [:]
    private var lastNumber = 0
    /// The time that new snapshots report; nil for the actual time.
    private var said: Timestamp?
    /// The current run of each sensor; readings of earlier runs are ignored.
    private var headingRun: Int?
    private var motionRun: Int?
    private var cadenceDue: MonotonicTime?
    private var collectionDue: MonotonicTime?

    /// Creates the machine of a new process with persisted memory.
    package init(_ memory: SnapshotMemory, _ rules: SnapshotRules, app: AppState) {
        self.memory = memory
        self.rules = rules
        self.app = app
        isInSight = app == .active
        self.memory.cadence.processStarted(policy: rules.policy)
    }

    /// The time of the next call of ``timeCame(at:)``; nil if none.
    package var due: MonotonicTime? {
        [asking.isEmpty ? nil : inquiry.due, collectionDue, cadenceDue].compactMap { $0 }.min()
    }

    /// The current run of the motion sensors; nil while they are stopped.
    package var currentMotionRun: Int? { motionRun }

    /// The maximum number of snapshots waiting for sources.
    ///
    /// Beyond it, the first continues without the missing answers.
    package static let maxAsking = 256

    /// Whether any snapshots may be taken now.
    private var isWatching: Bool { !watched.isEmpty }

    /// Whether a snapshot is in progress.
    package var isBusy: Bool { !asking.isEmpty || !collecting.isEmpty }

    // MARK: App lifecycle

    /// Allows snapshots of these kinds and no others.
    ///
    /// When the kinds change, snapshots in progress are canceled without being reported, and those allowed start over.
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

    /// Handles a change of the app's state.
    package mutating func appChanged(to app: AppState, at now: DeviceTime) -> [Action] {
        let wasInSight = isInSight
        if self.app == .suspended { inquiry.resumed(at: now) }
        self.app = app
        switch app {
        case .active: isInSight = true
        case .inactive: break  // The app is entering or leaving the foreground, or is covered.
        case .background, .suspended, .notRunning: isInSight = false
        }
        guard isWatching, wasInSight != isInSight else { return [] }
        return isInSight ? cameIntoSight(at: now) : wentOutOfSight(at: now)
    }

    /// Handles a screen that the app showed.
    package mutating func screenShown(_ title: String?, at now: DeviceTime) -> [Action] {
        guard watched.contains(.appState) else { return [] }
        return carryOut(memory.cadence.screenChanged(at: now), title: title, at: now)
    }

    /// Takes a snapshot of the app's state, even in the background.
    ///
    /// Unless the app declines them, the device properties are included.
    ///
    /// - Parameter time: The time reported in the event; `now` if nil. All limits use `now`.
    package mutating func requested(
        _ title: String?,
        reportsProperties: Bool = true,
        saying time: Timestamp? = nil,
        at now: DeviceTime
    ) -> [Action] {
        said = time
        defer { said = nil }
        // The limits count snapshots of the app state only while it may be reported.
        guard watched.contains(.appState) else { return begin(nil, reportsProperties: reportsProperties, at: now) }
        return carryOut(memory.cadence.requested(at: now), title: title, reportsProperties: reportsProperties, at: now)
    }

    /// Reports the device properties, to which no limit applies.
    package mutating func requestedProperties(at now: DeviceTime) -> [Action] {
        begin(nil, reportsProperties: true, at: now)
    }

    /// Takes a snapshot if the last one is too old.
    package mutating func requestedIfDue(at now: DeviceTime) -> [Action] {
        guard watched.contains(.appState) else { return [] }
        return carryOut(memory.cadence.timeCame(at: now), at: now)
    }

    /// Ends all snapshots.
    ///
    /// Those in progress are reported with the data so far; no more are taken.
    package mutating func ended(at now: DeviceTime) -> [Action] {
        guard isWatching else { return [] }
        return finishAll(at: now) + watches([], at: now)
    }

    /// Forgets everything.
    package mutating func forgotten(at now: DeviceTime) -> [Action] {
        let actions = watches([], at: now)
        memory = SnapshotMemory(policy: rules.policy)
        return actions
    }

    /// Sets the sensors that the app allows.
    ///
    /// Readings that are no longer allowed are not reported either.
    package mutating func allows(motion: Bool, location: Bool, at now: DeviceTime) -> [Action] {
        rules.allowsLocation = location
        rules.allowsMotion = motion
        guard !motion else { return [] }
        readings.forgetMotion()
        for index in asking.indices { asking[index].means.motion = nil }
        return carryOut(collection.motionDisallowed(), at: now)
    }

    // MARK: Sources

    /// Handles a source's answer.
    ///
    /// - Parameter person: The signed-in user; nil if none.
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

    /// Handles a reading of a motion sensor.
    ///
    /// - Parameter run: The run of the reading; nil if the app provided the reading.
    package mutating func read(_ reading: MotionReading, run: Int?) {
        // Readings that the app provides need no separate permission.
        guard isWatching, run == nil || rules.allowsMotion && run == motionRun else { return }
        readings.append(reading)
    }

    /// Handles a compass reading.
    ///
    /// - Parameter run: The run of the reading; nil if the app provided the reading.
    package mutating func read(_ heading: Heading, run: Int?) {
        guard isWatching, run == nil || run == headingRun else { return }
        readings.append(heading, isFromRun: run != nil)
    }

    // MARK: Time

    /// Performs what is due at this time.
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

    // MARK: Foreground and background

    private mutating func cameIntoSight(at now: DeviceTime) -> [Action] {
        guard watched.contains(.appState) else { return begin(nil, reportsProperties: true, at: now) }
        let orders = memory.cadence.enteredForeground(at: now)
        let isTaken = orders.contains { if case .take = $0 { true } else { false } }
        let actions = carryOut(orders, reportsProperties: true, at: now)
        // The limit on use applies to the app state, not to the device properties.
        return isTaken ? actions : actions + begin(nil, reportsProperties: true, at: now)
    }

    private mutating func wentOutOfSight(at now: DeviceTime) -> [Action] {
        _ = memory.cadence.enteredBackground()
        cadenceDue = nil
        let actions = finishAll(at: now)
        return app == .background ? actions + begin(nil, reportsProperties: true, at: now) : actions
    }

    /// Ends all snapshots of both phases with the data so far.
    private mutating func finishAll(at now: DeviceTime) -> [Action] {
        for index in asking.indices { asking[index].awaited = [] }
        return carryOut(collection.enteredBackground(), at: now) + advance(waits: false, at: now)
    }

    // MARK: Phases

    /// Begins a snapshot of the data that may be reported.
    ///
    /// - Parameter trigger: The reason; nil leaves out the app state.
    private mutating func begin(
        _ trigger: SnapshotCadence.Trigger?,
        title: String? = nil,
        reportsProperties: Bool,
        at now: DeviceTime
    ) -> [Action] {
        let reportsProperties = reportsProperties && watched.contains(.deviceProperties)
        guard reportsProperties || trigger != nil else { return [] }
        var parts: Set<SnapshotPart> = reportsProperties ? [.deviceProperties] : []
        if trigger != nil {
            parts.insert(.appState)
            if rules.allowsLocation { parts.insert(.location) }
            // Heading and motion are of interest only while the user sees the app.
            if isInSight { parts.insert(.heading) }
            if isInSight, rules.allowsMotion { parts.insert(.motion) }
        }
        let (ask, awaited) = inquiry.needs(parts.intersection(rules.sources), at: now)
        if asking.count >= Self.maxAsking { asking[0].awaited = [] }
        lastNumber += 1
        asking.append(
            SnapshotDraft(
                number: lastNumber,
                trigger: trigger,
                time: now,
                said: said,
                awaited: awaited,
                title: title,
                applicationState: app.shown
            )
        )
        return ask.map(Action.ask) + advance(at: now)
    }

    /// Advances the snapshots that have all their answers.
    ///
    /// - Parameter waits: Whether sensors get time.
    private mutating func advance(waits: Bool = true, at now: DeviceTime) -> [Action] {
        let ready = asking.filter(\.awaited.isEmpty)
        guard !ready.isEmpty else { return [] }
        asking.removeAll(where: \.awaited.isEmpty)
        var actions: [Action] = []
        for draft in ready {
            actions += report(draft.properties, of: draft.person, at: draft.time)
            guard draft.trigger != nil else { continue }
            collecting[draft.number] = draft
            actions += carryOut(
                collection.begin(draft.number, with: draft.means, isInForeground: waits && isInSight, at: now),
                at: now
            )
        }
        return actions
    }

    /// Reports the device properties unless they are already known.
    ///
    /// The comparison includes the user.
    private mutating func report(
        _ properties: DeviceProperties?,
        of person: String?,
        at time: DeviceTime
    ) -> [Action] {
        guard let properties, !properties.isEmpty else { return [] }
        let attributes = properties.attributes
        let isNews = memory.isNews(attributes, of: person, within: rules.repeatsPropertiesAfter, at: time)
        return isNews ? [.recordProperties(attributes, at: time), .save] : []
    }

    // MARK: Actions of the parts

    /// Performs the actions of the cadence.
    private mutating func carryOut(
        _ orders: [SnapshotCadence.Action],
        title: String? = nil,
        reportsProperties: Bool = false,
        at now: DeviceTime
    ) -> [Action] {
        var actions: [Action] = []
        for order in orders {
            switch order {
            case .take(let trigger):
                actions += [.save] + begin(trigger, title: title, reportsProperties: reportsProperties, at: now)
            case .wake(let time):
                cadenceDue = time
            case .rest:
                cadenceDue = nil
            }
        }
        return actions
    }

    /// Performs the actions of the collection.
    private mutating func carryOut(_ orders: [SnapshotCollection.Action], at now: DeviceTime) -> [Action] {
        var actions: [Action] = []
        for order in orders {
            switch order {
            case .startHeading:
                lastNumber += 1
                headingRun = lastNumber
                actions.append(.startHeading(run: lastNumber))
            case .stopHeading:
                headingRun = nil
                readings.compassStopped()
                actions.append(.stopHeading)
            case .startMotion(let means):
                lastNumber += 1
                motionRun = lastNumber
                actions.append(.startMotion(means, run: lastNumber))
            case .stopMotion:
                motionRun = nil
                actions.append(.stopMotion)
            case .finish(let number):
                actions += finish(number)
            case .wake(let time):
                collectionDue = time
            case .rest:
                collectionDue = nil
            }
        }
        if !collection.isCollecting { collectionDue = nil }
        return actions
    }

    private mutating func finish(_ number: Int) -> [Action] {
        guard let draft = collecting.removeValue(forKey: number), let trigger = draft.trigger else { return [] }
        var state = draft.completed(under: rules)
        readings.drain(into: &state)
        var time = draft.time
        time.wall = draft.said ?? time.wall
        return [.recordState(state, at: time, trigger)]
    }
}
