// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The built `trackway` command.
package enum CollectorBinary {
    /// Returns the path of the command: `TRACKWAY_BIN`, or where `Scripts/build Server` puts it.
    ///
    /// - Throws: `TestSupportError` with the command that builds it.
    package static func path() throws -> String {
        if let named = ProcessInfo.processInfo.environment["TRACKWAY_BIN"], !named.isEmpty {
            guard FileManager.default.isExecutableFile(atPath: named) else {
                throw TestSupportError("TRACKWAY_BIN is \(named), which is not an executable file")
            }
            return named
        }
        let folder =
            URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
            + "/.build"
        for configuration in ["debug", "release"] {
            let path = "\(folder)/\(configuration)/trackway"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestSupportError(
            "the collector is not built: run 'Scripts/build Server --product trackway', or set TRACKWAY_BIN to the program "
                + "(looked in \(folder))"
        )
    }
}
