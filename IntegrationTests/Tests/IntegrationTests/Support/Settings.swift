// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// What the environment says about how much to do.
enum Settings {
    /// How many processes the kill test kills per mode; `make kill-test` sets more.
    static let killTrials = number("TRACKWAY_KILL_TRIALS") ?? 12
    /// How many folders the tests of kills inside something take, each with several processes that are killed.
    static let storyTrials = number("TRACKWAY_STORY_TRIALS") ?? 3
    /// Where the drawing of moments begins.
    static let seed = UInt64(number("TRACKWAY_SEED") ?? 20_261_121)

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
