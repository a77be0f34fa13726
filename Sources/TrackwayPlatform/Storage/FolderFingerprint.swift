// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Identifies the location of an installation's folder, to detect copies of it.
///
/// The fingerprint never leaves the device.
package struct FolderFingerprint: Sendable, Equatable, Codable {
    /// The folder's inode; nil on file systems that do not preserve it.
    package var inode: UInt64?
    /// A hash of the machine id.
    ///
    /// The value is nil without a machine id, and in containers.
    package var machine: String?
    /// A hash of the host name.
    ///
    /// The value is nil unless the folder is in the layers of a container's image.
    package var host: String?

    /// Creates a fingerprint without known facts.
    package init() {}

    /// Whether the folder with this fingerprint is a copy of the other.
    ///
    /// The result is true if any fact that is known in both fingerprints differs.
    package func isCopy(of other: FolderFingerprint) -> Bool {
        Self.differ(inode, other.inode) || Self.differ(machine, other.machine) || Self.differ(host, other.host)
    }

    private static func differ<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
        guard let one, let other else { return false }
        return one != other
    }
}
