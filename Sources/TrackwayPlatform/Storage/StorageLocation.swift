// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The folder in which one app keeps its installation on this device.
package struct StorageLocation: Sendable, Hashable {
    /// The folder's absolute path, without a slash at its end. It may not exist yet.
    package let path: String

    /// Uses a folder of the caller's choice.
    ///
    /// - Throws: `StorageLocationError` when the path is empty or relative: it would change its meaning with the
    ///   process's working folder.
    package init(path: String) throws(StorageLocationError) {
        guard path.first == "/", !path.utf8.contains(0) else { throw StorageLocationError(.notAbsolute, path: path) }
        var trimmed = Substring(path)
        while trimmed.count > 1, trimmed.last == "/" {
            trimmed.removeLast()
        }
        self.path = String(trimmed)
    }

    /// Makes the folder and its parents (readable by the user alone) where they are missing, and tries whether it can
    /// be written to.
    ///
    /// - Throws: `StorageLocationError` naming the folder at fault and the remedy.
    package func prepare() throws(StorageLocationError) {
        #if canImport(Darwin)
        try check()
        defer { describe() }
        #endif
        if isFolder(path) {
            guard access(path, W_OK | X_OK) == 0 else { throw .system(ctrackway_errno(), path: path) }
            return
        }
        var made = ""
        for name in path.split(separator: "/") {
            made += "/\(name)"
            if isFolder(made) || ctrackway_mkdir(made, 0o700) == 0 { continue }
            let code = ctrackway_errno()
            // Somebody else may have made it between the two calls; a file in its place is an error all the same.
            if code == EEXIST, isFolder(made) { continue }
            throw .system(code == EEXIST ? ENOTDIR : code, path: made)
        }
        guard access(path, W_OK | X_OK) == 0 else { throw .system(ctrackway_errno(), path: path) }
    }

    private func isFolder(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }
}
