// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
public import TrackwayEvents

/// Sleeps by a ``ManualClock``: hours pass when the test says so.
public struct ManualSleeper: Sendable {
    private let clock: ManualClock

    /// A sleeper by this clock.
    public init(_ clock: ManualClock) {
        self.clock = clock
    }

    /// Returns when the clock shows the time, or when the task is cancelled.
    public func sleep(until time: MonotonicTime) async {
        await clock.sleep(until: time)
    }
}

extension ManualSleeper: DeliverySleeper {}
