// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway

extension AppFacts {
    /// Reads the facts of the running process.
    ///
    /// - Parameters:
    ///   - id: The app's id.
    ///   - version: The app's version, when it says one; an executable has none of its own.
    ///   - tree: Where the system's files lie.
    package static func read(id: String, version: String? = nil, tree: SystemTree = .live) -> AppFacts {
        let name = executableName(tree)
        return AppFacts(id: id, package: name, name: name, version: version, processID: ctrackway_process_id())
    }

    private static func executableName(_ tree: SystemTree) -> String? {
        guard let path = tree.target(of: "/proc/self/exe"), var name = path.split(separator: "/").last else {
            return nil
        }
        // The kernel says so when the file was replaced while it runs.
        if name.hasSuffix(" (deleted)") { name = name.dropLast(" (deleted)".count) }
        return name.isEmpty ? nil : String(name)
    }
}
#endif
