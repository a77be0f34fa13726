// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Security)
internal import Foundation
internal import Security
public import TrackwayJournal

extension EncryptionKey {
    /// Returns an app's key from the Keychain.
    ///
    /// The first call generates the key. The key can be read once the device has been unlocked since boot. It stays on
    /// this device and is not part of backups. Files that are restored without the key cannot be read, which
    /// ``KeychainError`` and `Analytics.init` then report. The Keychain outlives the app: after a reinstallation, the
    /// app finds the same key.
    ///
    /// - Parameters:
    ///   - name: A name that distinguishes several keys of one app.
    ///   - accessGroup: The access group of processes that share a folder; nil for the app's own group.
    /// - Throws: ``KeychainError``, usually because the device has not been unlocked since boot. In this case, create
    ///   the `Analytics` later. A key that cannot be read is never replaced by a new one.
    public static func inKeychain(
        named name: String = "trackway.encryption",
        accessGroup: String? = nil
    ) throws(KeychainError) -> EncryptionKey {
        if let known = try find(name, accessGroup) { return known }
        let fresh: EncryptionKey
        do throws(StorageError) {
            fresh = try generate()
        } catch {
            throw KeychainError(status: Int32(errSecNotAvailable))
        }
        var item = query(name, accessGroup)
        item[kSecValueData] = fresh.withBytes { Data($0) }
        item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let status = SecItemAdd(item as CFDictionary, nil)
        // Another process of the app has stored a key in the meantime, so use that key.
        if status == errSecDuplicateItem, let known = try find(name, accessGroup) { return known }
        guard status == errSecSuccess else { throw KeychainError(status: status) }
        return fresh
    }

    private static func query(_ name: String, _ accessGroup: String?) -> [CFString: any Sendable] {
        var query: [CFString: any Sendable] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "trackway.encryption" as CFString,
            kSecAttrAccount: name as CFString,
            kSecUseDataProtectionKeychain: true,
        ]
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup as CFString }
        return query
    }

    private static func find(_ name: String, _ accessGroup: String?) throws(KeychainError) -> EncryptionKey? {
        var query = query(name, accessGroup)
        query[kSecReturnData] = true
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = found as? Data else { throw KeychainError(status: status) }
        return EncryptionKey(data)
    }
}

/// The reason why the Keychain returned no key.
public struct KeychainError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's `OSStatus`.
    public let status: Int32

    /// The problem and the remedy, as a sentence.
    public var description: String {
        status == errSecInteractionNotAllowed
            ? "the Keychain cannot be read before the device is first unlocked; create the Analytics after that"
            : "the Keychain returned no key (OSStatus \(status))"
    }
}
#endif
