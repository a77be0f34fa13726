// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Security)
internal import Foundation
internal import Security
public import TrackwayJournal

extension EncryptionKey {
    /// The key that the Keychain keeps for an app, made with the first call.
    ///
    /// It can be read once the device was unlocked after its start, stays on this device, and is in no back-up: files that are
    /// restored without it cannot be read, which is what ``KeychainError`` and `Analytics.init` then say. The Keychain outlives
    /// the app: installed again, the app finds the same key.
    ///
    /// - Parameters:
    ///   - name: tells several keys of an app apart.
    ///   - accessGroup: for processes that share a folder; nil for the app's own.
    /// - Throws: ``KeychainError``, before the first unlock above all: then make the `Analytics` later. No key is made in place of
    ///   one that cannot be read.
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
        // Another process of the app was quicker; its key counts.
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

/// Why the Keychain gave no key.
public struct KeychainError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's `OSStatus`.
    public let status: Int32

    /// A sentence for people, with the remedy.
    public var description: String {
        status == errSecInteractionNotAllowed
            ? "the Keychain cannot be read before the device was unlocked once; make the Analytics after that"
            : "the Keychain gave no key (OSStatus \(status))"
    }
}
#endif
