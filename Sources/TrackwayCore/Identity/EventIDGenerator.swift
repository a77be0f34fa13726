// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Generates the event ids of one process.
///
/// An id consists of 48 bits of wall time, 42 random bits that are fixed when the generator is created, and a 32-bit
/// counter. Two ids of one process differ in the counter, and the ids of two processes differ in the random bits.
/// Consecutive ids differ in few bytes, so they compress well and keep an index's pages warm. Generating an id costs
/// one atomic addition: no lock and no system call. Ids generated within one millisecond are in order.
///
/// The generator is safe to use from any thread. `@unchecked Sendable`: the only mutable memory is one word, which is
/// modified only by atomic additions and is freed with the last reference.
public final class EventIDGenerator: @unchecked Sendable {
    private let counter: UnsafeMutablePointer<UInt64>
    private let high: UInt64
    private let low: UInt64

    /// Creates a generator with random bits from the kernel.
    public convenience init() {
        self.init(randomBits: Entropy.randomBits())
    }

    /// Creates a generator with given random bits and a first counter.
    ///
    /// The lowest 42 bits of `randomBits` are used. The same arguments generate the same ids, for tests and
    /// simulations.
    public init(randomBits: UInt64, firstCounter: UInt32 = 0) {
        counter = .allocate(capacity: 1)
        counter.initialize(to: UInt64(firstCounter))
        high = 0x7000 | randomBits & 0x0FFF
        low = 0x8000_0000_0000_0000 | (randomBits >> 12 & 0x3FFF_FFFF) << 32
    }

    deinit {
        counter.deallocate()
    }

    /// Returns the next id, with the timestamp `time`.
    ///
    /// This function can be called from any thread.
    public func next(at time: Timestamp) -> EventID {
        let count = UInt32(truncatingIfNeeded: ctrackway_atomic_fetch_add(counter, 1))
        return EventID(high: UInt64(truncatingIfNeeded: time.milliseconds) << 16 | high, low: low | UInt64(count))
    }
}

/// The id of an event: time-ordered (UUID version 7).
///
/// The id is the same on the device, on the wire and in the collector.
public struct EventID: UniqueID {
    /// The first eight bytes.
    ///
    /// They consist of 48 bits of wall time in milliseconds, the version, and 12 random bits.
    public let high: UInt64
    /// The last eight bytes: the variant, 30 random bits, a 32-bit counter.
    public let low: UInt64

    /// Creates an id from its 16 bytes.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The wall time in the first 48 bits, by the device's clock.
    public var time: Timestamp { Timestamp(milliseconds: Int64(high >> 16)) }
}

/// A source of random bits from the kernel.
package enum Entropy {
    /// Returns 64 new random bits.
    ///
    /// A call costs one system call.
    package static func randomBits() -> UInt64 {
        var value: UInt64 = 0
        if ctrackway_random_bytes(&value, MemoryLayout<UInt64>.size) == 0 { return value }
        // Only a restricted kernel returns an error. Ids must still differ between processes and calls, so mix values
        // that differ: the time in nanoseconds, the process id and the address of this call's stack.
        let time = UInt64(truncatingIfNeeded: ctrackway_monotonic_nanoseconds())
        let process = UInt64(UInt32(bitPattern: ctrackway_process_id()))
        let place = withUnsafePointer(to: &value) { UInt64(UInt(bitPattern: $0)) }
        return (time ^ process << 40 ^ place << 20) &* 0x9E37_79B9_7F4A_7C15
    }
}
