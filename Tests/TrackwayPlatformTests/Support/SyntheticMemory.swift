// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Simulated process memory: bytes at some addresses, nothing elsewhere.
///
/// Counts the reads.
final class SyntheticMemory {
    private var bytes: [UInt64: UInt8] = [:]
    /// The number of reads.
    private(set) var readCount = 0

    /// Stores consecutive words, low byte first.
    func put(_ words: [UInt64], at address: UInt64) {
        for (index, word) in words.enumerated() {
            put(bytes: (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }, at: address + UInt64(index) * 8)
        }
    }

    func put(bytes: [UInt8], at address: UInt64) {
        for (index, byte) in bytes.enumerated() { self.bytes[address + UInt64(index)] = byte }
    }

    /// Removes bytes.
    func remove(_ range: Range<UInt64>) {
        for address in range { bytes[address] = nil }
    }

    private func copy(_ address: UInt64, _ to: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        readCount += 1
        for index in 0..<count {
            guard let byte = bytes[address &+ UInt64(index)] else { return false }
            to.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        }
        return true
    }

    /// The reader for C, which gets this object as its context.
    static let reader: ctrackway_memory_reader = { context, address, to, count in
        guard let context, let to else { return false }
        return Unmanaged<SyntheticMemory>.fromOpaque(context).takeUnretainedValue().copy(address, to, count)
    }

    /// This object as a context for C.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
