// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
public import TrackwayEvents

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
    ///   - countsBackground: Whether time in the background counts, too.
    @discardableResult
    public func startTimer(_ name: String, unit: TimerUnit = .seconds, countsBackground: Bool = false) -> TimerID {
        let id = TimerID(name: timerName(name), start: recording.ids.next(at: recording.clock.now().wall))
        guard !isInChild else { return id }
        let actions = lifecycle.timers.report { machine, now in
            machine.started(id.name, id: id.start, unit: unit, countsBackground: countsBackground, at: now)
        }
        for case .reportForgotten(let forgotten) in actions {
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
    /// A paused timer stays paused.
    public func pauseTimer(_ name: String) { pause(.name(timerName(name)), name) }

    /// Pauses a timer.
    ///
    /// A paused timer stays paused.
    public func pauseTimer(_ id: TimerID) { pause(.id(id.start), id.name) }

    /// Resumes a paused timer.
    ///
    /// A running timer does not change.
    public func resumeTimer(_ name: String) { resume(.name(timerName(name)), name) }

    /// Resumes a paused timer.
    ///
    /// A running timer does not change.
    public func resumeTimer(_ id: TimerID) { resume(.id(id.start), id.name) }

    /// Returns a timer's elapsed time; nil if it does not exist.
    public func elapsedTime(of name: String) -> Duration? { elapsedTime(.name(timerName(name))) }

    /// Returns a timer's elapsed time; nil if it does not exist.
    public func elapsedTime(of id: TimerID) -> Duration? { elapsedTime(.id(id.start)) }

    /// Ends a timer and records the event of its name.
    ///
    /// The event has the elapsed time as `event_duration`, rounded to three decimals. If the timer does not exist, for
    /// example because it was ended before, the event is recorded without a duration, and a `Diagnostic` is reported.
    /// An attribute `event_duration` of the app replaces the measured one.
    @discardableResult
    public func endTimer(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        to route: Route = .all
    ) -> Receipt {
        end(.name(timerName(name)), name, attributes, items, route)
    }

    /// Ends the timer of one start and records its event.
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
        lifecycle.timers.report { machine, _ in machine.cleared() }
    }

    // MARK: Names and ids

    /// Returns the name, truncated like an event's name.
    ///
    /// A timer with a long name can therefore be ended with the full name.
    private func timerName(_ name: String) -> String { name.cut(toBytes: recording.limits.nameBytes) }

    private func pause(_ timer: TimerReference, _ name: String) {
        guard !isInChild else { return }
        if !lifecycle.timers.report({ machine, now in machine.paused(timer, at: now) }) { reportUnknown(name) }
    }

    private func elapsedTime(_ timer: TimerReference) -> Duration? {
        isInChild ? nil : lifecycle.timers.report { machine, now in machine.elapsedTime(of: timer, at: now) }
    }

    private func resume(_ timer: TimerReference, _ name: String) {
        guard !isInChild else { return }
        if !lifecycle.timers.report({ machine, now in machine.resumed(timer, at: now) }) { reportUnknown(name) }
    }

    private func remove(_ timer: TimerReference, _ name: String) {
        guard !isInChild else { return }
        if !lifecycle.timers.report({ machine, _ in machine.removed(timer) }) { reportUnknown(name) }
    }

    private func end(
        _ timer: TimerReference,
        _ name: String,
        _ attributes: Attributes,
        _ items: [Item],
        _ route: Route
    ) -> Receipt {
        guard !isInChild else { return refuseInChild() }
        let reading = lifecycle.timers.report { machine, now in machine.ended(timer, at: now) }
        guard let reading else {
            reportUnknown(name)
            return record(name, attributes, items: items, to: route)
        }
        // Added last, so that it is dropped first if there are too many attributes.
        let measured: Attributes = [CapturedKey.eventDuration: .double(reading.value)]
        return record(name, attributes.filled(from: measured, most: 1), items: items, to: route)
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

/// Identifies one start of a timer.
///
/// It is needed only if several timers with the same name run at the same time; otherwise the name is enough.
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
        if launchState == .background { machine.wentToBackground(at: DeviceTime(clock.now(), boot: boot)) }
        self.machine = Locked(machine)
    }

    /// Passes an input to the machine, with the given time or now.
    func report<Answer: Sendable>(
        at time: DualTimestamp? = nil,
        _ body: (inout TimerMachine, DeviceTime) -> Answer
    ) -> Answer {
        let now = DeviceTime(time ?? clock.now(), boot: boot)
        return machine.withLock { body(&$0, now) }
    }

    /// Handles lifecycle changes, in order, from the system or from the app.
    func lifeCycleChanged(_ changes: [LifeCycleChange], at time: DualTimestamp? = nil) {
        report(at: time) { machine, now in
            for change in changes {
                switch change {
                case .didEnterBackground:
                    machine.wentToBackground(at: now)
                case .willEnterForeground, .didBecomeActive:
                    machine.cameToForeground(at: now)
                case .didFinishLaunching, .willResignActive, .willSuspend, .willTerminate:
                    continue
                }
            }
        }
    }
}
