// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A machine that a process runs on: its files, and the only port that the process reaches.
package final class SimulatedSystem: Sendable {
    private let folder: TemporaryFolder
    private let library: String
    private let port: UInt16

    /// Creates a machine that these files describe.
    ///
    /// - Parameters:
    ///   - files: The contents by path; a path that ends in a slash is an empty folder.
    ///   - port: The port of 127.0.0.1 that the process may connect to.
    package init(_ files: [String: String], port: UInt16) throws {
        folder = try TemporaryFolder()
        library = BuiltProducts.path("libSimulatedSystem.so")
        self.port = port
        guard FileManager.default.fileExists(atPath: library) else {
            throw TestSupportError("\(library) is missing; build the whole package with 'swift build --build-tests'")
        }
        for (path, content) in files { try set(path, to: content) }
    }

    /// Replaces a file.
    package func set(_ path: String, to content: String) throws {
        let place = URL(fileURLWithPath: folder.path("root") + path)
        let parent = path.hasSuffix("/") ? place : place.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        if !path.hasSuffix("/") { try Data(content.utf8).write(to: place) }
    }

    /// Variables to add to a program's environment.
    package var environment: [String: String] {
        [
            "LD_PRELOAD": library, "TRACKWAY_SIMULATED_ROOT": folder.path("root"), "TRACKWAY_ONLY_PORT": "\(port)",
            "TRACKWAY_REFUSED": folder.path("refused"),
        ]
    }

    /// The connections and datagrams that were refused.
    package var refused: [String] {
        // Without a refusal, the file does not exist.
        let text = (try? String(contentsOfFile: folder.path("refused"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }
}
