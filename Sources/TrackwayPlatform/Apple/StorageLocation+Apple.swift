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

    /// Refuses a folder that would have the system end the app.
    ///
    /// - Throws: `StorageLocationError` with `sharedContainer`.
    func check() throws(StorageLocationError) {
        #if !os(macOS)
        if isInSharedContainer { throw StorageLocationError(.sharedContainer, path: path) }
        #endif
    }

    /// Tells the system what kind of folder this is: readable from the first unlocking on, because events come while the
    /// device is locked, too; and this device's own, because a device that is restored from a copy is another installation.
    ///
    /// What the system does not take is left: the journal works without it. Files say their protection once more themselves
    /// (`ctrackway_open_write`), because they may be older than this.
    func describe() {
        #if !os(macOS)
        // Without it new files get the app's own class, which may be a stricter one.
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
            ofItemAtPath: path
        )
        #endif
        var url = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        // On a volume without such a mark nothing is copied away by the system, either.
        try? url.setResourceValues(values)
    }
}
#endif
