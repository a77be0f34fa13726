// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The build folder of this package, which contains the programs and the tests.
package enum BuiltProducts {
    /// Returns the path of a product.
    package static func path(_ name: String) -> String {
        folder + "/" + name
    }

    /// Swift Testing runs the bundle from the build folder.
    private static let folder: String = {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        if FileManager.default.fileExists(atPath: program + "/recorder") { return program }
        for argument in CommandLine.arguments {
            let folder = URL(fileURLWithPath: argument).deletingLastPathComponent().path
            if FileManager.default.fileExists(atPath: folder + "/recorder") { return folder }
        }
        return program
    }()
}
