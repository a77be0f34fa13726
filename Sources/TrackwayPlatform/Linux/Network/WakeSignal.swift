// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway

/// Wakes a thread that sleeps in `poll`. One descriptor, closed with the last reference.
final class WakeSignal: Sendable {
    /// Readable while it is signalled.
    let descriptor: Int32

    /// - Returns: nil when the process has no descriptors left.
    init?() {
        descriptor = ctrackway_event_open()
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { _ = ctrackway_close(descriptor) }
    }

    /// Any thread; never waits.
    func signal() {
        ctrackway_event_signal(descriptor)
    }

    func clear() {
        ctrackway_event_clear(descriptor)
    }
}
#endif
