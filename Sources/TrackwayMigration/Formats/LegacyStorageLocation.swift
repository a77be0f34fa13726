// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import TrackwayJournal

/// The locations where other SDKs of the same app store their state.
///
/// The locations are the app's user defaults and three folders, all of which are only read.
package struct LegacyStorageLocation: Sendable {
    /// Returns a value from the app's user defaults; nil if missing.
    package var value: @Sendable (_ key: String) -> PropertyValue?
    /// The storage that contains the folders.
    package var storage: any JournalStorage
    /// The app's folder for support files that users do not see.
    package var library: String
    /// The app's folder for files that can be recreated.
    package var caches: String
    /// The app's folder for files that the system may delete.
    package var temporary: String
    /// A folder for temporary copies.
    package var scratch: String

    /// Creates a location from its parts.
    package init(
        value: @escaping @Sendable (String) -> PropertyValue?,
        storage: any JournalStorage = DiskStorage(),
        library: String,
        caches: String,
        temporary: String,
        scratch: String
    ) {
        self.value = value
        self.storage = storage
        self.library = library
        self.caches = caches
        self.temporary = temporary
        self.scratch = scratch
    }

    /// Returns the locations of the running app.
    package static func system() -> LegacyStorageLocation {
        let temporary = path(of: NSTemporaryDirectory())
        return LegacyStorageLocation(
            value: { key in
                guard let object = UserDefaults.standard.object(forKey: key) else { return nil }
                // The object is serialized first, because the classes that back a stored object differ between systems.
                // An object that is not a property list was not written by a known SDK, and counts as missing.
                let list = try? PropertyListSerialization.data(fromPropertyList: [object], format: .binary, options: 0)
                return list.flatMap { try? BinaryPropertyList.value(of: Array($0)) }?.array?.first
            },
            library: folder(.libraryDirectory),
            caches: folder(.cachesDirectory),
            temporary: temporary,
            scratch: temporary
        )
    }

    private static func folder(_ directory: FileManager.SearchPathDirectory) -> String {
        path(of: FileManager.default.urls(for: directory, in: .userDomainMask).last?.path ?? "")
    }

    private static func path(of folder: String) -> String {
        folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    }

    /// Returns a file's bytes, or nil if it does not exist.
    ///
    /// - Throws: `StorageError` if the file exists but currently cannot be read, or exceeds 64 MiB. No state of another
    ///   SDK is that large.
    package func contents(of path: String) throws(StorageError) -> [UInt8]? {
        guard let size = try storage.size(of: path) else { return nil }
        guard size <= 1 << 26 else { throw StorageError(.other, operation: "import \(size) bytes from", path: path) }
        return try storage.contents(of: path)
    }
}
