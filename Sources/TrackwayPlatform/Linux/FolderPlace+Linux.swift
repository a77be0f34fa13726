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

extension FolderPlace {
    /// Where a folder is now.
    ///
    /// The inode counts only on file systems that keep it as long as the folder exists. The machine's id counts outside of containers:
    /// some engines give every container one of its own. A container's root file system is an overlay, whose upper layer is gone when the
    /// container is made again under another host name; what is found there then came with the image.
    ///
    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - tree: Where the system's files are.
    ///   - isInContainer: Whether the environment says that this is a container; see systemd(1), "container".
    package static func current(
        of folder: String,
        in tree: SystemTree = .live,
        isInContainer: Bool = ProcessEnvironment.value(of: "container") != nil
    ) -> FolderPlace {
        var place = FolderPlace()
        let kind = ctrackway_file_system(folder)
        if keepsInodes.contains(kind) { place.inode = inode(of: folder) }
        if kind == overlay { place.host = name(tree.line("/proc/sys/kernel/hostname")) }
        let marks = ["/run/.containerenv", "/.dockerenv"]
        if !isInContainer, !marks.contains(where: { access(tree.root + $0, F_OK) == 0 }) {
            place.machine = name(tree.line("/etc/machine-id").flatMap { $0.utf8.count == 32 ? $0 : nil })
        }
        return place
    }

    /// The ids themselves stay where the system keeps them; see machine-id(5).
    private static func name(_ id: String?) -> String? {
        id.map { SHA256.hash(Array("trackway.folder:\($0)".utf8)).prefix(16).hexadecimal }
    }

    private static func inode(of folder: String) -> UInt64? {
        var status = stat()
        return stat(folder, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    private static let overlay: Int64 = 0x794C_7630
    /// As statfs(2) lists them: ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs, overlay.
    private static let keepsInodes: Set<Int64> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994, overlay,
    ]
}
#endif
