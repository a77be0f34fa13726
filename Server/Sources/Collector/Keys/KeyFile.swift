// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

/// The keys of one collector, in a text file beside its data: one line a key, only hashes.
///
/// Checking a key touches memory only. ``reload()`` looks whether the file has changed; the server calls it about once
/// a second, so that the command line can add and revoke keys while it runs. Safe from any thread. Two processes that
/// change the file at the same moment may lose one change; people do not.
public final class KeyFile: KeyStore {
    private struct State: Sendable {
        var content: [UInt8]?
        var records: [KeyRecord] = []
    }

    /// The file.
    public let path: String
    private let storage: any JournalStorage
    /// A key for demonstrations, known without the file.
    private let development: (digest: KeyDigest, grant: KeyGrant)?
    private let state: Locked<State>

    /// Opens a key file; a missing one holds no keys.
    ///
    /// - Parameters:
    ///   - path: The file, as an absolute path.
    ///   - storage: Where it lies.
    ///   - developmentKey: A key that is accepted for everything beside those of the file; for demonstrations.
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
        // Every record is compared, found or not, so that the time tells nothing about which keys there are.
        for record in state.withLock({ $0.records }) where record.digest.matches(presented) {
            found = record.grant
        }
        if let development, development.digest.matches(presented) { found = found ?? development.grant }
        return found
    }

    public func grant(for account: VendorAccount) -> KeyGrant? {
        // An account's name is no secret, so the first match will do.
        let record = state.withLock { $0.records.first { $0.accounts.contains(account) } }
        return record?.grant ?? development?.grant
    }

    /// The keys of the file, in the order they were made.
    public var records: [KeyRecord] { state.withLock { $0.records } }

    /// Reads the file again if it has changed.
    ///
    /// - Throws: ``KeyFileError``; the keys known before stay in force.
    public func reload() throws(KeyFileError) {
        let content = try read()
        guard content != state.withLock({ $0.content }) else { return }
        let records = try Self.parse(content ?? [], path: path)
        state.withLock { $0 = State(content: content, records: records) }
    }

    /// Makes a key and writes the file, durably.
    ///
    /// - Returns: The key's text: the only time it can be seen.
    /// - Throws: ``KeyFileError``; the file is then as before.
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
                message: "“\(name)” cannot name a key; use 1 to 64 letters, digits, dots, underscores or hyphens"
            )
        }
        try reload()
        var records = records
        if records.contains(where: { $0.name == name }) {
            throw KeyFileError(
                code: .nameTaken,
                message: "\(path) has a key named “\(name)” already; choose another name or revoke that one first"
            )
        }
        if let (other, account) = Self.owner(ofOneOf: accounts, in: records) {
            throw KeyFileError(
                code: .accountTaken,
                message: "the key “\(other)” lets in \(account) already; revoke that one first"
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

    /// Takes a key out of the file, durably; a running server refuses it about a second later.
    ///
    /// - Throws: ``KeyFileError`` `unknown` when there is none of that name.
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
        "# trackway keys, one a line: name scopes created-ms sha256 [format=account …] [rate=n] [daily=n]\n"

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

/// Making the text of a new key.
private enum KeyText {
    // No 0, 1, l, o: a key may be read aloud.
    private static let alphabet = Array("23456789abcdefghijkmnpqrstuvwxyz".utf8)

    /// A key such as `tw_w_…` with 260 random bits; the letters behind `tw_` say what it allows.
    static func make(scopes: Set<KeyScope>, using generator: inout some RandomNumberGenerator) -> String {
        var text: [UInt8] = []
        while text.count < 52 {
            // Five bits a letter; 12 letters from one number.
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

/// Why a key file could not be used or changed.
public struct KeyFileError: Error, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Sendable, Hashable {
        /// The file cannot be read or written.
        case storage
        /// A line is not a key's.
        case malformed
        /// The name is taken.
        case nameTaken = "name_taken"
        /// The name has characters a key's name may not have.
        case nameInvalid = "name_invalid"
        /// Another key lets in the account already.
        case accountTaken = "account_taken"
        /// There is no key of that name.
        case unknown
    }

    /// What kind of failure it is.
    public var code: Code
    /// One sentence with the file at fault and the remedy.
    public var message: String

    public var description: String { message }
}
