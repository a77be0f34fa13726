// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Writes JSON as UTF-8 into one growing block of memory.
///
/// The calls write what they say, in the order they come; the writer sets the commas between members and elements. The
/// recording path uses the calling thread's own block through ``withThreadBuffer(_:)``, so that writing an event
/// allocates nothing.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.key("count")
/// writer.integer(3)
/// writer.endObject()
/// ```
/// One thread at a time.
public struct JSONWriter: ~Copyable {
    /// Bytes written so far.
    public internal(set) var count: Int
    /// Where the block begins. Valid for `capacity` bytes.
    var start: UnsafeMutableRawPointer
    var capacity: Int
    /// True once memory ran out; nothing is written from then on, and nothing half-written is shown.
    public private(set) var isExhausted = false
    private let buffer: UnsafeMutablePointer<ctrackway_thread_buffer>?
    private let belongsToThread: Bool

    /// A writer with a block of its own.
    public init() {
        self.init(buffer: ctrackway_buffer_make(), belongsToThread: false)
    }

    private init(buffer: UnsafeMutablePointer<ctrackway_thread_buffer>?, belongsToThread: Bool) {
        self.buffer = buffer
        self.belongsToThread = belongsToThread
        count = 0
        // With a capacity of 0 nothing is ever stored here before there is memory.
        start = UnsafeMutableRawPointer(buffer?.pointee.bytes) ?? Self.nowhere
        capacity = buffer?.pointee.bytes == nil ? 0 : buffer?.pointee.capacity ?? 0
    }

    deinit {
        guard let buffer else { return }
        if belongsToThread {
            ctrackway_thread_buffer_release(buffer)
        } else {
            ctrackway_buffer_free(buffer)
        }
    }

    /// Runs `body` with a writer over the calling thread's own block.
    ///
    /// When the block is taken already (`body` further up the stack recorded something while writing), the writer gets
    /// a block of its own: slower, and correct.
    @inlinable
    public static func withThreadBuffer<Result, Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var writer = onThisThread()
        return try body(&writer)
    }

    @usableFromInline
    static func onThisThread() -> JSONWriter {
        guard let buffer = ctrackway_thread_buffer_get(), !buffer.pointee.in_use else { return JSONWriter() }
        buffer.pointee.in_use = true
        return JSONWriter(buffer: buffer, belongsToThread: true)
    }

    /// What was written, until the writer is next changed; nothing when memory ran out.
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: isExhausted ? 0 : count)
    }

    /// A copy of what was written.
    public func array() -> [UInt8] { Array(bytes) }

    /// Forgets what was written and keeps the memory.
    public mutating func removeAll() {
        count = 0
    }

    /// Forgets what was written after the first `length` bytes.
    public mutating func truncate(to length: Int) {
        count = max(0, min(count, length))
    }

    /// Makes room for `length` more bytes; false when memory is exhausted. Then nothing may be stored.
    @inline(__always)
    mutating func reserve(_ length: Int) -> Bool {
        capacity &- count >= length || grow(by: length)
    }

    @inline(never)
    private mutating func grow(by length: Int) -> Bool {
        guard !isExhausted, let buffer, ctrackway_thread_buffer_reserve(buffer, count + length) == 0,
            let bytes = buffer.pointee.bytes
        else {
            isExhausted = true
            return false
        }
        start = UnsafeMutableRawPointer(bytes)
        capacity = buffer.pointee.capacity
        return true
    }

    private static var nowhere: UnsafeMutableRawPointer {
        // Never read or written: the capacity beside it is 0. An address that is not nil spares an optional per access.
        UnsafeMutableRawPointer(bitPattern: 16) ?? UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    }
}
