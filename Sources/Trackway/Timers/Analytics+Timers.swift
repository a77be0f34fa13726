// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayLifecycle

extension Analytics {
    /// Starts a timer.
    ///
    /// ```swift
    /// analytics.startTimer("checkout")
    /// analytics.endTimer("checkout", ["steps": 3])   // records "checkout" with its duration
    /// ```
    /// A second start with the same name begins a new timer. The earlier one continues and can be reached only by its
    /// id, so timers with the same name may overlap. Timers end with the process.
    ///
    /// - Parameters:
    ///   - name: The name of the event that is recorded when the timer ends.
    ///   - unit: The unit of the duration.
    ///   - countsBackground: Whether time in the background also counts.
    @discardableResult
    public func startTimer(_ name: String, unit: TimerUnit = .seconds, countsBackground: Bool = false) -> TimerID {
        let id = TimerID(name: timerName(name), start: recording.ids.next(at: recording.clock.now().wall))
        guard !isInChild else { return id }
        let actions = lifecycle.timers.handle { machine, now in
            machine.start(id.name, id: id.start, unit: unit, countsBackground: countsBackground, at: now)
        }
        for case .reportDropped(let forgotten) in actions {
            reporter.report(
                Diagnostic(
                    code: .tooManyTimers,
                    field: "timer",
                    value: forgotten,
                    message: "The timer \(forgotten.quoted) was discarded because at most \(TimerMachine.maxTimers) "
                        + "timers can run at a time.",
                    recoverySuggestion: "End or remove timers that are not needed."
                )
            )
        }
        return id
    }

    /// Pauses a timer.
    ///
    /// A timer that is already paused stays paused.
    public func pauseTimer(_ name: String) { pause(.name(timerName(name)), name) }

    /// Pauses a timer.
    ///
    /// A timer that is already paused stays paused.
    public func pauseTimer(_ id: TimerID) { pause(.id(id.start), id.name) }

    /// Resumes a paused timer.
    ///
    /// A timer that is already running does not change.
    public func resumeTimer(_ name: String) { resume(.name(timerName(name)), name) }

    /// Resumes a paused timer.
    ///
    /// A timer that is already running does not change.
    public func resumeTimer(_ id: TimerID) { resume(.id(id.start), id.name) }

    /// Returns a timer's elapsed time; nil if the timer does not exist.
    public func elapsedTime(of name: String) -> Duration? { elapsedTime(.name(timerName(name))) }

    /// Returns a timer's elapsed time; nil if the timer does not exist.
    public func elapsedTime(of id: TimerID) -> Duration? { elapsedTime(.id(id.start)) }

    /// Ends a timer and records the event with the timer's name.
    ///
    /// The event has the elapsed time as `event_duration`, rounded to three decimals. If the timer does not exist, for
    /// example because it has already ended, the event is recorded without a duration, and a `Diagnostic` is reported.
    /// An `event_duration` attribute that the app sets replaces the measured duration.
    @discardableResult
    public func endTimer(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        to route: Route = .all
    ) -> Receipt {
        end(.name(timerName(name)), name, attributes, items, route)
    }

    /// Ends the timer with an id and records its event.
    ///
    /// See ``endTimer(_:_:items:to:)``.
    @discardableResult
    public func endTimer(
        _ id: TimerID,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        to route: Route = .all
    ) -> Receipt {
        end(.id(id.start), id.name, attributes, items, route)
    }

    /// Removes a timer without recording an event.
    public func removeTimer(_ name: String) { remove(.name(timerName(name)), name) }

    /// Removes a timer without recording an event.
    public func removeTimer(_ id: TimerID) { remove(.id(id.start), id.name) }

    /// Removes all timers without recording events.
    public func clearTimers() {
        guard !isInChild else { return }
        lifecycle.timers.handle { machine, _ in machine.removeAll() }
    }

    // MARK: Names and ids

