// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The built `trackway` command.
package enum CollectorBinary {
    /// Where it is: `TRACKWAY_BIN`, or where `swift build --package-path Server` leaves it.
    ///
    /// - Throws: `StageError` that says how to build it.
    package static func path() throws -> String {
        if let named = ProcessInfo.processInfo.environment["TRACKWAY_BIN"], !named.isEmpty {
            guard FileManager.default.isExecutableFile(atPath: named) else {
                throw StageError("TRACKWAY_BIN is \(named), where no program is")
            }
            return named
        }
        let server =
            URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
            + "/Server/.build"
        for configuration in ["debug", "release"] {
            let path = "\(server)/\(configuration)/trackway"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw StageError(
            "the collector is not built: run Scripts/integration, or 'swift build --package-path Server --product "
                + "trackway', or name the program in TRACKWAY_BIN (looked in \(server))"
        )
    }
}
