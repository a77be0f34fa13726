// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
