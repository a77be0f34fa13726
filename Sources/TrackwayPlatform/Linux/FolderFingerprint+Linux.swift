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

extension FolderFingerprint {
    /// Returns a folder's current fingerprint.
    ///
    /// The inode is used only on file systems that preserve it for the folder's lifetime. The machine id is used only
    /// outside containers, because some engines give each container its own id. A container's root file system is an
    /// overlay. Its upper layer is discarded when the container is recreated under another host name, so files found
    /// there afterward are part of the image.
    ///
    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - tree: The location of the system's files.
    ///   - isInContainer: Whether the environment indicates a container; see systemd(1), "container".
    package static func current(
        of folder: String,
        in tree: SystemTree = .live,
        isInContainer: Bool = ProcessEnvironment.value(of: "container") != nil
    ) -> FolderFingerprint {
        var fingerprint = FolderFingerprint()
        let kind = ctrackway_file_system(folder)
        if keepsInodes.contains(kind) { fingerprint.inode = inode(of: folder) }
        if kind == overlay { fingerprint.host = name(tree.line("/proc/sys/kernel/hostname")) }
        let marks = ["/run/.containerenv", "/.dockerenv"]
        if !isInContainer, !marks.contains(where: { access(tree.root + $0, F_OK) == 0 }) {
            fingerprint.machine = name(tree.line("/etc/machine-id").flatMap { $0.utf8.count == 32 ? $0 : nil })
        }
        return fingerprint
    }

    /// Hashes an id.
    ///
    /// The raw ids must not leave the system's files; see machine-id(5).
    private static func name(_ id: String?) -> String? {
        id.map { SHA256.hash(Array("trackway.folder:\($0)".utf8)).prefix(16).hexadecimal }
    }

    private static func inode(of folder: String) -> UInt64? {
        var status = stat()
        return stat(folder, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    private static let overlay: Int64 = 0x794C_7630
    /// File systems that preserve inodes, by their type in statfs(2).
    ///
    /// They are ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs, and overlay.
    private static let keepsInodes: Set<Int64> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994, overlay,
    ]
}
#endif
