// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayWire

/// What every worker works with.
struct DeliveryEquipment: Sendable {
    /// Where files are waited for.
    let place: DeliveryPlace
    let transport: any Transport
    let clock: any EventClock
    let sleeper: any DeliverySleeper
    let jitter: JitterSource
    let trigger: DeliveryTrigger
    /// Wakes the maintenance after events were settled.
    let housekeeping: WakeSignal
    let memory: (any RetryMemory)?
    let queues: (any QueueMemory)?
    /// The boot that the clock's monotonic time belongs to.
    let boot: String
    /// True while nothing new is begun; see `DeliveryService.hold()`.
    let isHeld = Locked(false)
    let report: @Sendable (DeliveryNotice) -> Void
    /// Called after every step, outside any lock: somebody may wait for it.
    let progressed: @Sendable () -> Void

    var now: MonotonicTime { clock.now().monotonic }
    var deviceTime: DeviceTime { DeviceTime(clock.now(), boot: boot) }
}
