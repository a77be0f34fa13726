// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
