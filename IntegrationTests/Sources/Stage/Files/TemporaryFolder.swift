// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A folder of a test's own, removed with everything in it when this value goes.
package final class TemporaryFolder: Sendable {
    /// Its absolute path.
    package let path: String

    /// Makes a folder.
    package init() throws {
        var template = Array((NSTemporaryDirectory() + "trackway-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw StageError("mkdtemp", errno: errno) }
        path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        // A file that stays behind in the system's temporary folder harms nobody.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A path below the folder.
    package func path(_ name: String) -> String { path + "/" + name }
}
