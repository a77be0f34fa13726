// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc

/// A temporary folder that is removed with its contents on deinitialization.
package final class TemporaryFolder: Sendable {
    /// Its absolute path.
    package let path: String

    /// Creates a folder.
    package init() throws {
        var template = Array((NSTemporaryDirectory() + "trackway-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw TestSupportError("mkdtemp", errno: errno) }
        path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        // A leftover folder in the system's temporary folder is harmless.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns a path inside the folder.
    package func path(_ name: String) -> String { path + "/" + name }

    /// Makes a user the owner of the folder and its contents.
    ///
    /// Requires root.
    package func setOwner(_ user: Int) throws {
        try forEachPath { path in
            guard chown(path, uid_t(user), gid_t(user)) == 0 else { throw TestSupportError("chown", errno: errno) }
        }
    }

    /// Makes the folder read-only for all users but root, or writable for its owner again.
    package func setWritable(_ isWritable: Bool) throws {
        try forEachPath { path in
            var facts = stat()
            guard stat(path, &facts) == 0 else { throw TestSupportError("stat", errno: errno) }
            let isFolder = facts.st_mode & S_IFMT == S_IFDIR
            let mode: mode_t = (isWritable ? 0o600 : 0o400) | (isFolder ? 0o100 : 0)
            guard chmod(path, mode) == 0 else { throw TestSupportError("chmod", errno: errno) }
        }
    }

    private func forEachPath(_ body: (String) throws -> Void) throws {
        try body(path)
        for name in FileManager.default.enumerator(atPath: path) ?? .init() {
            if let name = name as? String { try body(self.path(name)) }
        }
    }
}
