// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import Dispatch
internal import TrackwayCore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Observes signals and normal exit without affecting the host app.
///
/// The signals are SIGTSTP, SIGCONT, SIGTERM, SIGINT, and SIGHUP.
///
/// A handler that the host installed earlier still runs first, with its own flags. Without such a handler, the signal's
/// default action follows after the observers have finished or timed out, so the process stops or ends with the same
/// wait status as without the SDK. A signal that the host ignores stays ignored. A signal that the host blocks (for
/// `sigwait`, for example) is not observed. A second request to exit does not wait for the observers of the first. A
/// forked child behaves as if the SDK had no observers.
package final class LifecycleSignals: Sendable {
    private struct Observer: Sendable {
        var timeout: LifecycleTimeouts
        var report: @Sendable (ProcessLifecycleEvent, GracePeriod) -> Void
    }

    private struct State: Sendable {
        var machine = SignalStateMachine()
        var observers: [UInt64: Observer] = [:]
        var nextNumber: UInt64 = 1
        var isStarted = false
    }

    /// The process's signals.
    ///
    /// Signals exist once per process, so this is a shared instance.
    package static let process = LifecycleSignals()

    private static let watchedSignals: [(number: Int32, kind: SignalStateMachine.Kind)] = [
        (SIGTSTP, .stop), (SIGCONT, .resume), (SIGTERM, .end), (SIGINT, .end), (SIGHUP, .end),
    ]

    private let state = Locked(State())
    private let exitReported = DispatchSemaphore(value: 0)

    private init() {}

    /// Reports lifecycle events to an observer.
    ///
    /// Reporting ends when the observation is canceled or released. The observer is called on a separate thread, one
    /// event after another. Several observers share the time limit.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time for which the observer may delay a stop or an exit.
    ///   - observer: Called for every event; the observer's time ends when it calls `finish` or releases the grace
    ///     period.
    /// - Throws: `LifecycleSignalError` if no thread can be created; the call then has no effect.
    package func observe(
        timeout: LifecycleTimeouts = LifecycleTimeouts(),
        _ observer: @escaping @Sendable (ProcessLifecycleEvent, GracePeriod) -> Void
    ) throws(LifecycleSignalError) -> LifecycleObservation {
        let number = try state.withLock { state throws(LifecycleSignalError) in
            if !state.isStarted {
                guard ctrackway_signals_start({ LifecycleSignals.process.signalArrived($0, owesDefault: $1) }) == 0
                else {
                    throw LifecycleSignalError(systemCode: ctrackway_errno())
                }
                ctrackway_on_exit { LifecycleSignals.process.handleExit() }
                state.isStarted = true
            }
            if state.observers.isEmpty {
                for signal in Self.watchedSignals {
                    // If a signal cannot be watched, the other signals still are.
                    _ = ctrackway_signals_watch(signal.number)
                }
            }
            let number = state.nextNumber
            state.nextNumber += 1
            state.observers[number] = Observer(timeout: timeout, report: observer)
            return number
        }
        return LifecycleObservation(number: number, signals: self)
    }

    func removeObserver(_ number: UInt64) {
        // Release the closure outside the lock, because it may own objects whose deinit calls back here.
        let forgotten = state.withLock { state in
            let observer = state.observers.removeValue(forKey: number)
            if observer != nil, state.observers.isEmpty {
                for signal in Self.watchedSignals {
                    ctrackway_signals_unwatch(signal.number)
                }
            }
            return observer
        }
        _ = forgotten
    }

    // MARK: Reader thread

    /// Handles a watched signal, or an exit if the number is 0.
    private func signalArrived(_ number: Int32, owesDefault: Bool) {
        guard number != 0 else {
            perform(state.withLock { $0.machine.handleExit() })
            exitReported.signal()
            return
        }
        guard let kind = Self.watchedSignals.first(where: { $0.number == number })?.kind else { return }
        perform(state.withLock { $0.machine.signalArrived(number, kind: kind, owesDefaultAction: owesDefault) })
    }

    private func perform(_ actions: [SignalStateMachine.Action]) {
        for action in actions {
            switch action {
            case .report(let event):
                report(event)
            case .finish(let signal):
                ctrackway_signals_finish(signal)
                perform(state.withLock { $0.machine.stopFinished() })
            }
        }
    }

    private func report(_ event: ProcessLifecycleEvent) {
        let observers = state.withLock { $0.observers.sorted { $0.key < $1.key }.map(\.value) }
        guard !observers.isEmpty else { return }
        let unfinished = DispatchGroup()
        var longest = Duration.zero
        for observer in observers {
            let limit = observer.timeout.limit(for: event)
            longest = max(longest, limit)
            unfinished.enter()
            observer.report(event, GracePeriod(limit: limit) { unfinished.leave() })
        }
        if longest > .zero {
            _ = unfinished.wait(timeout: .now() + longest.dispatchInterval)
        }
    }

    // MARK: Normal exit

    private func handleExit() {
        // An observer that calls `exit` must not wait for itself.
        guard !ctrackway_signals_is_reader() else { return }
        let longest = state.withLock { state in
            state.observers.values.map { $0.timeout.limit(for: .exits) }.max()
        }
        guard let longest, ctrackway_signals_post() == 0 else { return }
        _ = exitReported.wait(timeout: .now() + longest.dispatchInterval)
    }
}

/// An observation, which ends when it is canceled or released.
package final class LifecycleObservation: Sendable {
    private let number: UInt64
    private let signals: LifecycleSignals

    init(number: UInt64, signals: LifecycleSignals) {
        self.number = number
        self.signals = signals
    }

    deinit {
        cancel()
    }

    /// Ends the observation.
    ///
    /// A call to the observer that is in progress may still finish afterward.
    package func cancel() {
        signals.removeObserver(number)
    }
}

/// The error thrown when the process's lifecycle cannot be observed.
///
/// The app itself is not affected, but no events are reported.
package struct LifecycleSignalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The system's error number.
    package var systemCode: Int32

    /// One sentence that states the problem and the remedy.
    package var description: String {
        "the process's signals cannot be observed (error \(systemCode)): a pipe or thread could not be created; "
            + "close unused files or raise the limit (ulimit -n, ulimit -u)"
    }
}
