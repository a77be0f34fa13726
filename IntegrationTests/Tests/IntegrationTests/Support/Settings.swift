// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// Settings of the tests, read from the environment.
enum Settings {
    /// The number of trials of each mode of ``KillTests``; nil for a time budget.
    ///
    /// `make kill-test` sets it.
    static let killTrials = number("TRACKWAY_KILL_TRIALS")
    /// The number of trials of each of the other kill suites; nil for a time budget.
    ///
    /// `make kill-test` sets it.
    static let scenarioTrials = number("TRACKWAY_SCENARIO_TRIALS")
    /// The time budget of each mode, in seconds.
    static let killSeconds = number("TRACKWAY_KILL_SECONDS") ?? 6
    /// The seed of the first trial; each following trial takes the next number.
    static let seed = UInt64(number("TRACKWAY_SEED") ?? 20_261_121)

    /// Whether tests run with their full number of events and time.
    static let isFullRun = ProcessInfo.processInfo.environment["TRACKWAY_FULL"] == "1"

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}

/// The trials of a kill suite: a fixed number, or as many as fit into a time budget, but at least one.
///
/// A trial depends on its seed and on the machine's timing. To repeat one:
/// `TRACKWAY_SEED=<seed> TRACKWAY_KILL_TRIALS=1 TRACKWAY_SCENARIO_TRIALS=1`.
struct TrialBudget: Sequence {
    /// The fixed number; nil for the time budget.
    let trials: Int?

    /// The seeds, in order.
    ///
    /// The time budget starts with this call.
    func makeIterator() -> AnyIterator<UInt64> {
        let end = ContinuousClock.now.advanced(by: .seconds(Settings.killSeconds))
        var number = 0
        return AnyIterator {
            let isOver = trials.map { number >= $0 } ?? (number > 0 && ContinuousClock.now >= end)
            guard !isOver else { return nil }
            defer { number += 1 }
            return Settings.seed &+ UInt64(number)
        }
    }
}
