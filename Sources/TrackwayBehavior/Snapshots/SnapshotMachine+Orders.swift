// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension SnapshotMachine {
    // MARK: Coming and going

    mutating func cameIntoSight(at now: DeviceTime) -> [Action] {
        guard watched.contains(.appState) else { return begin(nil, reportsProperties: true, at: now) }
        let orders = memory.cadence.enteredForeground(at: now)
        let isTaken = orders.contains { if case .take = $0 { true } else { false } }
        let actions = carryOut(orders, reportsProperties: true, at: now)
        // How often the app is used limits what it is about, not what the device is.
        return isTaken ? actions : actions + begin(nil, reportsProperties: true, at: now)
    }

    mutating func wentOutOfSight(at now: DeviceTime) -> [Action] {
        _ = memory.cadence.enteredBackground()
        cadenceDue = nil
        let actions = finishAll(at: now)
        return app == .background ? actions + begin(nil, reportsProperties: true, at: now) : actions
    }

    /// Takes every snapshot out of both rooms, with what there is.
    mutating func finishAll(at now: DeviceTime) -> [Action] {
        for index in asking.indices { asking[index].awaited = [] }
        return carryOut(collection.enteredBackground(), at: now) + advance(waits: false, at: now)
    }

    // MARK: Through the rooms

    /// Begins a snapshot of what may be told.
    ///
    /// - Parameter trigger: what brings it about; nil leaves out what the app is about.
    mutating func begin(
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
    mutating func advance(waits: Bool = true, at now: DeviceTime) -> [Action] {
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
        let isNews = memory.properties.takes(
            Self.digest(attributes, person),
            within: rules.repeatsPropertiesAfter,
            at: time
        )
        return isNews ? [.recordProperties(attributes, at: time), .save] : []
    }

    private static func digest(_ attributes: Attributes, _ person: String?) -> String {
        // An end that no JSON has: nobody and somebody without a name differ, and no name can look like a property.
        let whose: [UInt8] = person.map { [1] + Array($0.utf8) } ?? [0]
        return SHA256.hash(JSONValue.object(attributes.json).json() + whose).prefix(16)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // MARK: Orders of the parts

    /// Carries out what the cadence ordered.
    mutating func carryOut(
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
    mutating func carryOut(_ orders: [SnapshotCollection.Action], at now: DeviceTime) -> [Action] {
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
        var state = draft.completed
        if !rules.allowsLocation { state.location = nil }
        if !rules.allowsMotion { state.forgetMotion() }
        readings.drain(into: &state)
        var time = draft.time
        time.wall = draft.said ?? time.wall
        return [.recordState(state, at: time, trigger)]
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
    fileprivate var shown: AppStateSnapshot.ApplicationState? {
        switch self {
        case .active: .active
        case .inactive: .inactive
        case .background, .suspended: .background
        case .notRunning: nil
        }
    }
}
