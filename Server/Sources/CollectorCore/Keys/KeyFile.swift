// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// The keys of a collector, stored in a text file.
///
/// The file is next to the collector's data.
///
/// The file has one line per key and contains only hashes of keys.
///
/// Checking a key only reads memory. ``reload()`` checks whether the file has changed; the server calls it about once a
/// second, so that the command line can add and revoke keys while the server runs. Thread-safe. If two processes change
/// the file at the same moment, one change may be lost; in practice, operators do not do this.
public final class KeyFile: KeyStore {
    private struct State: Sendable {
        var content: [UInt8]?
        var records: [KeyRecord] = []
    }

    /// The path of the file.
    public let path: String
    private let storage: any JournalStorage
    /// A key for demonstrations that is not in the file.
    private let development: (digest: KeyDigest, grant: KeyGrant)?
    private let state: Locked<State>

    /// Opens a key file; a missing file contains no keys.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the file.
    ///   - storage: The storage of the file.
    ///   - developmentKey: A key that is accepted for everything, in addition to those in the file; for demonstrations.
    /// - Throws: ``KeyFileError`` `storage` or `malformed`.
    public init(
        path: String,
        storage: any JournalStorage = DiskStorage(),
        developmentKey: String? = nil
    ) throws(KeyFileError) {
        self.path = path
        self.storage = storage
        development = developmentKey.map {
            (KeyDigest(of: $0), KeyGrant(name: "development", scopes: Set(KeyScope.allCases), accounts: nil))
        }
        state = Locked(State())
        try reload()
    }

    public func grant(for key: String) -> KeyGrant? {
        let presented = KeyDigest(of: key)
        var found: KeyGrant?
        // Compare every record, found or not, so that the timing reveals nothing about existing keys.
        for record in state.withLock({ $0.records }) where record.digest.matches(presented) {
            found = record.grant
        }
        if let development, development.digest.matches(presented) { found = found ?? development.grant }
        return found
    }

    public func grant(for account: VendorAccount) -> KeyGrant? {
        // An account's name is not a secret, so the first match is enough.
        let record = state.withLock { $0.records.first { $0.accounts.contains(account) } }
        return record?.grant ?? development?.grant
    }

    /// The keys of the file, in the order of their creation.
    public var records: [KeyRecord] { state.withLock { $0.records } }

    /// The grants of the file's keys and of the demonstration key.
    public var grants: [KeyGrant] { records.map(\.grant) + (development.map { [$0.grant] } ?? []) }

    /// Reads the file again if it has changed.
    ///
    /// - Throws: ``KeyFileError``, in which case the previous keys remain valid.
    public func reload() throws(KeyFileError) {
        let content = try read()
        guard content != state.withLock({ $0.content }) else { return }
        let records = try Self.parse(content ?? [], path: path)
        state.withLock { $0 = State(content: content, records: records) }
    }

