// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The state machine that measures durations, by default only during use.
///
/// Every start creates a timer with its own id; the name refers to the latest timer with that name. Timers with the
/// same name can therefore overlap and nest, and callers that need only one timer never handle an id.
///
/// A timer adds up intervals measured by the monotonic clock. When the app goes to the background, the intervals of all
/// timers that do not count background time end; when it returns, new ones begin. A timer that is started in the
/// background measures background work and counts from its start.
package struct TimerMachine: Sendable, Equatable, Codable {
    /// One timer.
    private struct Entry: Sendable, Equatable, Codable {
        enum State: Sendable, Equatable, Codable {
            /// The timer is running, in an interval that began at this time.
            case running(since: DeviceTime)
            /// The app paused the timer.
            case paused
            /// The timer is stopped until the app returns from the background.
            case waiting
        }

        let id: EventID
        let name: String
        let unit: TimerUnit
        /// Whether the timer keeps running while the app is in the background.
        let countsBackground: Bool
        /// Whether the timer was started during the current background period.
        ///
        /// If so, the timer measures background work.
        var isOfThisBackground: Bool
        /// The total length of the finished intervals.
        var elapsed = Duration.zero
        var state: State

        /// Whether the timer stops while the app is in the background.
        var waitsForForeground: Bool { !countsBackground && !isOfThisBackground }

        /// Returns the elapsed time at the given time.
        func reading(at now: DeviceTime) -> Duration {
            switch state {
            case .running(let start): elapsed + TimerMachine.intervalLength(from: start, to: now)
            case .paused, .waiting: elapsed
            }
        }

        /// Ends the current interval, if any.
        mutating func stop(at now: DeviceTime, as state: State) {
            elapsed = reading(at: now)
            self.state = state
        }
    }

    /// Returns the length of an interval; zero if it is implausible.
    private static func intervalLength(from start: DeviceTime, to end: DeviceTime) -> Duration {
        guard let elapsed = end.elapsed(since: start), elapsed <= maximumInterval else { return .zero }
        return elapsed
    }

    /// The maximum number of timers.
    package static let maxTimers = 1000
    /// The maximum length of an interval.
    ///
    /// An interval that is longer or negative was measured incorrectly and counts as zero.
    package static let maximumInterval = Duration.seconds(86_400)

    /// An action for the caller.
    package enum Action: Sendable, Equatable {
        /// Report that this timer was dropped because there were too many.
        case reportDropped(name: String)
    }

    /// The timers in the order of their starts.
    private var timers: [Entry] = []
    /// The timer that each name refers to.
    private var latest: [String: EventID] = [:]
    private var isInBackground = false

    /// Creates a machine without timers, in the foreground.
    package init() {}

    /// The number of timers.
    package var count: Int { timers.count }

    // MARK: Inputs from the app

    /// Starts a timer.
    ///
    /// An earlier timer with the same name remains available by its id.
    ///
    /// - Complexity: O(timers).
    package mutating func start(
        _ name: String,
        id: EventID,
        unit: TimerUnit = .seconds,
        countsBackground: Bool = false,
        at now: DeviceTime
    ) -> [Action] {
        timers.removeAll { $0.id == id }
        timers.append(
            Entry(
                id: id,
                name: name,
                unit: unit,
                countsBackground: countsBackground,
                isOfThisBackground: isInBackground,
                state: .running(since: now)
            )
        )
        latest[name] = id
        return timers.count > Self.maxTimers ? [evictTimer()] : []
    }

    /// Pauses a timer; a paused timer stays paused.
    ///
    /// - Returns: False when the timer does not exist.
    @discardableResult
    package mutating func pause(_ timer: TimerReference, at now: DeviceTime) -> Bool {
        change(timer) { $0.stop(at: now, as: .paused) }
    }

    /// Resumes a paused timer; other timers are unaffected.
    ///
    /// - Returns: False when the timer does not exist.
    @discardableResult
    package mutating func resume(_ timer: TimerReference, at now: DeviceTime) -> Bool {
        let isInBackground = isInBackground
        return change(timer) { entry in
            guard entry.state == .paused else { return }
            entry.state = isInBackground && entry.waitsForForeground ? .waiting : .running(since: now)
        }
    }

    /// Returns a timer's elapsed time; nil if it does not exist.
    package func elapsedTime(of timer: TimerReference, at now: DeviceTime) -> Duration? {
        index(of: timer).map { timers[$0].reading(at: now) }
    }

    /// Ends and removes a timer.
    ///
    /// - Returns: The elapsed time and its unit; nil when the timer does not exist.
    package mutating func end(_ timer: TimerReference, at now: DeviceTime) -> TimerReading? {
        guard let entry = take(timer) else { return nil }
        return TimerReading(elapsed: entry.reading(at: now), unit: entry.unit)
    }

    /// Removes a timer without a result.
    ///
    /// - Returns: False when the timer does not exist.
    @discardableResult
    package mutating func remove(_ timer: TimerReference) -> Bool {
        take(timer) != nil
    }

    /// Removes all timers.
    package mutating func removeAll() {
        timers = []
        latest = [:]
    }

    // MARK: Inputs from the system

    /// Stops timers that do not count background time; repeated calls change nothing.
    package mutating func appEnteredBackground(at now: DeviceTime) {
        guard !isInBackground else { return }
        isInBackground = true
        for index in timers.indices where timers[index].waitsForForeground {
            if case .running = timers[index].state { timers[index].stop(at: now, as: .waiting) }
        }
    }

    /// Resumes stopped timers in the foreground; repeated calls change nothing.
    package mutating func appEnteredForeground(at now: DeviceTime) {
        guard isInBackground else { return }
        isInBackground = false
        for index in timers.indices {
            timers[index].isOfThisBackground = false
            if timers[index].state == .waiting { timers[index].state = .running(since: now) }
        }
    }

    // MARK: Lookup

    private func index(of timer: TimerReference) -> Int? {
        switch timer {
        case .name(let name): latest[name].flatMap { id in timers.lastIndex { $0.id == id } }
        case .id(let id): timers.lastIndex { $0.id == id }
        }
    }

    private mutating func change(_ timer: TimerReference, _ body: (inout Entry) -> Void) -> Bool {
        guard let place = index(of: timer) else { return false }
        body(&timers[place])
        return true
    }

    private mutating func take(_ timer: TimerReference) -> Entry? {
        index(of: timer).map { remove(at: $0) }
    }

    private mutating func remove(at place: Int) -> Entry {
        let entry = timers.remove(at: place)
        if latest[entry.name] == entry.id { latest[entry.name] = nil }
        return entry
    }

    /// Drops a timer to make space for a new one.
    ///
    /// The dropped timer is the oldest whose name has been started again since, because a caller without its id can
    /// never end it; if there is none, the oldest timer of all.
    private mutating func evictTimer() -> Action {
        let place = timers.firstIndex { latest[$0.name] != $0.id } ?? timers.startIndex
        return .reportDropped(name: remove(at: place).name)
    }
}

/// A reference to a timer by name or id.
package enum TimerReference: Sendable, Equatable {
    /// The most recently started timer with this name.
    case name(String)
    /// The timer with this id.
    case id(EventID)
}
