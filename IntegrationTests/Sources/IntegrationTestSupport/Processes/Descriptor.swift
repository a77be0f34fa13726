// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc

/// Reads and writes file descriptors by whole lines.
enum Descriptor {
    /// Calls `body` with each line until end of file.
    ///
    /// A last line without a newline counts as a line.
    static func forEachLine(of descriptor: Int32, _ body: (String) -> Void) {
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest += chunk.prefix(count)
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                body(String(decoding: rest[start..<end], as: UTF8.self))
                start = end + 1
            }
            rest.removeFirst(start)
        }
        if !rest.isEmpty { body(String(decoding: rest, as: UTF8.self)) }
    }

    /// Writes all bytes.
    ///
    /// Returns false if the peer has closed its end.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Returns both ends of a pipe that later children do not inherit.
    ///
    /// The caller must prevent concurrent process starts.
    static func pipe() throws(TestSupportError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw TestSupportError("pipe", errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
