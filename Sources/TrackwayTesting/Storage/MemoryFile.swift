// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents
internal import TrackwayJournal

/// The content of one file in a ``MemoryStorage``: what a process sees, and what power loss would leave.
///
/// `@unchecked Sendable`: `memory` never moves while the file lives. The journal writes into it while readers copy from
/// it, exactly as with a mapped file, and its format is made for that; the copy goes through `ctrackway_copy_shared`.
/// Everything else is behind the lock.
final class MemoryFile: SegmentStorage, @unchecked Sendable {
    private struct State {
        var length: Int
        var flushed: [UInt8] = []
        /// The content when a flush failed: a page that still looks like this counts as clean and was never written.
        var lost: [UInt8]?
    }

    static let sector = 512
    /// What a flush writes or loses as a whole.
    static let page = 4096

    let memory: UnsafeMutableRawBufferPointer
    private let state: Locked<State>

    /// A zero-filled file of `bytes` bytes.
    init(bytes: Int) {
        memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes, 1), alignment: 4096)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        state = Locked(State(length: bytes))
    }

    /// A file with this content; `flushed` is what power loss would leave of it.
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
        // The standard library writes the count even into the empty array that all threads share.
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

    /// A flush fails: the pages it covered count as clean from now on, though they were not written.
    func loseUnflushed() {
        let content = content
        state.withLock { state in
            // What an earlier failure lost stays lost; what was flushed before this one is as it was.
            state.lost = content
        }
    }

    /// What a flush that reports success leaves on the disk.
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

    /// This file with another content, as if the bytes had been written over the old ones.
    func rewritten(_ content: [UInt8]) -> MemoryFile {
        let state = state.withLock { $0 }
        let file = MemoryFile(content: content, flushed: state.flushed)
        file.state.withLock { $0.lost = state.lost }
        return file
    }

    /// A copy that changes by itself from here on.
    func copied() -> MemoryFile {
        rewritten(content)
    }

    func finish(length: Int) {
        state.withLock { $0.length = min(length, memory.count) }
    }

    /// What is left after the power failed.
    func remains(_ loss: PowerLoss, _ random: inout SeededGenerator) -> [UInt8] {
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
