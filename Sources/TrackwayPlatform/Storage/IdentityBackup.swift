// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

#if os(tvOS)
internal import Foundation
#endif

/// A backup of the installation's identity that the system does not delete.
///
/// May be used from any thread.
package struct IdentityBackup: Sendable {
    /// Returns the bytes that were saved last; nil before the first save.
    package let load: @Sendable () -> [UInt8]?
    /// Saves the bytes.
    ///
    /// Saving the same bytes again is allowed.
    package let save: @Sendable ([UInt8]) -> Void
    /// Erasures recorded by all processes that share the backup.
    ///
    /// Nil if it is not shared.
    package let erasures: Erasures?

    /// A record of erased installations that several processes share.
    package struct Erasures: Sendable {
        /// Whether this installation was erased.
        package let contains: @Sendable (InstallationID) -> Bool
        /// Records that this installation is erased.
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
    /// On tvOS, this is the app's user defaults, because files may only be stored in caches, which the system empties.
    /// Nil on all other systems.
    ///
    /// - Parameter folder: the installation's folder. The system may move the app's container, so only the last path
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
    /// The folder and name of a small file next to this folder.
    ///
    /// The file is backed up; the folder itself is not. Nil on systems that do not restore backups.
    package var backup: (folder: String, name: String)? {
        #if (canImport(UIKit) || canImport(Darwin)) && !os(tvOS)
        beside
        #else
        nil
        #endif
    }

    /// The folder and name of that file, on any system.
    package var beside: (folder: String, name: String)? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return (folder: String(path[..<slash]), name: String(path[path.index(after: slash)...]) + ".installation")
    }
}
