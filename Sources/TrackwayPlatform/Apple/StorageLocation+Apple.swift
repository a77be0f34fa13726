// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation

extension StorageLocation {
    /// The folder for an app: `Trackway/<app>` in its Application Support folder, on tvOS in its Caches folder, the only
    /// one an app may keep files in there.
    ///
    /// - Parameter appID: The app's id; turned into a safe name by `StorageName`.
    /// - Throws: `StorageLocationError` when the id is empty or the system names no such folder.
    package static func standard(appID: String) throws(StorageLocationError) -> StorageLocation {
        guard let name = StorageName.make(appID: appID) else { throw StorageLocationError(.noAppID) }
        #if os(tvOS)
        let kind = FileManager.SearchPathDirectory.cachesDirectory
        #else
        let kind = FileManager.SearchPathDirectory.applicationSupportDirectory
        #endif
        guard let parent = FileManager.default.urls(for: kind, in: .userDomainMask).first else {
            throw StorageLocationError(.noHome)
        }
        return try StorageLocation(path: "\(parent.path)/Trackway/\(name)")
    }
}
#endif
