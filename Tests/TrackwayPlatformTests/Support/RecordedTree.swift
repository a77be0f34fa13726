// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

@testable import TrackwayPlatform

/// A copy of another machine's system files.
///
/// The copy is in a temporary folder that is deleted on deinit.
final class RecordedTree {
    let root: URL
    var tree: SystemTree { SystemTree(root: root.path) }

    /// Creates the files by path.
    ///
    /// A path that ends in a slash becomes an empty folder; a value that begins with "-> " becomes a symbolic link.
    init(_ files: [String: String]) throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-tree-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for (path, content) in files {
            let place = root.appendingPathComponent(path)
            if path.hasSuffix("/") {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                continue
            }
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            if content.hasPrefix("-> ") {
                let target = String(content.dropFirst(3))
                try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: target)
            } else {
                try Data(content.utf8).write(to: place)
            }
        }
    }

    /// Creates the files, and deletes them after `body` returns.
    static func with<Result>(_ files: [String: String], _ body: (SystemTree) throws -> Result) throws -> Result {
        let recorded = try RecordedTree(files)
        // Without this, the tree's last use would precede the reads, and its files would be deleted too early.
        return try withExtendedLifetime(recorded) { try body(recorded.tree) }
    }

    deinit {
        // Files left in the temporary folder do no harm.
        try? FileManager.default.removeItem(at: root)
    }
}
