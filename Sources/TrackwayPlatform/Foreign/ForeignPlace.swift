// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import TrackwayJournal

/// Where other SDKs of the same app keep what they know: its user defaults, and three folders. It is only read.
package struct ForeignPlace: Sendable {
    /// A value of the app's user defaults; nil when there is none.
    package var value: @Sendable (_ key: String) -> PropertyValue?
    /// What the folders lie in.
    package var storage: any JournalStorage
    /// The app's folder for what it needs and people do not see.
    package var library: String
    /// The app's folder for what can be had again.
    package var caches: String
    /// The app's folder for what may go at any time.
    package var temporary: String
    /// A folder in which copies may lie for a while.
    package var scratch: String

    /// A place of these parts.
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

    /// The app's own.
    package static func system() -> ForeignPlace {
        let temporary = path(of: NSTemporaryDirectory())
        return ForeignPlace(
            value: { key in
                guard let object = UserDefaults.standard.object(forKey: key) else { return nil }
                // In the form that is the same everywhere: what stands behind an object differs from system to system.
                // An object that is no property list was written by nothing that is known here: it counts as missing.
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

    /// A file's bytes; nil when there is none.
    ///
    /// - Throws: when it is there and cannot be read now, or is larger than any state of an SDK.
    package func contents(of path: String) throws(StorageError) -> [UInt8]? {
        guard let size = try storage.size(of: path) else { return nil }
        guard size <= 1 << 26 else { throw StorageError(.other, operation: "take \(size) bytes over from", path: path) }
        return try storage.contents(of: path)
    }
}
