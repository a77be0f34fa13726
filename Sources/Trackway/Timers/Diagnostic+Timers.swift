// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

extension Diagnostic.Code {
    /// There is no such timer: it was never started, or was ended or removed before.
    public static let timerUnknown = Diagnostic.Code(rawValue: "timer_unknown")
    /// There were more timers than the SDK keeps; one was given up.
    public static let tooManyTimers = Diagnostic.Code(rawValue: "too_many_timers")
}
