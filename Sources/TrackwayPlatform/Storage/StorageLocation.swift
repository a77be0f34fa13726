// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

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
    package private(set) var path: String

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
        defer { describe() }
        #endif
        try make(path)
        guard access(path, W_OK | X_OK) == 0 else { throw .system(ctrackway_errno(), path: path) }
    }

    /// Makes a folder where it is missing, and those above it only where that fails without them: a sandbox may hide what lies
    /// further up.
    private func make(_ folder: String) throws(StorageLocationError) {
        if isFolder(folder) || ctrackway_mkdir(folder, 0o700) == 0 { return }
        var code = ctrackway_errno()
        if code == ENOENT || code == ENOTDIR, let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
            try make(String(folder[..<slash]))
            if ctrackway_mkdir(folder, 0o700) == 0 { return }
            code = ctrackway_errno()
        }
        // Somebody else may have made it between the two calls; a file in its place is an error all the same.
        if code == EEXIST, isFolder(folder) { return }
        throw .system(code == EEXIST ? ENOTDIR : code, path: folder)
    }

    private func isFolder(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the folder lies in a container that an app shares with its extensions (an app group).
    ///
    /// A system that suspends apps ends one that holds a file's lock there meanwhile (`0xdead10cc`). It ends extensions that hold one in
    /// their own container, too.
    package var isInSharedContainer: Bool {
        let names = path.split(separator: "/")
        return zip(names, names.dropFirst()).contains { $0 == "Shared" && $1 == "AppGroup" }
    }

    /// Whether processes share the folder that may be suspended at any time, so that each has to work in a folder of its own. On a Mac,
    /// where shared containers are called otherwise, nothing is suspended.
    package var needsFoldersOfProcesses: Bool {
        ProcessKind.mayBeSuspended && isInSharedContainer
    }

    /// The folder in this one that belongs to one process alone.
    ///
    /// - Parameter process: the name of the process: that of its bundle.
    package func own(of process: String) -> StorageLocation {
        child(StorageName.make(appID: process) ?? "process")
    }

    /// The folder in this one that holds what all processes share: the identity.
    package var shared: StorageLocation { child("shared") }

    private func child(_ name: String) -> StorageLocation {
        var child = self
        child.path += "/" + name
        return child
    }
}

/// Turns an app's id into the name of a folder.
///
/// Letters, digits, "-", "_" and inner dots stay; every other byte becomes "%" and two hexadecimal digits. No id leads
/// out of its parent folder, hides its folder, or shares one with another id. Long ids are cut and end in a hash.
package enum StorageName {
    /// The longest name, in bytes; file systems allow 255.
    private static let longest = 120

    /// The folder's name; `nil` for an empty id, which names no app.
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
        if name.count > longest {
            let hash = SHA256.hash(Array(appID.utf8)).prefix(16).hexadecimal
            // "%%" cannot come from an id, so a cut name never equals a whole one.
            name = name.prefix(longest - 34) + Array("%%\(hash)".utf8)
        }
        return String(decoding: name, as: UTF8.self)
    }
}