    /// Creates a key and writes the file durably.
    ///
    /// - Returns: The key's text, which cannot be retrieved later.
    /// - Throws: ``KeyFileError``, in which case the file is unchanged.
    public func create(
        name: String,
        scopes: Set<KeyScope>,
        accounts: [VendorAccount] = [],
        limits: KeyLimits = KeyLimits(),
        at time: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(KeyFileError) -> String {
        guard KeyRecord.isValid(name: name) else {
            throw KeyFileError(
                code: .nameInvalid,
                message: "“\(name)” is not a valid key name; use 1 to 64 letters, digits, dots, underscores or hyphens"
            )
        }
        try reload()
        var records = records
        if records.contains(where: { $0.name == name }) {
            throw KeyFileError(
                code: .nameTaken,
                message: "\(path) already has a key named “\(name)”; choose another name or revoke that one first"
            )
        }
        if let (other, account) = Self.owner(ofOneOf: accounts, in: records) {
            throw KeyFileError(
                code: .accountTaken,
                message: "the key “\(other)” already allows \(account); revoke that one first"
            )
        }
        let key = KeyText.make(scopes: scopes, using: &generator)
        records.append(
            KeyRecord(
                name: name,
                scopes: scopes,
                created: time,
                digest: KeyDigest(of: key),
                accounts: accounts,
                limits: limits
            )
        )
        try write(records)
        return key
    }

    /// Removes a key from the file durably.
    ///
    /// A running server rejects it about a second later.
    ///
    /// - Throws: ``KeyFileError`` `unknown` if the file has no key with that name.
    public func revoke(name: String) throws(KeyFileError) {
        try reload()
        let kept = records.filter { $0.name != name }
        guard kept.count < records.count else {
            throw KeyFileError(code: .unknown, message: "\(path) has no key named “\(name)”")
        }
        try write(kept)
    }

    private static func owner(
        ofOneOf accounts: [VendorAccount],
        in records: [KeyRecord]
    ) -> (name: String, account: VendorAccount)? {
        for record in records {
            if let account = record.accounts.first(where: accounts.contains) { return (record.name, account) }
        }
        return nil
    }

    private func read() throws(KeyFileError) -> [UInt8]? {
        do {
            return try storage.contents(of: path)
        } catch {
            throw KeyFileError(code: .storage, message: "the key file could not be read: \(error)")
        }
    }

    private func write(_ records: [KeyRecord]) throws(KeyFileError) {
        let text = Self.heading + records.map { $0.line + "\n" }.joined()
        do {
            try storage.replace(path, with: Array(text.utf8), durably: true)
        } catch {
            throw KeyFileError(code: .storage, message: "the key file could not be written: \(error)")
        }
        state.withLock { $0 = State(content: Array(text.utf8), records: records) }
    }

    private static let heading =
        "# trackway keys, one per line: name scopes created-ms sha256 [format=account …] [rate=n] [daily=n]\n"

    private static func parse(_ content: [UInt8], path: String) throws(KeyFileError) -> [KeyRecord] {
        var records: [KeyRecord] = []
        for (index, bytes) in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = String(decoding: bytes, as: UTF8.self)
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let record = KeyRecord(line: line) else {
                throw KeyFileError(
                    code: .malformed,
                    message:
                        "\(path), line \(index + 1) is not a key: expected “name scopes created-ms sha256 [format=account …] [rate=n] [daily=n]”"
                )
            }
            records.append(record)
        }
        return records
    }
}

/// Generates the text of new keys.
private enum KeyText {
    // The alphabet omits 0, 1, l, and o because a key may be read aloud.
    private static let alphabet = Array("23456789abcdefghijkmnpqrstuvwxyz".utf8)

    /// Returns a key such as `tw_w_…` with 260 random bits.
    ///
    /// The letters after `tw_` are the initials of its scopes.
    static func make(scopes: Set<KeyScope>, using generator: inout some RandomNumberGenerator) -> String {
        var text: [UInt8] = []
        while text.count < 52 {
            // Each letter takes five bits, so one number provides 12 letters.
            var bits: UInt64 = generator.next()
            for _ in 0..<min(12, 52 - text.count) {
                text.append(alphabet[Int(bits & 31)])
                bits >>= 5
            }
        }
        let letters = KeyScope.allCases.filter(scopes.contains).map { String($0.rawValue.prefix(1)) }.joined()
        return "tw_\(letters)_" + String(decoding: text, as: UTF8.self)
    }
}

/// The reason why a key file could not be used or changed.
public struct KeyFileError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable {
        /// The file cannot be read or written.
        case storage
        /// A line is not a valid key.
        case malformed
        /// The name is already taken.
        case nameTaken = "name_taken"
        /// The name is not valid for a key.
        case nameInvalid = "name_invalid"
        /// Another key already allows the account.
        case accountTaken = "account_taken"
        /// The file has no key with that name.
        case unknown
    }

    /// The kind of failure.
    public var code: Code
    /// A sentence that names the affected file and the remedy.
    public var message: String

    public var description: String { message }
}
