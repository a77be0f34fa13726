// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation

/// A folder that is deleted when this object is released.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "trackway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // A failure does not matter: the system clears its temporary folder.
        try? FileManager.default.removeItem(atPath: path)
    }
}
