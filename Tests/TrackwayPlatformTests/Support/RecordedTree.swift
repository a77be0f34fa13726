// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

@testable import TrackwayPlatform

/// A tree of system files as another machine had them, laid out in a folder of its own that goes away with it.
final class RecordedTree {
    let root: URL
    var tree: SystemTree { SystemTree(root: root.path) }

    /// Lays out files by their path; a path that ends in a slash becomes an empty folder, a content that begins with
    /// "-> " a symbolic link.
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

    /// Lays files out for as long as `body` reads them.
    static func with<Result>(_ files: [String: String], _ body: (SystemTree) throws -> Result) throws -> Result {
        let recorded = try RecordedTree(files)
        // Its last use would be before the reading otherwise, and its files gone.
        return try withExtendedLifetime(recorded) { try body(recorded.tree) }
    }

    deinit {
        // What a test leaves behind in the temporary folder harms nobody.
        try? FileManager.default.removeItem(at: root)
    }
}
