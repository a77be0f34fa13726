// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A file system of a few megabytes in memory that tests can fill up.
///
/// Requires permission to mount file systems.
package final class SmallDisk: Sendable {
    /// The mount point.
    package let path: String
    private let folder: TemporaryFolder

    /// Whether this process may mount file systems.
    ///
    /// Tests that need a small disk are skipped otherwise.
    package static var isSupported: Bool { geteuid() == 0 && (try? SmallDisk(megabytes: 1)) != nil }

    /// Mounts an empty disk.
    package init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder.path("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let mount = try Program("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path])
        guard try mount.status() == .exited(0) else {
            throw TestSupportError("the small disk could not be mounted:\n\(mount.tail)")
        }
    }

    deinit {
        // A lazy unmount, because a process that was just killed may still hold a file.
        _ = try? Program("umount", ["-l", path]).status()
    }

    /// Fills the remaining space except for `freeBytes` bytes.
    package func fill(leaving freeBytes: Int = 0) throws {
        let file = open(path + "/ballast", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestSupportError("open", errno: errno) }
        defer { close(file) }
        let chunk = [UInt8](repeating: 1, count: 4096)
        while Descriptor.write(chunk, to: file) {}
        guard freeBytes > 0 else { return }
        let size = lseek(file, 0, SEEK_CUR)
        guard ftruncate(file, max(0, size - off_t(freeBytes))) == 0 else {
            throw TestSupportError("ftruncate", errno: errno)
        }
    }

    /// Frees the space that `fill` took.
    package func freeSpace() throws {
        try FileManager.default.removeItem(atPath: path + "/ballast")
    }
}
