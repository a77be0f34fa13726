// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore
internal import TrackwayJournal

/// The visible and the flushed content of one file in a ``MemoryStorage``.
///
/// `@unchecked Sendable`: `memory` does not move during the file's lifetime. The journal writes into it while readers
/// copy from it, as with a mapped file; the journal's format allows this, and the copy uses `ctrackway_copy_shared`.
/// The lock protects everything else.
final class MemoryFile: SegmentStorage, @unchecked Sendable {
    private struct State {
        var length: Int
        var flushed: [UInt8] = []
        /// The content at the last failed flush.
        ///
        /// A page that has not changed since counts as clean, but was never written.
        var lost: [UInt8]?
    }

    static let sector = 512
    /// The number of bytes that a flush writes or loses together.
    static let page = 4096

    let memory: UnsafeMutableRawBufferPointer
    private let state: Locked<State>

    /// Creates a zero-filled file with a size of `bytes` bytes.
    init(bytes: Int) {
        memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes, 1), alignment: 4096)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        state = Locked(State(length: bytes))
    }

    /// Creates a file with this content; a power loss leaves only `flushed`.
    init(content: [UInt8], flushed: [UInt8]) {
        memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(content.count, 1), alignment: 4096)
        state = Locked(State(length: content.count, flushed: flushed))
        content.withUnsafeBytes { memory.copyMemory(from: $0) }
    }

    deinit {
        memory.deallocate()
    }

    var length: Int { state.withLock { $0.length } }

    var content: [UInt8] {
        let length = length
        // Even for an empty array, the standard library writes the count, into storage that all threads share.
        guard length > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            ctrackway_copy_shared(buffer.baseAddress, memory.baseAddress, length)
            count = length
        }
    }

    var flushed: [UInt8] { state.withLock { $0.flushed } }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, length - offset)
        guard count > 0, offset >= 0, let from = memory.baseAddress, let to = buffer.baseAddress else { return 0 }
        ctrackway_copy_shared(to, from + offset, count)
        return count
    }

    func synchronize() {
        let content = content
        state.withLock { $0.flushed = Self.written(content, $0) }
    }

    /// Simulates a failed flush.
    ///
    /// The pages that it covered count as clean from now on, although they were not written.
    func loseUnflushed() {
        let content = content
        state.withLock { state in
            // Data lost by an earlier failure stays lost; data flushed before this one does not change.
            state.lost = content
        }
    }

    /// Returns the content on the disk after a flush that reports success.
    private static func written(_ content: [UInt8], _ state: State) -> [UInt8] {
        guard let lost = state.lost else { return content }
        var written = content
        for start in stride(from: 0, to: content.count, by: page) {
            let range = start..<min(start + page, content.count)
            guard range.upperBound <= lost.count, content[range].elementsEqual(lost[range]) else { continue }
            for index in range { written[index] = index < state.flushed.count ? state.flushed[index] : 0 }
        }
        return written
    }

    /// Returns a copy of this file with different content, as if overwritten.
    func rewritten(_ content: [UInt8]) -> MemoryFile {
        let state = state.withLock { $0 }
        let file = MemoryFile(content: content, flushed: state.flushed)
        file.state.withLock { $0.lost = state.lost }
        return file
    }

    /// Returns an independent copy.
    func copied() -> MemoryFile {
        rewritten(content)
    }

    func finish(length: Int) {
        state.withLock { $0.length = min(length, memory.count) }
    }

    /// Returns the content after a power loss.
    func contentAfterPowerLoss(_ loss: PowerLoss, _ random: inout SeededGenerator) -> [UInt8] {
        let flushed = flushed
        guard case .someUnflushed = loss else { return flushed }
        let content = content
        let written = state.withLock { Self.written(content, $0) }
        var left = random.nextBool() ? written : flushed
        var start = 0
        while start < left.count {
            let sector = start..<min(start + Self.sector, left.count)
            let source = random.nextBool() ? written : flushed
            for index in sector { left[index] = index < source.count ? source[index] : 0 }
            start = sector.upperBound
        }
        return left
    }
}
