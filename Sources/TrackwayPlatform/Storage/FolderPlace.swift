// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Identifies where an installation's folder is, to recognize copies of it. It never leaves the device.
package struct FolderPlace: Sendable, Hashable, Codable {
    /// The folder's number in its file system; nil where file systems do not keep it.
    package var inode: UInt64?
    /// A hash of the machine's id; nil where there is none, and in containers.
    package var machine: String?
    /// A hash of the host name, where the folder is in the layers of a container's image; nil elsewhere.
    package var host: String?

    /// A place of which nothing is known.
    package init() {}

    /// Whether a folder that was at one place is a copy when it is found at the other: something known of both differs.
    package func isCopy(of other: FolderPlace) -> Bool {
        Self.differ(inode, other.inode) || Self.differ(machine, other.machine) || Self.differ(host, other.host)
    }

    private static func differ<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
        guard let one, let other else { return false }
        return one != other
    }
}
