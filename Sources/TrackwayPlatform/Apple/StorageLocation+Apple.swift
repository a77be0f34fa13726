// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import CTrackway
internal import Dispatch
internal import Foundation

extension StorageLocation {
    /// Returns an app's folder: `Trackway/<app>` in its Application Support folder.
    ///
    /// On tvOS, the folder is in the Caches folder, the only one where an app may store files.
    ///
    /// - Parameter appID: The app's id, which `StorageName` converts to a safe name.
    /// - Throws: `StorageLocationError` if the id is empty or the system has no such folder.
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

    /// Sets the folder's file protection and excludes it from backups.
    ///
    /// Files are readable after the first unlock, because events are also recorded while the device is locked. They are
    /// excluded from backups, because a device restored from a backup is a new installation. Errors are ignored: the
    /// journal works without these settings. Each file also sets its own protection (`ctrackway_open_write`), because
    /// it may be older than this setting.
    func describe() {
        #if !os(macOS)
        // Without this attribute, new files get the app's default protection class, which may be stricter.
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
            ofItemAtPath: path
        )
        // Files of older SDK versions have that default class. They are changed in the background, because files that
        // are currently mapped were created with the right class.
        DispatchQueue.global(qos: .utility).async { [path] in Self.protect(path, depth: 4) }
        #endif
        var url = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        // On a volume that does not support this attribute, the system makes no backups either.
        try? url.setResourceValues(values)
    }

    #if !os(macOS)
    /// Changes the protection of all files below a folder.
    ///
    /// Files whose protection cannot be changed are retried at the next launch.
    private static func protect(_ folder: String, depth: Int) {
        // A file has no entries to list.
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
