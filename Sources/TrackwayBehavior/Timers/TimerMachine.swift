// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Measures how long things take, as far as the app was used meanwhile.
///
/// Every start makes a timer of its own, known by its id; the name stands for the latest one. So timers of one name may
/// cross and nest, and who needs only one never sees an id.
///
/// A timer counts in stretches, by the clock that does not jump. Leaving the app ends the stretches of all timers that do
/// not count the background, and coming back begins new ones. A timer started in the background measures what happens
/// there, and counts from its start.
package struct TimerMachine: Sendable, Hashable, Codable {
    /// One timer.
    private struct Entry: Sendable, Hashable, Codable {
        enum State: Sendable, Hashable, Codable {
            /// It runs, in a stretch that began then.
            case running(since: DeviceTime)
            /// The app paused it.
            case paused
            /// It stands still until the app comes back from the background.
            case waiting
        }

        let id: EventID
        let name: String
        let unit: TimerUnit
        /// Whether it goes on while the app is in the background.
        let countsBackground: Bool
        /// Whether it was started in the background that still lasts, to measure what happens there.
        var isOfThisBackground: Bool
        /// What the stretches that are over took together.
        var elapsed = Duration.zero
        var state: State

        /// Whether it stands still while the app is in the background.
        var waitsForForeground: Bool { !countsBackground && !isOfThisBackground }

        /// What it shows at a moment.
        func reading(at now: DeviceTime) -> Duration {
            switch state {
            case .running(let start): elapsed + TimerMachine.stretch(from: start, to: now)
            case .paused, .waiting: elapsed
            }
        }

        /// Ends the stretch under way, if one is.
        mutating func stop(at now: DeviceTime, as state: State) {
            elapsed = reading(at: now)
            self.state = state
        }
    }

    /// How long a stretch took; nothing when it is impossible.
    private static func stretch(from start: DeviceTime, to end: DeviceTime) -> Duration {
        guard let elapsed = end.elapsed(since: start), elapsed <= longestStretch else { return .zero }
        return elapsed
    }

    /// The most timers at a time.
    package static let maxTimers = 1000
    /// A stretch that seems longer was measured wrongly and counts nothing, as one that went back in time.
    package static let longestStretch = Duration.seconds(86_400)

    /// An order to the driver.
    package enum Action: Sendable, Hashable {
        /// Say that there were too many timers, and that this one was given up.
        case reportForgotten(name: String)
    }

    /// In the order of their starts.
    private var timers: [Entry] = []
    /// Which timer a name stands for.
    private var latest: [String: EventID] = [:]
    private var isInBackground = false

    /// No timer, in the foreground.
    package init() {}

    /// How many timers there are.
    package var count: Int { timers.count }

    // MARK: What the app did

    /// A timer was started. One of the same name stays, to be reached by its id.
    ///
    /// - Complexity: O(timers).
    package mutating func started(
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
        return timers.count > Self.maxTimers ? [forgetOne()] : []
    }

    /// A timer was paused. One that is paused stays so.
    ///
    /// - Returns: False when there is no such timer.
    @discardableResult
    package mutating func paused(_ timer: TimerReference, at now: DeviceTime) -> Bool {
        change(timer) { $0.stop(at: now, as: .paused) }
    }

    /// A paused timer goes on; one that is not paused goes on as it did.
    ///
    /// - Returns: False when there is no such timer.
    @discardableResult
    package mutating func resumed(_ timer: TimerReference, at now: DeviceTime) -> Bool {
        let isInBackground = isInBackground
        return change(timer) { entry in
            guard entry.state == .paused else { return }
            entry.state = isInBackground && entry.waitsForForeground ? .waiting : .running(since: now)
        }
    }

    /// The time that a timer shows; nil without such a timer.
    package func elapsedTime(of timer: TimerReference, at now: DeviceTime) -> Duration? {
        place(of: timer).map { timers[$0].reading(at: now) }
    }

    /// A timer was ended, and is gone.
    ///
    /// - Returns: What it showed; nil when there is no such timer.
    package mutating func ended(_ timer: TimerReference, at now: DeviceTime) -> TimerReading? {
        guard let entry = take(timer) else { return nil }
        return TimerReading(elapsed: entry.reading(at: now), unit: entry.unit)
    }

    /// A timer was given up.
    ///
    /// - Returns: False when there is no such timer.
    @discardableResult
    package mutating func removed(_ timer: TimerReference) -> Bool {
        take(timer) != nil
    }

    /// All timers were given up.
    package mutating func cleared() {
        timers = []
        latest = [:]
    }

    // MARK: What the system did

    /// The app went to the background. Saying it twice changes nothing.
    package mutating func wentToBackground(at now: DeviceTime) {
        guard !isInBackground else { return }
        isInBackground = true
        for index in timers.indices where timers[index].waitsForForeground {
            if case .running = timers[index].state { timers[index].stop(at: now, as: .waiting) }
        }
    }

    /// The app came back to the foreground. Saying it twice changes nothing.
    package mutating func cameToForeground(at now: DeviceTime) {
        guard isInBackground else { return }
        isInBackground = false
        for index in timers.indices {
            timers[index].isOfThisBackground = false
            if timers[index].state == .waiting { timers[index].state = .running(since: now) }
        }
    }

    // MARK: Finding

    private func place(of timer: TimerReference) -> Int? {
        switch timer {
        case .name(let name): latest[name].flatMap { id in timers.lastIndex { $0.id == id } }
        case .id(let id): timers.lastIndex { $0.id == id }
        }
    }

    private mutating func change(_ timer: TimerReference, _ body: (inout Entry) -> Void) -> Bool {
        guard let place = place(of: timer) else { return false }
        body(&timers[place])
        return true
    }

    private mutating func take(_ timer: TimerReference) -> Entry? {
        place(of: timer).map { remove(at: $0) }
    }

    private mutating func remove(at place: Int) -> Entry {
        let entry = timers.remove(at: place)
        if latest[entry.name] == entry.id { latest[entry.name] = nil }
        return entry
    }

    /// Gives up the oldest timer whose name was started again since, else the oldest: who keeps no id can never end the
    /// first kind.
    private mutating func forgetOne() -> Action {
        let place = timers.firstIndex { latest[$0.name] != $0.id } ?? timers.startIndex
        return .reportForgotten(name: remove(at: place).name)
    }
}

/// Which timer is meant.
package enum TimerReference: Sendable, Hashable {
    /// The one that was started last under this name.
    case name(String)
    /// The one that this start made.
    case id(EventID)
}
