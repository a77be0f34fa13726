// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

#if os(tvOS)
internal import Foundation
#endif

/// A backup of the installation's identity that the system does not delete.
///
/// The backup can be used from any thread.
package struct IdentityBackup: Sendable {
    /// Returns the bytes that were saved last; nil before the first save.
    package let load: @Sendable () -> [UInt8]?
    /// Saves the bytes.
    ///
    /// Saving the same bytes again is allowed.
    package let save: @Sendable ([UInt8]) -> Void
    /// Erasures recorded by all processes that share the backup.
    ///
    /// The value is nil if the backup is not shared.
    package let erasures: Erasures?

    /// A record of erased installations that several processes share.
    package struct Erasures: Sendable {
        /// Whether this installation was erased.
        package let contains: @Sendable (InstallationID) -> Bool
        /// Records that this installation was erased.
        package let insert: @Sendable (InstallationID) -> Void

        /// Creates a record from its two operations.
        package init(
            contains: @escaping @Sendable (InstallationID) -> Bool,
            insert: @escaping @Sendable (InstallationID) -> Void
        ) {
            self.contains = contains
            self.insert = insert
        }
    }

    /// Creates a backup from its operations.
    package init(
        load: @escaping @Sendable () -> [UInt8]?,
        save: @escaping @Sendable ([UInt8]) -> Void,
        erasures: Erasures? = nil
    ) {
        self.load = load
        self.save = save
        self.erasures = erasures
    }

    /// Returns the running system's backup, or nil if it needs none.
    ///
    /// On tvOS, the backup is in the app's user defaults, because files may only be stored in caches, which the system
    /// empties. The result is nil on all other systems.
    ///
    /// - Parameter folder: The installation's folder. The system may move the app's container, so only the last path
    ///   component is used.
    package static func system(for folder: String) -> IdentityBackup? {
        #if os(tvOS)
        let key = "trackway.installation.\(folder.split(separator: "/").last ?? "")"
        return IdentityBackup(
            load: { UserDefaults.standard.data(forKey: key).map { Array($0) } },
            save: { bytes in
                let data = Data(bytes)
                if UserDefaults.standard.data(forKey: key) != data { UserDefaults.standard.set(data, forKey: key) }
            }
        )
        #else
        nil
        #endif
    }
}

extension StorageLocation {
    /// The folder and name of a backup file next to this folder.
    ///
    /// The file is part of backups; the folder itself is not. The value is nil on systems that do not restore backups.
    package var backup: (folder: String, name: String)? {
        #if (canImport(UIKit) || canImport(Darwin)) && !os(tvOS)
        siblingFile
        #else
        nil
        #endif
    }

    /// The folder and name that the backup file has on any system.
    package var siblingFile: (folder: String, name: String)? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return (folder: String(path[..<slash]), name: String(path[path.index(after: slash)...]) + ".installation")
    }
}