    /// Returns a timer's name, truncated like an event's name.
    ///
    /// A timer with a long name can therefore be ended with the full name.
    private func timerName(_ name: String) -> String { name.truncated(toUTF8Count: recording.limits.nameBytes) }

    private func pause(_ timer: TimerReference, _ name: String) {
        guard !isInChild else { return }
        if !lifecycle.timers.handle({ machine, now in machine.pause(timer, at: now) }) { reportUnknown(name) }
    }

    private func elapsedTime(_ timer: TimerReference) -> Duration? {
        isInChild ? nil : lifecycle.timers.handle { machine, now in machine.elapsedTime(of: timer, at: now) }
    }

    private func resume(_ timer: TimerReference, _ name: String) {
        guard !isInChild else { return }
        if !lifecycle.timers.handle({ machine, now in machine.resume(timer, at: now) }) { reportUnknown(name) }
    }

    private func remove(_ timer: TimerReference, _ name: String) {
        guard !isInChild else { return }
        if !lifecycle.timers.handle({ machine, _ in machine.remove(timer) }) { reportUnknown(name) }
    }

    private func end(
        _ timer: TimerReference,
        _ name: String,
        _ attributes: Attributes,
        _ items: [Item],
        _ route: Route
    ) -> Receipt {
        guard !isInChild else { return rejectInChild() }
        let reading = lifecycle.timers.handle { machine, now in machine.end(timer, at: now) }
        guard let reading else {
            reportUnknown(name)
            return record(name, attributes, items: items, to: route)
        }
        // The duration is added last, so that it is dropped first if there are too many attributes.
        let measured: Attributes = [CapturedKey.eventDuration: .double(reading.value)]
        return record(name, attributes.filled(from: measured, limit: 1), items: items, to: route)
    }

    private func reportUnknown(_ name: String) {
        reporter.report(
            Diagnostic(
                code: .timerUnknown,
                field: "timer",
                value: name,
                message: "The timer \(name.quoted) does not exist.",
                recoverySuggestion:
                    "Start the timer before you pause, resume, remove or end it, and end it only once."
            )
        )
    }
}

/// The identity of one start of a timer.
///
/// The id is needed only if several timers with the same name run at the same time; otherwise the name is enough.
public struct TimerID: Sendable, Hashable {
    /// The name of the timer and of its event.
    public let name: String
    package let start: EventID

    package init(name: String, start: EventID) {
        self.name = name
        self.start = start
    }
}

/// Runs ``TimerMachine``.
///
/// Timers belong to this process: they are not stored and end with it.
package final class TimerController: Sendable {
    private let machine: Locked<TimerMachine>
    private let clock: any EventClock
    private let boot: String

    init(launchState: AppState, clock: any EventClock, boot: String) {
        self.clock = clock
        self.boot = boot
        var machine = TimerMachine()
        if launchState == .background { machine.appEnteredBackground(at: DeviceTime(clock.now(), boot: boot)) }
        self.machine = Locked(machine)
    }

    /// Passes an input to the machine, with the given or the current time.
    func handle<Answer: Sendable>(
        at time: DualTimestamp? = nil,
        _ body: (inout TimerMachine, DeviceTime) -> Answer
    ) -> Answer {
        let now = DeviceTime(time ?? clock.now(), boot: boot)
        return machine.withLock { body(&$0, now) }
    }

    /// Handles lifecycle changes, in order, from the system or from the app.
    func lifecycleChanged(_ changes: [LifecycleChange], at time: DualTimestamp? = nil) {
        handle(at: time) { machine, now in
            for change in changes {
                switch change {
                case .didEnterBackground:
                    machine.appEnteredBackground(at: now)
                case .willEnterForeground, .didBecomeActive:
                    machine.appEnteredForeground(at: now)
                case .didFinishLaunching, .willResignActive, .willSuspend, .willTerminate:
                    continue
                }
            }
        }
    }
}
