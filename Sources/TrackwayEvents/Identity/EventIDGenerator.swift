// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Makes the event identities of one process.
///
/// An identity is 48 bits of wall time, 42 bits of chance fixed when the generator starts, and a 32-bit counter. So two
/// identities of one process differ in the counter, two processes differ in the chance, consecutive identities differ in
/// few bytes (they compress well and keep an index's pages warm), and making one costs an atomic addition: no lock and no
/// system call. Identities made within one millisecond are ordered as they were made.
///
/// Safe to use from any thread. `@unchecked Sendable`: the only mutable memory is one word that is touched by atomic
/// additions alone and freed after the last reference is gone.
public final class EventIDGenerator: @unchecked Sendable {
    private let counter: UnsafeMutablePointer<UInt64>
    private let high: UInt64
    private let low: UInt64

    /// A generator with fresh chance from the kernel.
    public convenience init() {
        self.init(chance: Entropy.bits())
    }

    /// A generator with the given chance (the lowest 42 bits count) and first counter: the same arguments make the same
    /// identities, which tests and simulations want.
    public init(chance: UInt64, firstCounter: UInt32 = 0) {
        counter = .allocate(capacity: 1)
        counter.initialize(to: UInt64(firstCounter))
        high = 0x7000 | chance & 0x0FFF
        low = 0x8000_0000_0000_0000 | (chance >> 12 & 0x3FFF_FFFF) << 32
    }

    deinit {
        counter.deallocate()
    }

    /// The next identity, stamped with `time`. Any thread.
    public func next(at time: Timestamp) -> EventID {
        let count = UInt32(truncatingIfNeeded: ctrackway_atomic_fetch_add(counter, 1))
        return EventID(high: UInt64(truncatingIfNeeded: time.milliseconds) << 16 | high, low: low | UInt64(count))
    }
}
