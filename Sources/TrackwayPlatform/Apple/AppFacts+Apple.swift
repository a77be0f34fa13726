// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import CTrackway
internal import Foundation

extension AppFacts {
    /// Reads the facts of the running process from its bundle.
    ///
    /// - Parameters:
    ///   - id: The app's id.
    ///   - version: The app's version, when it says one; else the bundle's.
    package static func read(id: String, version: String? = nil) -> AppFacts {
        func value(_ key: String) -> String? {
            Bundle.main.object(forInfoDictionaryKey: key) as? String
        }
        return AppFacts(
            id: id,
            package: Bundle.main.bundleIdentifier,
            name: value("CFBundleName") ?? value("CFBundleDisplayName") ?? Bundle.main.executableURL?.lastPathComponent,
            version: version ?? value("CFBundleShortVersionString"),
            build: value("CFBundleVersion"),
            processID: ctrackway_process_id()
        )
    }
}
#endif
