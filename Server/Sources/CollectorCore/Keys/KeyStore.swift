// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Looks up what keys and accounts are allowed to do.
public protocol KeyStore: Sendable {
    /// Returns the grant of a presented key.
    ///
    /// Nil if the key is unknown or revoked.
    ///
    /// Takes the same time for every unknown key. Thread-safe; never blocks on a file.
    func grant(for key: String) -> KeyGrant?
    /// Returns the grant of the key for an account of another format.
    ///
    /// Nil if there is no such key. Callable from any thread; never blocks on a file.
    func grant(for account: VendorAccount) -> KeyGrant?
    /// The names and permissions of all keys, in the order of their creation.
    var grants: [KeyGrant] { get }
    /// Loads changes made by other processes.
    ///
    /// Blocks at most for a short file read.
    ///
    /// - Throws: ``KeyFileError``, in which case the previous keys remain valid.
    func reload() throws(KeyFileError)
}

extension KeyStore {
    /// The default for a store that cannot list its keys.
    public var grants: [KeyGrant] { [] }
}

/// A known key's name and permissions, without the key itself.
public struct KeyGrant: Sendable, Hashable {
    /// The name that the operator gave the key.
    public var name: String
    /// The allowed scopes.
    public var scopes: Set<KeyScope>
    /// The accounts of other formats that the key was created for.
    ///
    /// Nil for all accounts.
    public var accounts: [VendorAccount]?
    /// The key's own limits, if any.
    public var limits: KeyLimits

    /// Creates a grant with a name.
    public init(
        name: String,
        scopes: Set<KeyScope>,
        accounts: [VendorAccount]? = [],
        limits: KeyLimits = KeyLimits()
    ) {
        self.name = name
        self.scopes = scopes
        self.accounts = accounts
        self.limits = limits
    }

    /// Returns a check's result, or throws its error with this key's name.
    public func withNameInErrors<Result>(
        _ check: () throws(AdmissionError) -> Result
    ) throws(AdmissionError) -> Result {
        do throws(AdmissionError) {
            return try check()
        } catch {
            var named = error
            named.key = name
            throw named
        }
    }

    /// Whether the key was created for an account.
    public func allows(_ account: VendorAccount) -> Bool { accounts?.contains(account) ?? true }
}

/// The permissions of a key.
///
/// A key with the write scope cannot read unless it was created with both scopes.
public enum KeyScope: String, Sendable, Hashable, CaseIterable {
    /// Sending events.
    case write
    /// Reading events, the ledger and metrics.
    case read
}

/// The account that a client of another format names in every request.
///
/// Clients of Clickstream, Sensors Analytics and SAP Mobile Services send no key: the key created for the account
/// authorizes them. Clients of Sift send that key.
public enum VendorAccount: Sendable, Hashable, CustomStringConvertible {
    /// The `appId` of Clickstream.
    case clickstreamApp(String)
    /// The `project` of Sensors Analytics.
    case sensorsProject(String)
    /// The account id of Sift.
    case siftAccount(String)
    /// The application of SAP Mobile Services.
    case sapApplication(String)

    /// Whether a name is valid for an account.
    ///
    /// Valid names have 1 to 128 letters, digits, `.`, `_`, or `-`.
    public static func isValid(name: String) -> Bool {
        (1...128).contains(name.utf8.count) && name.utf8.allSatisfy(KeyRecord.isAllowedInName)
    }

    /// The account in the key file's form, such as `clickstream=shopping`.
    public var description: String {
        switch self {
        case .clickstreamApp(let name): "clickstream=" + name
        case .sensorsProject(let name): "sensors=" + name
        case .siftAccount(let name): "sift=" + name
        case .sapApplication(let name): "sap=" + name
        }
    }

    /// Reads an account in the key file's form; nil if invalid.
    init?(word: some StringProtocol) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isValid(name: String(parts[1])) else { return nil }
        switch parts[0] {
        case "clickstream": self = .clickstreamApp(String(parts[1]))
        case "sensors": self = .sensorsProject(String(parts[1]))
        case "sift": self = .siftAccount(String(parts[1]))
        case "sap": self = .sapApplication(String(parts[1]))
        default: return nil
        }
    }
}
