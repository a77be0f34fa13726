// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle

/// The clocks of a test device.
///
/// They advance together unless a test sets the wall clock or restarts the device.
struct TestDevice {
    var wall = Timestamp(milliseconds: 1_700_000_000_000)
    var monotonic = MonotonicTime(milliseconds: 500_000)
    var boots = 1

    var now: DeviceTime { DeviceTime(wall: wall, monotonic: monotonic, boot: "boot-\(boots)") }

    mutating func pass(_ duration: Duration) {
        wall = wall.advanced(by: duration)
        monotonic = monotonic.advanced(by: duration)
    }

    mutating func restart(takes duration: Duration = .seconds(60)) {
        wall = wall.advanced(by: duration)
        monotonic = MonotonicTime(milliseconds: 20_000)
        boots += 1
    }
}

/// Saves a value and restores it, as a restart does.
func reloaded<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
}

/// Expects the result of a mutating call.
///
/// `#expect` cannot expand such a call.
func expect(_ answer: Bool, is expected: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(answer == expected, sourceLocation: sourceLocation)
}
