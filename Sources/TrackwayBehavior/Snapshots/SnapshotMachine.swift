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
    package private(set) var memory: SnapshotMemory
    /// How snapshots are taken.
    package private(set) var rules: SnapshotRules
    /// What the app does, whether anything may be watched or not.
    package private(set) var app: AppState
    /// Whether the person has the app before them: from when it is in use until it is gone. What only lies over it does not
    /// change that.
    private var isInSight: Bool
    /// What may be told now; nothing is read for what may not.
    private var watched: Set<SnapshotKind> = []
    private var inquiry = SnapshotInquiry()
    private var collection = SnapshotCollection()
    private var readings = SensorReadings()
    /// Snapshots in the first room, in the order in which they began.
    private var asking: [SnapshotDraft] = []
    /// Those in the second, by their numbers.
    private var collecting: [Int: SnapshotDraft] = [:]
    private var lastNumber = 0
    /// What snapshots that begin now say about when they happened; nil for the truth.
    private var said: Timestamp?
    /// Which run of each sensor counts; readings of an earlier one come too late.
    private var headingRun: Int?
    private var motionRun: Int?
    private var cadenceDue: MonotonicTime?
    private var collectionDue: MonotonicTime?

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
    private var isWatching: Bool { !watched.isEmpty }

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

    // MARK: Coming and going

    private mutating func cameIntoSight(at now: DeviceTime) -> [Action] {
        guard watched.contains(.appState) else { return begin(nil, reportsProperties: true, at: now) }
        let orders = memory.cadence.enteredForeground(at: now)
        let isTaken = orders.contains { if case .take = $0 { true } else { false } }
        let actions = carryOut(orders, reportsProperties: true, at: now)
        // How often the app is used limits what it is about, not what the device is.
        return isTaken ? actions : actions + begin(nil, reportsProperties: true, at: now)
    }

    private mutating func wentOutOfSight(at now: DeviceTime) -> [Action] {
        _ = memory.cadence.enteredBackground()
        cadenceDue = nil
        let actions = finishAll(at: now)
        return app == .background ? actions + begin(nil, reportsProperties: true, at: now) : actions
    }

    /// Takes every snapshot out of both rooms, with what there is.
    private mutating func finishAll(at now: DeviceTime) -> [Action] {
        for index in asking.indices { asking[index].awaited = [] }
        return carryOut(collection.enteredBackground(), at: now) + advance(waits: false, at: now)
    }

    // MARK: Through the rooms

    /// Begins a snapshot of what may be told.
    ///
    /// - Parameter trigger: what brings it about; nil leaves out what the app is about.
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
            // Whoever does not see the app does not move it either.
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

    /// Lets those go on that have what they asked for.
    ///
    /// - Parameter waits: whether there is time for sensors.
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

    /// What the device is, unless that is known. Whose device it is, is a part of that.
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

    // MARK: Orders of the parts

    /// Carries out what the cadence ordered.
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

    /// Carries out what the collection ordered.
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
                readings.compassRests()
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
