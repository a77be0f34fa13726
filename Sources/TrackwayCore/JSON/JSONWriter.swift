// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Writes JSON as UTF-8 into one growing block of memory.
///
/// Each call appends its value, and the writer adds the commas between members and elements. The recording path uses
/// the calling thread's block through ``withThreadBuffer(_:)``, so that writing an event allocates nothing.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.key("count")
/// writer.integer(3)
/// writer.endObject()
/// ```
/// Use it from one thread at a time.
public struct JSONWriter: ~Copyable {
    /// The number of bytes written so far.
    public internal(set) var count: Int
    /// The start of the block.
    ///
    /// The memory is valid for `capacity` bytes.
    var start: UnsafeMutableRawPointer
    var capacity: Int
    /// Whether memory ran out.
    ///
    /// If so, nothing more is written, and the partial output is not returned.
    public private(set) var isExhausted = false
    private let buffer: UnsafeMutablePointer<ctrackway_thread_buffer>?
    private let usesThreadBuffer: Bool

    /// Creates a writer with its own buffer.
    public init() {
        self.init(buffer: ctrackway_buffer_make(), usesThreadBuffer: false)
    }

    private init(buffer: UnsafeMutablePointer<ctrackway_thread_buffer>?, usesThreadBuffer: Bool) {
        self.buffer = buffer
        self.usesThreadBuffer = usesThreadBuffer
        count = 0
        // With a capacity of 0, nothing is stored here before memory is allocated.
        start = UnsafeMutableRawPointer(buffer?.pointee.bytes) ?? Self.placeholderAddress
        capacity = buffer?.pointee.bytes == nil ? 0 : buffer?.pointee.capacity ?? 0
    }

    deinit {
        guard let buffer else { return }
        if usesThreadBuffer {
            ctrackway_thread_buffer_release(buffer)
        } else {
            ctrackway_buffer_free(buffer)
        }
    }

    /// Runs `body` with a writer over the calling thread's block.
    ///
    /// If the block is already in use (a `body` further up the stack recorded an event while writing), the writer gets
    /// a separate block, which is slower but correct.
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
        return JSONWriter(buffer: buffer, usesThreadBuffer: true)
    }

    /// The written bytes, valid until the next change.
    ///
    /// The result is empty if memory ran out.
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: isExhausted ? 0 : count)
    }

    /// Returns a copy of the written bytes.
    public func array() -> [UInt8] { Array(bytes) }

    /// Removes the written bytes and keeps the memory.
    public mutating func removeAll() {
        count = 0
    }

    /// Removes the written bytes after the first `length`.
    public mutating func truncate(to length: Int) {
        count = max(0, min(count, length))
    }

    /// Reserves space for `length` more bytes.
    ///
    /// Returns false if memory is exhausted; the caller must then not store anything.
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

    private static var placeholderAddress: UnsafeMutableRawPointer {
        // This address is never read or written, because the capacity is 0. A non-nil address avoids an optional on
        // each access.
        UnsafeMutableRawPointer(bitPattern: 16) ?? UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    }
}
