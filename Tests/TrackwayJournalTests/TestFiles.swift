// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayPlatform

@testable import TrackwayJournal

/// The storage format of an installation's files in a test.
enum TestFiles: String, CaseIterable {
    case plain
    case encrypted

    /// The bytes of a frame in addition to its payload and header.
    var overhead: Int { self == .plain ? 0 : FrameEncryptor.overhead }

    func storage(in root: String) -> any JournalStorage {
        switch self {
        case .plain: DiskStorage()
        case .encrypted: EncryptedStorage.keyed(TestKey.first, in: root)
        }
    }
}

/// Keys for tests.
enum TestKey {
    static let first = EncryptionKey(Array(0..<32))
    static let second = EncryptionKey(Array(100..<132))
    static let third = EncryptionKey(Array(200..<232))
}

extension EncryptedStorage {
    /// Creates a storage with test keys, on the real disk by default.
    static func keyed(
        _ key: EncryptionKey,
        previous: [EncryptionKey] = [],
        in root: String,
        _ base: any JournalStorage = DiskStorage()
    ) -> EncryptedStorage {
        let keys = FolderKeys(.key(key, previous: previous), cipher: SystemCipher.make)
        return EncryptedStorage(base, root: root, keys: keys)
    }

    /// Creates a storage without keys, which detects encrypted files.
    static func unkeyed(in root: String) -> EncryptedStorage {
        EncryptedStorage(DiskStorage(), root: root, keys: nil)
    }
}
