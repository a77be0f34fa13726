// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import Dispatch
internal import TrackwayEvents

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Observes SIGTSTP, SIGCONT, SIGTERM, SIGINT, SIGHUP and normal exit without taking anything from the host.
///
/// A handler the host installed before still runs, first hand and with its own flags. Where nobody handled the signal,
/// its default action follows once the observers had their moment, so the process stops or ends with exactly the wait
/// status it would have had. A signal the host ignores stays ignored; a signal the host blocks (for `sigwait`, say) is
/// not seen. A second request to end does not wait for the first one's moment. A forked child behaves as if nobody
/// watched.
package final class LifeCycleSignals: Sendable {
    private struct Observer: Sendable {
        var timeout: LifeCycleTimeouts
        var report: @Sendable (LifeCycleEvent, LifeCycleMoment) -> Void
    }

    private struct State: Sendable {
        var machine = LifeCycleMachine()
        var observers: [UInt64: Observer] = [:]
        var nextNumber: UInt64 = 1
        var isStarted = false
    }

    /// The process's signals: there is one set per process, whatever we would like.
    package static let process = LifeCycleSignals()

    private static let watched: [(number: Int32, kind: LifeCycleMachine.Kind)] = [
        (SIGTSTP, .stop), (SIGCONT, .resume), (SIGTERM, .end), (SIGINT, .end), (SIGHUP, .end),
    ]

    private let state = Locked(State())
    private let exitTold = DispatchSemaphore(value: 0)

    private init() {}

    /// Tells an observer about the life cycle until the observation is cancelled or let go of.
    ///
    /// The observer is called on a thread of its own, one event after the other; several observers share the moment.
    ///
    /// - Parameters:
    ///   - timeout: How long the observer may hold up a stop or an end.
    ///   - observer: Called for every event; the moment is over when it calls `finish` or lets go of it.
    /// - Throws: `LifeCycleError` when no thread can be made; nothing is changed then.
    package func observe(
        timeout: LifeCycleTimeouts = LifeCycleTimeouts(),
        _ observer: @escaping @Sendable (LifeCycleEvent, LifeCycleMoment) -> Void
    ) throws(LifeCycleError) -> LifeCycleObservation {
        let number = try state.withLock { state throws(LifeCycleError) in
            if !state.isStarted {
                guard ctrackway_signals_start({ LifeCycleSignals.process.arrived($0, owesDefault: $1) }) == 0 else {
                    throw LifeCycleError(systemCode: ctrackway_errno())
                }
                ctrackway_on_exit { LifeCycleSignals.process.exits() }
                state.isStarted = true
            }
            if state.observers.isEmpty {
                for signal in Self.watched {
                    // A signal that cannot be watched is simply not seen; the others still are.
                    _ = ctrackway_signals_watch(signal.number)
                }
            }
            let number = state.nextNumber
            state.nextNumber += 1
            state.observers[number] = Observer(timeout: timeout, report: observer)
            return number
        }
        return LifeCycleObservation(number: number, signals: self)
    }

    func forget(_ number: UInt64) {
        // Released outside the lock: the closure may own things whose end calls back here.
        let forgotten = state.withLock { state in
            let observer = state.observers.removeValue(forKey: number)
            if observer != nil, state.observers.isEmpty {
                for signal in Self.watched {
                    ctrackway_signals_unwatch(signal.number)
                }
            }
            return observer
        }
        _ = forgotten
    }

    // MARK: The reading thread

    /// A watched signal, or 0 for the exit that was posted.
    private func arrived(_ number: Int32, owesDefault: Bool) {
        guard number != 0 else {
            perform(state.withLock { $0.machine.exitBegan() })
            exitTold.signal()
            return
        }
        guard let kind = Self.watched.first(where: { $0.number == number })?.kind else { return }
        perform(state.withLock { $0.machine.signalArrived(number, kind: kind, isLeftToUs: owesDefault) })
    }

    private func perform(_ actions: [LifeCycleMachine.Action]) {
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

    private func report(_ event: LifeCycleEvent) {
        let observers = state.withLock { $0.observers.sorted { $0.key < $1.key }.map(\.value) }
        guard !observers.isEmpty else { return }
        let unfinished = DispatchGroup()
        var longest = Duration.zero
        for observer in observers {
            let limit = observer.timeout.limit(for: event)
            longest = max(longest, limit)
            unfinished.enter()
            observer.report(event, LifeCycleMoment(limit: limit) { unfinished.leave() })
        }
        if longest > .zero {
            _ = unfinished.wait(timeout: .now() + longest.dispatchInterval)
        }
    }

    // MARK: Normal exit

    private func exits() {
        // An observer that calls `exit` itself must not wait for itself.
        guard !ctrackway_signals_is_reader() else { return }
        let longest = state.withLock { state in
            state.observers.values.map { $0.timeout.limit(for: .exits) }.max()
        }
        guard let longest, ctrackway_signals_post() == 0 else { return }
        _ = exitTold.wait(timeout: .now() + longest.dispatchInterval)
    }
}

/// Keeps an observer informed; cancelling it, or letting go of it, ends that.
package final class LifeCycleObservation: Sendable {
    private let number: UInt64
    private let signals: LifeCycleSignals

    init(number: UInt64, signals: LifeCycleSignals) {
        self.number = number
        self.signals = signals
    }

    deinit {
        cancel()
    }

    /// Ends the observation. A call to the observer that is already under way may still finish afterwards.
    package func cancel() {
        signals.forget(number)
    }
}

/// The process's life cycle cannot be observed. The app runs on unharmed; it is only not told.
package struct LifeCycleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    package var systemCode: Int32

    /// A sentence with the remedy.
    package var description: String {
        "the process's signals cannot be observed (error \(systemCode)): no pipe or thread could be made for them; "
            + "close unused files or raise the limit (ulimit -n, ulimit -u)"
    }
}
