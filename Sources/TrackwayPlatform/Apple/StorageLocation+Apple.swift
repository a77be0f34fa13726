// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import CTrackway
internal import Dispatch
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
        // What older versions made has the class that was usual then. Nobody waits for that: what is mapped now was made with the
        // right one.
        DispatchQueue.global(qos: .utility).async { [path] in Self.protect(path, depth: 4) }
        #endif
        var url = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        // On a volume without such a mark nothing is copied away by the system, either.
        try? url.setResourceValues(values)
    }

    #if !os(macOS)
    /// Raises the protection of every file below a folder. What cannot be raised now is tried again at the next start.
    private static func protect(_ folder: String, depth: Int) {
        // A file is no folder, and has no names.
        guard depth > 0, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for name in names {
            let path = folder + "/" + name
            _ = ctrackway_protect(path)
            protect(path, depth: depth - 1)
        }
    }
    #endif
}
#endif
