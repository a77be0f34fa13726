// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Turns signals into life-cycle events and orders. Knows no clock, no thread and no system call.
package struct LifeCycleMachine: Sendable {
    /// What the driver has to do, in order.
    package enum Action: Sendable, Hashable {
        /// Tell every observer and give each its moment.
        case report(LifeCycleEvent)
        /// Carry out the signal's default action; when it returns, report `stopFinished`.
        case finish(signal: Int32)
    }

    /// What a signal means to the life cycle.
    package enum Kind: Sendable, Hashable {
        /// Asks the process to stop for a while.
        case stop
        /// Lets a stopped process run again.
        case resume
        /// Asks the process to end.
        case end
    }

    private enum State {
        case foreground
        case background
        case exited
    }

    private var state = State.foreground

    /// A machine for a process that runs.
    package init() {}

    /// A watched signal arrived.
    ///
    /// - Parameters:
    ///   - signal: The signal's number.
    ///   - kind: What it means.
    ///   - isLeftToUs: Whether nobody else handles it, so that its default action is still owed.
    package mutating func signalArrived(_ signal: Int32, kind: Kind, isLeftToUs: Bool) -> [Action] {
        let owed: [Action] = isLeftToUs ? [.finish(signal: signal)] : []
        switch (state, kind) {
        case (.exited, .resume), (.exited, .stop):
            return owed  // The process is on its way out; nobody is left to be told.
        case (.exited, .end):
            return owed  // Told already. Asked again from outside, the process ends as asked.
        case (.foreground, .stop):
            state = .background
            return [.report(.entersBackground)] + owed
        case (.background, .stop):
            return owed  // Told already: the host handles the first one without stopping.
        case (.background, .resume):
            state = .foreground
            return [.report(.entersForeground)]
        case (.foreground, .resume):
            return []  // Stopped by SIGSTOP, which nobody can see, or reported by `stopFinished` already.
        case (.foreground, .end), (.background, .end):
            return [.report(.terminates(signal: signal))] + owed
        }
    }

    /// A stop is over: the process was continued, or the system did not stop it.
    package mutating func stopFinished() -> [Action] {
        switch state {
        case .background:
            state = .foreground
            return [.report(.entersForeground)]
        case .foreground, .exited:
            return []
        }
    }

    /// The process ends by its own will.
    package mutating func exitBegan() -> [Action] {
        switch state {
        case .foreground, .background:
            state = .exited
            return [.report(.exits)]
        case .exited:
            return []
        }
    }
}

/// What the system does with the process, as far as an app cares.
package enum LifeCycleEvent: Sendable, Hashable {
    /// The user is leaving: the process is about to be stopped (Ctrl-Z in a terminal).
    case entersBackground
    /// The process runs again after `entersBackground`.
    case entersForeground
    /// Somebody asked the process to end, by this signal. A host with a handler of its own may decide otherwise.
    case terminates(signal: Int32)
    /// The process ends by its own will: `exit` was called or `main` returned.
    case exits
}

/// How long an observer may hold up what the system is about to do. The defaults are short because nothing depends on
/// the moment: events are safe before it begins, it only lets them arrive sooner.
package struct LifeCycleTimeouts: Sendable, Hashable {
    /// Before the process is stopped. Whoever presses Ctrl-Z expects the prompt at once.
    package var background: Duration
    /// Before the process ends, by a signal or by itself.
    package var termination: Duration

    /// Makes a timeout.
    package init(background: Duration = .milliseconds(250), termination: Duration = .seconds(1)) {
        self.background = background
        self.termination = termination
    }

    /// How long `event` may be held up; zero when there is nothing to wait for.
    package func limit(for event: LifeCycleEvent) -> Duration {
        switch event {
        case .entersBackground: background
        case .entersForeground: .zero
        case .terminates, .exits: termination
        }
    }
}
