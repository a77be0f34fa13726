// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Looks up what keys and accounts are allowed to do.
public protocol KeyStore: Sendable {
    /// Returns what a presented key allows.
    ///
    /// Nil if it is unknown or revoked.
    ///
    /// Takes the same time for every unknown key. Callable from any thread; never blocks on a file.
    func grant(for key: String) -> KeyGrant?
    /// Returns the grant of the key for an account of another format.
    ///
    /// Nil without such a key. Callable from any thread; never blocks on a file.
    func grant(for account: VendorAccount) -> KeyGrant?
    /// Loads changes made by other processes.
    ///
    /// Blocks for a short file read at most.
    ///
    /// - Throws: ``KeyFileError``; the previous keys then stay valid.
    func reload() throws(KeyFileError)
}

/// A known key's name and permissions, without the key itself.
public struct KeyGrant: Sendable, Hashable {
    /// The name that the operator gave the key.
    public var name: String
    /// The allowed scopes.
    public var scopes: Set<KeyScope>
    /// The accounts of other formats that it was made for.
    ///
    /// Nil for all of them.
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
    public func namedInErrors<Result>(
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

    /// Whether it was made for an account.
    public func lets(in account: VendorAccount) -> Bool { accounts?.contains(account) ?? true }
}

/// The permissions of a key.
///
/// A key that writes cannot read unless it was made for both.
public enum KeyScope: String, Sendable, Hashable, CaseIterable {
    /// Sending events.
    case write
    /// Reading events, the ledger and metrics.
    case read
}

/// The account that a client of another format names in every request.
///
/// Clients of Clickstream, Sensors Analytics and SAP Mobile Services send no key: the key that was made for the account
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
    /// Valid names have 1 to 128 letters, digits, `.`, `_`, `-`.
    public static func isValid(name: String) -> Bool {
        (1...128).contains(name.utf8.count) && name.utf8.allSatisfy(KeyRecord.mayStandInName)
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

    /// Reads the form of the key file; nil for anything else.
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
