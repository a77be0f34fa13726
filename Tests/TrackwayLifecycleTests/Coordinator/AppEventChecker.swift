// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

/// Checks every event of a simulated app against an independent record.
///
/// It determines from the steps alone when the user sees the app.
struct AppEventChecker {
    // The observed facts.
    private var isSeen = false
    private var hasProcess = false
    private var periodBegan: DeviceTime?
    private var lastSeen: DeviceTime?
    private var settings = LifecycleSettings()

    // The recorded events.
    private var startCount = 0
    private var startsOfProcess = 0
    private var openings = 0
    private var isStarted = false
    private var sessions: [RecordedContext.Session] = []
    private var visibleStartsOfProcess = 0
    private var hadEntrance = false
    private var previous: RecordedContext.Screen?
    private var lastView: Timestamp?
    private var engagedInPeriod = Duration.zero
    private(set) var counts: [String: Int] = [:]

    /// Checks the events that a step recorded.
    ///
    /// Call it after the step, with the app in its resulting state.
    mutating func check(_ events: ArraySlice<TestApp.Recorded>, after step: AppStep, app: TestApp) throws {
        let now = app.device.now
        var isProcessStart = false
        switch step {
        case .kill(_, _, let next):
            isProcessStart = true
            try checkRecovery(events)
            isSeen = next != .background && next != .suspended
            hasProcess = true
            startsOfProcess = 0
            visibleStartsOfProcess = 0
            previous = nil
            if isSeen { periodBegan = now }
        case .change(.didBecomeActive) where hasProcess && !isSeen:
            isSeen = true
            periodBegan = now
        case .change(.didEnterBackground), .change(.willSuspend), .change(.willTerminate):
            if isSeen { try #require(events.last?.name == CapturedName.appEnd) }
            isSeen = false
        default: break
        }
        let recovered = events.prefix { $0.attributes[CapturedKey.isRecovered] != nil }
        for event in recovered { count(event) }
        for event in events.dropFirst(recovered.count) {
            try #require(event.at == now)
            try #require(event.attributes[CapturedKey.isRecovered] == nil)
            try check(event, isProcessStart: isProcessStart)
            count(event)
        }
        try #require(isStarted == isSeen)
        try #require(app.isInBackground != isSeen || !hasProcess)
        if isActivity(step), isSeen { lastSeen = now }
    }

    private mutating func isActivity(_ step: AppStep) -> Bool {
        switch step {
        case .pass, .setClock: return false
        case .choose(let settings):
            defer { self.settings = settings }
            return settings != self.settings
        case .change, .show, .heartbeat, .kill: return true
        }
    }

    private mutating func count(_ event: TestApp.Recorded) {
        counts[event.name, default: 0] += 1
    }

    // MARK: Recovery

    /// Checks the events recovered from the previous process.
    ///
    /// If the user saw that process when it was killed, its exit is recorded first. Otherwise, no exit is recovered.
    private mutating func checkRecovery(_ events: ArraySlice<TestApp.Recorded>) throws {
        let recovered = events.prefix { $0.attributes[CapturedKey.isRecovered] != nil }
        try #require(recovered.contains { $0.name == CapturedName.appEnd } == isSeen)
        for event in recovered {
            try #require(event.session == sessions.last)
            try #require(event.screen == previous)
            try #require(event.at == lastSeen)
            if event.name == CapturedName.appEnd {
                let expected = periodBegan.flatMap { event.at.elapsed(since: $0) }
                try #require(event.attributes[CapturedKey.foregroundDuration] == expected?.attributeValue)
                try checkEnd()
            } else {
                try checkEngagement(event)
            }
        }
    }

    private mutating func checkEnd() throws {
        try #require(isStarted)
        isStarted = false
        engagedInPeriod = .zero
    }

    // MARK: Events

    private mutating func check(_ event: TestApp.Recorded, isProcessStart: Bool) throws {
        switch event.name {
        case CapturedName.appStart: try checkStart(event, isProcessStart: isProcessStart)
        case CapturedName.appEnd:
            let expected = periodBegan.flatMap { event.at.elapsed(since: $0) }
            try #require(event.attributes == [CapturedKey.foregroundDuration: expected?.attributeValue ?? 0])
            try checkEnd()
        case CapturedName.sessionStart: try checkSession(event)
        case CapturedName.screenView: try checkView(event)
        case CapturedName.userEngagement: try checkEngagement(event)
        case CapturedName.firstOpen:
            openings += 1
            try #require(openings == 1 && isSeen && !isStarted)
        default: try #require(Bool(false), "\(event.name) must not be recorded")
        }
        if isSeen { try #require(event.session != nil) }
    }

    private mutating func checkStart(_ event: TestApp.Recorded, isProcessStart: Bool) throws {
        startCount += 1
        startsOfProcess += 1
        if isSeen { visibleStartsOfProcess += 1 }
        try #require((startsOfProcess == 1) == isProcessStart)
        try #require(!isStarted)
        let kind = isProcessStart ? (isSeen ? "cold" : "passive") : "hot"
        try #require(
            event.attributes == [
                CapturedKey.isFirstTime: .boolean(isSeen && visibleStartsOfProcess == 1),
                CapturedKey.startKind: .string(kind),
                CapturedKey.isFirstStart: .boolean(startCount == 1),
                CapturedKey.resumedFromBackground: .boolean(!isProcessStart),
            ]
        )
        isStarted = isSeen
    }

    private mutating func checkSession(_ event: TestApp.Recorded) throws {
        try #require(isStarted)
        let session = try #require(event.session)
        try #require(session.number == (sessions.last?.number ?? 0) + 1)
        try #require(session.id != sessions.last?.id)
        try #require(session.start == event.at.wall)
        try #require(event.screen == nil)
        sessions.append(session)
        hadEntrance = false
        previous = nil
    }

    private mutating func checkView(_ event: TestApp.Recorded) throws {
        try #require(isStarted)
        try #require(event.session == sessions.last)
        let screen = try #require(event.screen)
        let attributes = event.attributes
        try #require(attributes[CapturedKey.screenName]?.string == screen.name)
        try #require(attributes[CapturedKey.screenUniqueID]?.string == screen.uniqueID)
        try #require(attributes[CapturedKey.entrances] == (hadEntrance ? 0 : 1))
        try #require(attributes[CapturedKey.previousScreenName]?.string == previous?.name)
        try #require(attributes[CapturedKey.previousScreenID]?.string == previous?.id)
        try #require(attributes[CapturedKey.previousScreenUniqueID]?.string == previous?.uniqueID)
        try #require(attributes[CapturedKey.previousTimestamp] == lastView.map { .integer($0.milliseconds) })
        try #require((attributes[CapturedKey.engagementTime]?.integer ?? 1000) >= 1000)
        // The same screen gets another view only if the app adds information: another id, or its own attributes.
        let hasAttributes = attributes.contains { !$0.key.hasPrefix("_") }
        try #require(
            previous?.name != screen.name || previous?.uniqueID != screen.uniqueID || previous?.id != screen.id
                || hasAttributes
        )
        hadEntrance = true
        previous = screen
        lastView = event.at.wall
    }

    private mutating func checkEngagement(_ event: TestApp.Recorded) throws {
        try #require(isStarted)
        let milliseconds = try #require(event.attributes[CapturedKey.engagementTime]?.integer)
        try #require(milliseconds >= 1000)
        try #require(event.screen != nil && event.screen == previous)
        engagedInPeriod += .milliseconds(milliseconds)
        let stretch = try #require(periodBegan.flatMap { event.at.elapsed(since: $0) })
        try #require(engagedInPeriod <= stretch)
    }
}
