// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

#if os(tvOS)
internal import Foundation
#endif

/// A place for the installation's identity where the system does not remove it; any thread.
package struct IdentityCopy: Sendable {
    /// What was saved last; nil when nothing was.
    package let load: @Sendable () -> [UInt8]?
    /// Saves it; may be called with the same again.
    package let save: @Sendable ([UInt8]) -> Void
    /// What others who share the copy erased; nil where nobody shares it.
    package let erasures: Erasures?

    /// Which installations were erased, by whoever shares a copy.
    package struct Erasures: Sendable {
        /// Whether somebody erased this one.
        package let contains: @Sendable (InstallationID) -> Bool
        /// Notes that this one is erased.
        package let insert: @Sendable (InstallationID) -> Void

        /// Puts both together.
        package init(
            contains: @escaping @Sendable (InstallationID) -> Bool,
            insert: @escaping @Sendable (InstallationID) -> Void
        ) {
            self.contains = contains
            self.insert = insert
        }
    }

    /// Puts them together.
    package init(
        load: @escaping @Sendable () -> [UInt8]?,
        save: @escaping @Sendable ([UInt8]) -> Void,
        erasures: Erasures? = nil
    ) {
        self.load = load
        self.save = save
        self.erasures = erasures
    }

    /// The running system's: the app's defaults on tvOS, where files may only lie in caches, which the system empties; nil elsewhere.
    ///
    /// - Parameter folder: the installation's folder. The system may move the app's container, so only its last part counts.
    package static func system(for folder: String) -> IdentityCopy? {
        #if os(tvOS)
        let key = "trackway.installation.\(folder.split(separator: "/").last ?? "")"
        return IdentityCopy(
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
    /// The folder and the name of a small file beside this folder that is backed up, as the folder itself is not; nil where nothing
    /// is restored from the system's backups.
    package var backup: (folder: String, name: String)? {
        #if (canImport(UIKit) || canImport(Darwin)) && !os(tvOS)
        beside
        #else
        nil
        #endif
    }

    /// The same, whatever the system.
    package var beside: (folder: String, name: String)? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return (folder: String(path[..<slash]), name: String(path[path.index(after: slash)...]) + ".installation")
    }
}
