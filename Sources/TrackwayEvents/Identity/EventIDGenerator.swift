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

/// The identity of one event: time-ordered (UUID version 7), the same on the device, on the wire and in the collector.
public struct EventID: UniqueID {
    /// The first eight bytes: 48 bits of wall time in milliseconds, the version, 12 bits of chance.
    public let high: UInt64
    /// The last eight bytes: the variant, 30 bits of chance, a 32-bit counter.
    public let low: UInt64

    /// An identity of these sixteen bytes.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The wall time in the first 48 bits, as the device's clock showed it.
    public var time: Timestamp { Timestamp(milliseconds: Int64(high >> 16)) }
}

/// Random bits from the kernel.
package enum Entropy {
    /// Sixty-four fresh bits. One system call.
    package static func bits() -> UInt64 {
        var value: UInt64 = 0
        if ctrackway_random_bytes(&value, MemoryLayout<UInt64>.size) == 0 { return value }
        // Only a locked-down kernel refuses. Identities must still differ between processes and calls, so mix what
        // differs: the nanosecond, the process, and where this call's stack lies.
        let time = UInt64(truncatingIfNeeded: ctrackway_monotonic_nanoseconds())
        let process = UInt64(UInt32(bitPattern: ctrackway_process_id()))
        let place = withUnsafePointer(to: &value) { UInt64(UInt(bitPattern: $0)) }
        return (time ^ process << 40 ^ place << 20) &* 0x9E37_79B9_7F4A_7C15
    }
}
