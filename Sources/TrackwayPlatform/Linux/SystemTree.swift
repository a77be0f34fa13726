// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway
internal import TrackwayCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Reads Linux's system files (/etc, /proc, /sys) below a given root.
package struct SystemTree: Sendable, Equatable {
    /// The folder used in place of "/", without a trailing slash.
    package let root: String

    /// The running system's tree.
    package static let live = SystemTree(root: "")

    /// Creates a tree, such as one recorded on another machine.
    package init(root: String) {
        self.root = root
    }

    /// Returns the contents of a small text file without surrounding white space.
    ///
    /// - Parameters:
    ///   - path: The file's path below the root, starting with a slash.
    ///   - limit: The maximum number of bytes to read; the rest is ignored.
    /// - Returns: `nil` if the file cannot be read or contains only white space.
    package func text(_ path: String, limit: Int = 65_536) -> String? {
        let bytes = bytes(path, limit: limit)
        // Texts in the device tree end in a NUL.
        let blank: (UInt8) -> Bool = { $0 <= 0x20 }
        guard let first = bytes.firstIndex(where: { !blank($0) }), let last = bytes.lastIndex(where: { !blank($0) })
        else { return nil }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// Whether this is the running system's tree.
    ///
    /// If so, system calls may supplement the files.
    package var isLive: Bool { root.isEmpty }

    /// Returns a file's raw bytes.
    ///
    /// Returns an empty array if the file cannot be read.
    ///
    /// - Parameters:
    ///   - path: The file's path below the root, starting with a slash.
    ///   - limit: The maximum number of bytes to read; the rest is ignored.
    package func bytes(_ path: String, limit: Int = 65_536) -> [UInt8] {
        let file = ctrackway_open_read(root + path)
        guard file >= 0 else { return [] }
        defer { _ = ctrackway_close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < limit {
            let count = ctrackway_read_at(file, &chunk, min(chunk.count, limit - bytes.count), Int64(bytes.count))
            guard count > 0 else { break }
            bytes += chunk.prefix(Int(count))
        }
        return bytes
    }

    /// Returns the contents of a file with a single line.
    ///
    /// Returns nil if the file has more than one line or contains characters that are not text.
    ///
    /// - Parameters:
    ///   - path: The file's path below the root, starting with a slash.
    ///   - limit: The maximum length of the line in bytes.
    package func line(_ path: String, limit: Int = 256) -> String? {
        text(path).flatMap { Self.isLine($0, limit: limit) ? $0 : nil }
    }

    /// Whether the text is a single printable line.
    ///
    /// Bytes that were not valid UTF-8 were decoded as replacement characters, which are rejected.
    static func isLine(_ text: String, limit: Int = 256) -> Bool {
        text.utf8.count <= limit
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{FFFD}" }
    }

    /// Returns the finite decimal number in a file.
    ///
    /// Returns nil if the file contains no such number.
    package func decimal(_ path: String) -> Double? {
        guard let number = text(path, limit: 64).flatMap({ Double($0) }), number.isFinite else { return nil }
        return number
    }

    /// Returns the integer in a file; nil if it contains none.
    package func number(_ path: String) -> Int64? {
        text(path, limit: 32).flatMap { Int64($0) }
    }

    /// Returns the names in a folder, sorted.
    ///
    /// Returns an empty array if the folder cannot be listed.
    package func names(in path: String) -> [String] {
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { pointer in
            // The names that are listed before an error are kept.
            _ = ctrackway_list(root + path, pointer) { context, name in
                guard let context, let name else { return }
                context.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
            }
        }
        return names.ordered()
    }

    /// Returns a symbolic link's unresolved target.
    ///
    /// Returns `nil` if the path is not a link.
    package func target(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink(root + path, &buffer, buffer.count)
        guard length > 0 else { return nil }
        return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
#endif
