// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The state machine that takes snapshots of device properties and app state.
///
/// It decides when to take snapshots, which sources to query, how long to wait, and what to report. A snapshot has two
/// phases. First, its sources are queried (``PendingSourceQueries``); then, in the foreground, sensors get the time
/// they need (``SnapshotCollection``). When the user leaves the app, all snapshots in both phases end at once, with the
/// data collected so far. Device properties are reported at the end of the first phase, so they precede the app state.
package struct SnapshotMachine: Sendable {
    /// An action for the caller; actions are performed in order.
    package enum Action: Sendable, Equatable {
        /// Query a source asynchronously, then call ``SnapshotMachine/sourceAnswered(_:for:at:)``.
        case query(SnapshotPart)
        /// Start the compass; its readings carry this number.
        case startHeading(run: Int)
        /// Stop the compass.
        case stopHeading
        /// Start sampling motion in this mode; readings carry this number.
        case startMotion(MotionSamplingMode, run: Int)
        /// Stop the motion sensors.
        case stopMotion
        /// Record the device properties.
        case recordProperties(Attributes, at: DeviceTime)
        /// Record the state of the app and the device.
        case recordState(AppStateSnapshot, at: DeviceTime, SnapshotCadence.Trigger)
        /// Report to the app that this source is unresponsive.
        case reportUnresponsiveSource(SnapshotPart)
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
    /// True from when the app becomes active until it enters the background; an overlay does not change the value.
    private var isInForeground: Bool
    /// The kinds that may be reported; no data is read for others.
    private var allowedKinds: Set<SnapshotKind> = []
    private var queries = PendingSourceQueries()
    private var collection = SnapshotCollection()
    private var readings = SensorReadings()
    /// The snapshots in the first phase, in the order they began.
    private var drafts: [SnapshotDraft] = []
    /// The snapshots in the second phase, by number.
    private var collecting: [Int: SnapshotDraft] = [:]
    private var lastNumber = 0
    /// The time that new snapshots report; nil for the actual time.
    private var reportedTime: Timestamp?
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
        isInForeground = app == .active
        self.memory.cadence.processStarted(policy: rules.policy)
    }

    /// The time of the next call to ``timerFired(at:)``; nil if none.
    package var due: MonotonicTime? {
        [drafts.isEmpty ? nil : queries.due, collectionDue, cadenceDue].compactMap { $0 }.min()
    }

    /// The current run of the motion sensors; nil while they are stopped.
    package var currentMotionRun: Int? { motionRun }

    /// The maximum number of snapshots waiting for sources.
    ///
    /// Beyond this limit, the oldest continues without the missing answers.
    package static let maxDrafts = 256

    /// Whether any snapshots may be taken now.
    private var isWatching: Bool { !allowedKinds.isEmpty }

    /// Whether a snapshot is in progress.
    package var isBusy: Bool { !drafts.isEmpty || !collecting.isEmpty }

    // MARK: App lifecycle

    /// Allows snapshots of these kinds and no others.
    ///
    /// When the kinds change, snapshots in progress are canceled without being reported, and snapshots of the allowed
    /// kinds start over.
    package mutating func setAllowedKinds(_ kinds: Set<SnapshotKind>, at now: DeviceTime) -> [Action] {
        guard kinds != allowedKinds else { return [] }
        allowedKinds = kinds
        drafts = []
        collecting = [:]
        readings = SensorReadings()
        _ = memory.cadence.appEnteredBackground()
        cadenceDue = nil
        let stops = perform(collection.cancelAll(), at: now)
        return isWatching && isInForeground ? stops + enterForeground(at: now) : stops
    }

    /// Handles a change of the app's state.
    package mutating func appChanged(to app: AppState, at now: DeviceTime) -> [Action] {
        let wasInForeground = isInForeground
        if self.app == .suspended { queries.processResumed(at: now) }
        self.app = app
        switch app {
        case .active: isInForeground = true
        case .inactive: break  // The app is entering or leaving the foreground, or is covered.
        case .background, .suspended, .notRunning: isInForeground = false
        }
        guard isWatching, wasInForeground != isInForeground else { return [] }
        return isInForeground ? enterForeground(at: now) : leaveForeground(at: now)
    }

    /// Handles a screen shown by the app.
    package mutating func screenShown(_ title: String?, at now: DeviceTime) -> [Action] {
        guard allowedKinds.contains(.appState) else { return [] }
        return perform(memory.cadence.screenChanged(at: now), title: title, at: now)
    }

    /// Takes a snapshot of the app's state, even in the background.
    ///
    /// The device properties are included unless the app excludes them.
    ///
    /// - Parameter time: The time reported in the event; `now` if nil. All limits use `now`.
    package mutating func snapshotRequested(
        _ title: String?,
        reportsProperties: Bool = true,
        eventTime time: Timestamp? = nil,
        at now: DeviceTime
    ) -> [Action] {
        reportedTime = time
        defer { reportedTime = nil }
        // The limits count snapshots of the app state only while the app state may be reported.
        guard allowedKinds.contains(.appState) else { return begin(nil, reportsProperties: reportsProperties, at: now) }
        return perform(
            memory.cadence.snapshotRequested(at: now),
            title: title,
            reportsProperties: reportsProperties,
            at: now
        )
    }

    /// Reports the device properties, which no limit restricts.
    package mutating func propertiesRequested(at now: DeviceTime) -> [Action] {
        begin(nil, reportsProperties: true, at: now)
    }

    /// Takes a snapshot if the last one is too old.
    package mutating func requestIfDue(at now: DeviceTime) -> [Action] {
        guard allowedKinds.contains(.appState) else { return [] }
        return perform(memory.cadence.timerFired(at: now), at: now)
    }

    /// Ends all snapshots.
    ///
    /// Snapshots in progress are reported with the data collected so far; no more are taken.
    package mutating func endAll(at now: DeviceTime) -> [Action] {
        guard isWatching else { return [] }
        return finishAll(at: now) + setAllowedKinds([], at: now)
    }

    /// Resets the machine to its initial state.
    package mutating func reset(at now: DeviceTime) -> [Action] {
        let actions = setAllowedKinds([], at: now)
        memory = SnapshotMemory(policy: rules.policy)
        return actions
    }

    /// Sets the sensors that the app allows.
    ///
    /// Readings that are no longer allowed are not reported either.
    package mutating func setAllowed(motion: Bool, location: Bool, at now: DeviceTime) -> [Action] {
        rules.allowsLocation = location
        rules.allowsMotion = motion
        guard !motion else { return [] }
        readings.forgetMotion()
        for index in drafts.indices { drafts[index].sensors.motion = nil }
        return perform(collection.motionDisallowed(), at: now)
    }

    // MARK: Sources

    /// Handles a source's answer.
    ///
    /// - Parameter person: The signed-in user; nil if none.
    package mutating func sourceAnswered(
        _ answer: SnapshotAnswer,
        for person: String? = nil,
        at now: DeviceTime
    ) -> [Action] {
        queries.sourceAnswered(answer.part)
        for index in drafts.indices where drafts[index].awaited.contains(answer.part) {
            drafts[index].awaited.remove(answer.part)
            switch answer {
            case .deviceProperties(let properties):
                drafts[index].properties = properties
                drafts[index].person = person
            case .appState(let state):
                drafts[index].take(state)
            case .location(let location):
                drafts[index].complete(location)
            case .heading(let isAvailable):
                drafts[index].sensors.hasHeading = isAvailable
            case .motion(let hasDeviceMotion, let hasRawSensors):
                drafts[index].sensors.motion = .preferred(
                    hasDeviceMotion: hasDeviceMotion,
                    hasRawSensors: hasRawSensors,
                    isAllowed: rules.allowsMotion
                )
            }
        }
        return advance(at: now)
    }

    /// Handles a reading from a motion sensor.
    ///
    /// - Parameter run: The run to which the reading belongs; nil if the app provided the reading.
    package mutating func receive(_ reading: MotionReading, run: Int?) {
        // Readings that the app provides need no separate permission.
        guard isWatching, run == nil || rules.allowsMotion && run == motionRun else { return }
        readings.append(reading)
    }

    /// Handles a compass reading.
    ///
    /// - Parameter run: The run to which the reading belongs; nil if the app provided the reading.
    package mutating func receive(_ heading: Heading, run: Int?) {
        guard isWatching, run == nil || run == headingRun else { return }
        readings.append(heading, isFromRun: run != nil)
    }

    // MARK: Time

    /// Performs what is due at this time.
    package mutating func timerFired(at now: DeviceTime) -> [Action] {
        guard isWatching else { return [] }
        let timedOut = drafts.isEmpty ? [] : queries.timerFired(at: now)
        for index in drafts.indices { drafts[index].awaited.subtract(timedOut) }
        var actions = timedOut.map(Action.reportUnresponsiveSource) + advance(at: now)
        if let due = collectionDue, due <= now.monotonic {
            collectionDue = nil
            actions += perform(collection.timerFired(at: now), at: now)
        }
        if let due = cadenceDue, due <= now.monotonic {
            cadenceDue = nil
            actions += perform(memory.cadence.timerFired(at: now), at: now)
        }
        return actions
    }

    // MARK: Foreground and background

    private mutating func enterForeground(at now: DeviceTime) -> [Action] {
        guard allowedKinds.contains(.appState) else { return begin(nil, reportsProperties: true, at: now) }
        let orders = memory.cadence.appEnteredForeground(at: now)
        let isTaken = orders.contains { if case .take = $0 { true } else { false } }
        let actions = perform(orders, reportsProperties: true, at: now)
        // The limit on use applies to the app state, not to the device properties.
        return isTaken ? actions : actions + begin(nil, reportsProperties: true, at: now)
    }

    private mutating func leaveForeground(at now: DeviceTime) -> [Action] {
        _ = memory.cadence.appEnteredBackground()
        cadenceDue = nil
        let actions = finishAll(at: now)
        return app == .background ? actions + begin(nil, reportsProperties: true, at: now) : actions
    }

    /// Ends all snapshots of both phases with the data collected so far.
    private mutating func finishAll(at now: DeviceTime) -> [Action] {
        for index in drafts.indices { drafts[index].awaited = [] }
        return perform(collection.appEnteredBackground(), at: now) + advance(waits: false, at: now)
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
        let reportsProperties = reportsProperties && allowedKinds.contains(.deviceProperties)
        guard reportsProperties || trigger != nil else { return [] }
        var parts: Set<SnapshotPart> = reportsProperties ? [.deviceProperties] : []
        if trigger != nil {
            parts.insert(.appState)
            if rules.allowsLocation { parts.insert(.location) }
            // Heading and motion are relevant only while the user sees the app.
            if isInForeground { parts.insert(.heading) }
            if isInForeground, rules.allowsMotion { parts.insert(.motion) }
        }
        let (queried, awaited) = queries.request(parts.intersection(rules.sources), at: now)
        if drafts.count >= Self.maxDrafts { drafts[0].awaited = [] }
        lastNumber += 1
        drafts.append(
            SnapshotDraft(
                number: lastNumber,
                trigger: trigger,
                time: now,
                reportedTime: reportedTime,
                awaited: awaited,
                title: title,
                applicationState: app.snapshotState
            )
        )
        return queried.map(Action.query) + advance(at: now)
    }

    /// Advances the snapshots whose sources have all answered.
    ///
    /// - Parameter waits: Whether to wait for sensors.
    private mutating func advance(waits: Bool = true, at now: DeviceTime) -> [Action] {
        let ready = drafts.filter(\.awaited.isEmpty)
        guard !ready.isEmpty else { return [] }
        drafts.removeAll(where: \.awaited.isEmpty)
        var actions: [Action] = []
        for draft in ready {
            actions += report(draft.properties, of: draft.person, at: draft.time)
            guard draft.trigger != nil else { continue }
            collecting[draft.number] = draft
            actions += perform(
                collection.begin(draft.number, with: draft.sensors, isInForeground: waits && isInForeground, at: now),
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
        let isNew = memory.isNew(attributes, of: person, within: rules.propertiesRepeatInterval, at: time)
        return isNew ? [.recordProperties(attributes, at: time), .save] : []
    }

    // MARK: Actions of the parts

    /// Performs the actions of the cadence.
    private mutating func perform(
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
            case .cancelWake:
                cadenceDue = nil
            }
        }
        return actions
    }

    /// Performs the actions of the collection.
    private mutating func perform(_ orders: [SnapshotCollection.Action], at now: DeviceTime) -> [Action] {
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
            case .startMotion(let mode):
                lastNumber += 1
                motionRun = lastNumber
                actions.append(.startMotion(mode, run: lastNumber))
            case .stopMotion:
                motionRun = nil
                actions.append(.stopMotion)
            case .finish(let number):
                actions += finish(number)
            case .wake(let time):
                collectionDue = time
            case .cancelWake:
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
        time.wall = draft.reportedTime ?? time.wall
        return [.recordState(state, at: time, trigger)]
    }
}
