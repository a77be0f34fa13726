// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The folder that stores an app's installation on this device.
package struct StorageLocation: Sendable, Equatable {
    /// The folder's absolute path, without a trailing slash.
    ///
    /// The folder may not exist yet.
    package private(set) var path: String

    /// Creates a location from a folder that the caller chose.
    ///
    /// - Throws: `StorageLocationError` if the path is empty or relative: a relative path would change its meaning with
    ///   the process's working directory.
    package init(path: String) throws(StorageLocationError) {
        guard path.first == "/", !path.utf8.contains(0) else { throw StorageLocationError(.notAbsolute, path: path) }
        var trimmed = Substring(path)
        while trimmed.count > 1, trimmed.last == "/" {
            trimmed.removeLast()
        }
        self.path = String(trimmed)
    }

    /// Creates the folder and its missing parents.
    ///
    /// The call also checks that the folder is writable. New folders are accessible only to the user.
    ///
    /// - Throws: `StorageLocationError` with the affected folder and the remedy.
    package func prepare() throws(StorageLocationError) {
        #if canImport(Darwin)
        defer { describe() }
        #endif
        try make(path)
        guard access(path, W_OK | X_OK) == 0 else { throw .system(ctrackway_errno(), path: path) }
    }

    /// Creates a folder if it is missing.
    ///
    /// Its parents are created only if creating the folder fails without them, because a sandbox may hide folders
    /// further up.
    private func make(_ folder: String) throws(StorageLocationError) {
        if isFolder(folder) || ctrackway_mkdir(folder, 0o700) == 0 { return }
        var code = ctrackway_errno()
        if code == ENOENT || code == ENOTDIR, let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
            try make(String(folder[..<slash]))
            if ctrackway_mkdir(folder, 0o700) == 0 { return }
            code = ctrackway_errno()
        }
        // Another process may have created the folder between the two calls. A file in its place is still an error.
        if code == EEXIST, isFolder(folder) { return }
        throw .system(code == EEXIST ? ENOTDIR : code, path: folder)
    }

    private func isFolder(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the folder is in an app group's container.
    ///
    /// An app shares such a container with its extensions. A system that suspends apps terminates an app that is
    /// suspended while it holds a file lock in such a container (`0xdead10cc`). It also terminates extensions that hold
    /// a lock in their own container.
    package var isInSharedContainer: Bool {
        let names = path.split(separator: "/")
        return zip(names, names.dropFirst()).contains { $0 == "Shared" && $1 == "AppGroup" }
    }

    /// Whether each process needs its own folder.
    ///
    /// This is the case if a process that may be suspended shares this folder. On a Mac, where shared containers have
    /// other paths, processes are not suspended.
    package var needsPerProcessFolders: Bool {
        ProcessKind.mayBeSuspended && isInSharedContainer
    }

    /// Returns the subfolder that belongs to only one process.
    ///
    /// - Parameter process: The name of the process, which is that of its bundle.
    package func subfolder(forProcess process: String) -> StorageLocation {
        child(StorageName.make(appID: process) ?? "process")
    }

    /// The subfolder for data that all processes share: the identity.
    package var shared: StorageLocation { child("shared") }

    private func child(_ name: String) -> StorageLocation {
        var child = self
        child.path += "/" + name
        return child
    }
}

/// Converts an app's id to the name of a folder.
///
/// Letters, digits, "-", "_" and inner dots are kept; every other byte becomes "%" and two hexadecimal digits. No id
/// can escape its parent folder, hide its folder, or share a folder with another id. Long ids are truncated and end in
/// a hash.
package enum StorageName {
    /// The maximum length of a name in bytes; file systems allow 255.
    private static let maximumBytes = 120

    /// Returns the folder's name, or `nil` for an empty id.
    package static func make(appID: String) -> String? {
        guard !appID.isEmpty else { return nil }
        var name: [UInt8] = []
        for (index, byte) in appID.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.append(byte)
            case UInt8(ascii: ".") where index > 0:
                name.append(byte)
            default:
                name.append(UInt8(ascii: "%"))
                name += [byte].hexadecimal.utf8
            }
        }
        if name.count > maximumBytes {
            let hash = SHA256.hash(Array(appID.utf8)).prefix(16).hexadecimal
            // An id never produces "%%", so a truncated name never equals a complete one.
            name = name.prefix(maximumBytes - 34) + Array("%%\(hash)".utf8)
        }
        return String(decoding: name, as: UTF8.self)
    }
}
