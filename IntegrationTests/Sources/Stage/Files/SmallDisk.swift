// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A file system of a few megabytes in memory, to be filled for real. Needs the right to mount.
package final class SmallDisk: Sendable {
    /// Where it is mounted.
    package let path: String
    private let folder: TemporaryFolder

    /// Whether this process may mount. Tests that need a small disk are skipped when not.
    package static var isPossible: Bool { geteuid() == 0 && (try? SmallDisk(megabytes: 1)) != nil }

    /// Mounts an empty disk.
    package init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder.path("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let mount = try Program("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path])
        guard try mount.status() == .exited(0) else {
            throw StageError("no small disk can be mounted here:\n\(mount.tail)")
        }
    }

    deinit {
        // Lazily: a process that was just killed may still hold a file.
        _ = try? Program("umount", ["-l", path]).status()
    }

    /// Takes all the space that is left, but for `spare` bytes.
    package func fill(sparing spare: Int = 0) throws {
        let file = open(path + "/ballast", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StageError("open", errno: errno) }
        defer { close(file) }
        let chunk = [UInt8](repeating: 1, count: 4096)
        while Descriptor.write(chunk, to: file) {}
        guard spare > 0 else { return }
        let size = lseek(file, 0, SEEK_CUR)
        guard ftruncate(file, max(0, size - off_t(spare))) == 0 else { throw StageError("ftruncate", errno: errno) }
    }

    /// Gives the space back that `fill` took.
    package func empty() throws {
        try FileManager.default.removeItem(atPath: path + "/ballast")
    }
}
