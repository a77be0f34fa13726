// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Turns signals into lifecycle events and actions.
///
/// The machine uses no clock, thread, or system call.
package struct SignalStateMachine: Sendable {
    /// The actions for the driver to perform, in order.
    package enum Action: Sendable, Equatable {
        /// Notify every observer, and wait for them.
        ///
        /// The wait ends when each has finished or its time limit expires.
        case report(ProcessLifecycleEvent)
        /// Perform the signal's default action, then report `stopFinished`.
        case finish(signal: Int32)
    }

    /// A signal's meaning for the lifecycle.
    package enum Kind: Sendable, Hashable {
        /// Requests that the process stop until it is resumed.
        case stop
        /// Resumes a stopped process.
        case resume
        /// Requests that the process exit.
        case end
    }

    private enum State {
        case foreground
        case background
        case exited
    }

    private var state = State.foreground

    /// Creates a machine for a running process.
    package init() {}

    /// Handles a watched signal.
    ///
    /// - Parameters:
    ///   - signal: The signal's number.
    ///   - kind: The signal's meaning.
    ///   - owesDefaultAction: Whether no other handler handles the signal, so that its default action must still be
    ///     performed.
    package mutating func signalArrived(_ signal: Int32, kind: Kind, owesDefaultAction: Bool) -> [Action] {
        let owed: [Action] = owesDefaultAction ? [.finish(signal: signal)] : []
        switch (state, kind) {
        case (.exited, .resume), (.exited, .stop):
            return owed  // The process is exiting; observers are no longer notified.
        case (.exited, .end):
            return owed  // Already reported. A second request ends the process.
        case (.foreground, .stop):
            state = .background
            return [.report(.entersBackground)] + owed
        case (.background, .stop):
            return owed  // Already reported: the host handled the first signal without stopping.
        case (.background, .resume):
            state = .foreground
            return [.report(.entersForeground)]
        case (.foreground, .resume):
            return []  // The stop was a SIGSTOP, which is not observable, or `stopFinished` has reported it.
        case (.foreground, .end), (.background, .end):
            return [.report(.terminates(signal: signal))] + owed
        }
    }

    /// Handles the end of a stop.
    ///
    /// The process was continued, or the system did not stop it.
    package mutating func stopFinished() -> [Action] {
        switch state {
        case .background:
            state = .foreground
            return [.report(.entersForeground)]
        case .foreground, .exited:
            return []
        }
    }

    /// Handles a normal exit.
    package mutating func handleExit() -> [Action] {
        switch state {
        case .foreground, .background:
            state = .exited
            return [.report(.exits)]
        case .exited:
            return []
        }
    }
}

/// A lifecycle change of the process that is relevant to the app.
package enum ProcessLifecycleEvent: Sendable, Equatable {
    /// The process is about to be stopped (Ctrl-Z in a terminal).
    ///
    /// The user leaves the app.
    case entersBackground
    /// The process runs again after `entersBackground`.
    case entersForeground
    /// A signal requests that the process exit.
    ///
    /// A host app with its own handler may ignore it.
    case terminates(signal: Int32)
    /// The process exits normally: `exit` was called or `main` returned.
    case exits
}

/// The maximum times for which an observer may delay the system.
///
/// The defaults are short because correctness does not depend on them: events are already stored, and the delay only
/// lets them be delivered sooner.
package struct LifecycleTimeouts: Sendable, Equatable {
    /// The time allowed before the process is stopped.
    ///
    /// A user who presses Ctrl-Z expects the prompt immediately.
    package var background: Duration
    /// The time allowed before the process exits, because of a signal or normally.
    package var termination: Duration

    /// Creates timeouts.
    package init(background: Duration = .milliseconds(250), termination: Duration = .seconds(1)) {
        self.background = background
        self.termination = termination
    }

    /// The maximum delay for `event`; zero if no delay is needed.
    package func limit(for event: ProcessLifecycleEvent) -> Duration {
        switch event {
        case .entersBackground: background
        case .entersForeground: .zero
        case .terminates, .exits: termination
        }
    }
}
