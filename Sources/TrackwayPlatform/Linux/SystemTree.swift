// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway
internal import TrackwayEvents

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The files in which Linux tells about itself (/etc, /proc, /sys), under a root of the caller's choice.
package struct SystemTree: Sendable, Hashable {
    /// The folder that stands for "/", without a slash at its end.
    package let root: String

    /// The running system's own tree.
    package static let live = SystemTree(root: "")

    /// Makes a tree, such as one recorded on another machine.
    package init(root: String) {
        self.root = root
    }

    /// A small text file without the white space around it.
    ///
    /// - Parameters:
    ///   - path: The file, from the root on, beginning with a slash.
    ///   - limit: The most bytes to read; what lies beyond is ignored.
    /// - Returns: `nil` when it cannot be read or holds nothing but white space.
    package func text(_ path: String, limit: Int = 65_536) -> String? {
        let bytes = bytes(path, limit: limit)
        // Texts from the device tree end in a NUL.
        let blank: (UInt8) -> Bool = { $0 <= 0x20 }
        guard let first = bytes.firstIndex(where: { !blank($0) }), let last = bytes.lastIndex(where: { !blank($0) })
        else { return nil }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// True when the tree is the running system's own, so that the system may be asked what no file tells.
    package var isLive: Bool { root.isEmpty }

    /// A file's bytes as they are; empty when it cannot be read.
    ///
    /// - Parameters:
    ///   - path: The file, from the root on, beginning with a slash.
    ///   - limit: The most bytes to read; what lies beyond is ignored.
    package func bytes(_ path: String, limit: Int = 65_536) -> [UInt8] {
        let file = ctrackway_open_read(root + path)
        guard file >= 0 else { return [] }
        defer { _ = ctrackway_close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < limit {
            let got = ctrackway_read_at(file, &chunk, min(chunk.count, limit - bytes.count), Int64(bytes.count))
            guard got > 0 else { break }
            bytes += chunk.prefix(Int(got))
        }
        return bytes
    }

    /// A file that holds one line for people: nil when it holds more, or what no line holds.
    ///
    /// - Parameters:
    ///   - path: The file, from the root on, beginning with a slash.
    ///   - limit: The most bytes that such a line has.
    package func line(_ path: String, limit: Int = 256) -> String? {
        text(path).flatMap { Self.isLine($0, limit: limit) ? $0 : nil }
    }

    /// Whether a text is one line for people. What was no UTF-8 has been read as replacement characters.
    static func isLine(_ text: String, limit: Int = 256) -> Bool {
        text.utf8.count <= limit
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{FFFD}" }
    }

    /// A file that holds one number, whole or not; nil when it is infinite or none.
    package func decimal(_ path: String) -> Double? {
        guard let number = text(path, limit: 64).flatMap({ Double($0) }), number.isFinite else { return nil }
        return number
    }

    /// A file that holds one whole number.
    package func number(_ path: String) -> Int64? {
        text(path, limit: 32).flatMap { Int64($0) }
    }

    /// The names in a folder in alphabetical order; empty when it cannot be listed.
    package func names(in path: String) -> [String] {
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { pointer in
            // What could be listed before an error still counts.
            _ = ctrackway_list(root + path, pointer) { context, name in
                guard let context, let name else { return }
                context.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
            }
        }
        return names.sorted()
    }

    /// Where a symbolic link points, as it is written; `nil` when it is none.
    package func target(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink(root + path, &buffer, buffer.count)
        guard length > 0 else { return nil }
        return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
#endif
