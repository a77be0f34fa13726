// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayPlatform

@testable import TrackwayJournal

/// How an installation's files are kept in a test.
enum TestFiles: String, CaseIterable {
    case plain
    case encrypted

    /// By how much a frame is longer than its payload and header.
    var overhead: Int { self == .plain ? 0 : FrameEncryptor.overhead }

    func storage(in root: String) -> any JournalStorage {
        switch self {
        case .plain: DiskStorage()
        case .encrypted: EncryptedStorage.keyed(TestKey.first, in: root)
        }
    }
}

/// Keys of tests.
enum TestKey {
    static let first = EncryptionKey(Array(0..<32))
    static let second = EncryptionKey(Array(100..<132))
    static let third = EncryptionKey(Array(200..<232))
}

extension EncryptedStorage {
    /// A storage with keys of a test, on the real disk unless told otherwise.
    static func keyed(
        _ key: EncryptionKey,
        previous: [EncryptionKey] = [],
        in root: String,
        _ base: any JournalStorage = DiskStorage()
    ) -> EncryptedStorage {
        let keys = FolderKeys(.key(key, previous: previous), cipher: SystemCipher.make)
        return EncryptedStorage(base, root: root, keys: keys)
    }

    /// A storage without keys, which knows encrypted files when it meets them.
    static func unkeyed(in root: String) -> EncryptedStorage {
        EncryptedStorage(DiskStorage(), root: root, keys: nil)
    }
}
