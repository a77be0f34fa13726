// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDestinationKit

/// Authorizes requests by their `Authorization` headers and applies the keys' limits.
public struct Authorization: Sendable {
    private let keys: any KeyStore
    private let meter: KeyMeter
    private let guest: KeyGrant?

    /// Creates an authorization with these keys.
    ///
    /// - Parameters:
    ///   - meter: Counts the requests and events of each key; by default, only keys with their own limits are limited.
    ///   - guest: The grant for requests without a key or with an unknown one; nil for none.
    public init(keys: any KeyStore, meter: KeyMeter = KeyMeter(), guest: KeyGrant? = nil) {
        self.keys = keys
        self.meter = meter
        self.guest = guest
    }

    /// The names and permissions of all keys.
    public var grants: [KeyGrant] { keys.grants }

    /// Returns the grant for an `Authorization: Bearer <key>` header.
    ///
    /// The grant allows `scope`. The call counts as a request with that key.
    ///
    /// - Throws: ``AdmissionError`` `key_missing`, `key_unknown`, `key_forbidden`, `key_rate` or `key_quota`.
    public func grant(header: String?, for scope: KeyScope) throws(AdmissionError) -> KeyGrant {
        let grant = try known(header: header, for: scope)
        try grant.withNameInErrors { () throws(AdmissionError) in try meter.admit(grant, for: scope) }
        return grant
    }

    /// Whether a request with this header would still be granted access.
    ///
    /// Does not count as a request.
    public func isValid(header: String?, for scope: KeyScope) -> Bool {
        do {
            _ = try known(header: header, for: scope)
            return true
        } catch {
            // The reason does not matter here: the next request reports it.
            return false
        }
    }

    /// Identifies the key of an `Authorization: Bearer <key>` header.
    ///
    /// Does not count as a request.
    public func identify(header: String?) -> KeyIdentity {
        guard let key = header.flatMap(Self.key) else { return .missing }
        return keys.grant(for: key).map(KeyIdentity.known) ?? .unknown
    }

    /// Counts events that were sent with a grant.
    public func charge(_ grant: KeyGrant, events: Int) { meter.charge(grant, events: events) }

    private func known(header: String?, for scope: KeyScope) throws(AdmissionError) -> KeyGrant {
        guard let key = header.flatMap(Self.key) else {
            if let guest { return guest }
            throw AdmissionError(
                .unauthorized,
                code: .keyMissing,
                field: "authorization",
                message: "Send a key as “Authorization: Bearer <key>”; create one with “trackway keys create”."
            )
        }
        guard let grant = keys.grant(for: key) ?? guest else {
            throw AdmissionError(
                .unauthorized,
                code: .keyUnknown,
                field: "authorization",
                message: "The key is unknown or was revoked."
            )
        }
        try grant.withNameInErrors { () throws(AdmissionError) in
            guard grant.scopes.contains(scope) else {
                throw AdmissionError(
                    .forbidden,
                    code: .keyForbidden,
                    field: "authorization",
                    message: "The key “\(grant.name)” does not have the scope “\(scope.rawValue)”."
                )
            }
        }
        return grant
    }

    /// Returns the grant for an account of another format.
    ///
    /// Clients of these formats usually send no key. If a key is sent, it must be valid and have been created for the
    /// account.
    ///
    /// - Throws: ``AdmissionError`` `account_unknown` or `account_forbidden`, or the errors of ``grant(header:for:)``.
    public func grant(account: VendorAccount, header: String?) throws(AdmissionError) -> KeyGrant {
        if let header {
            let grant = try grant(header: header, for: .write)
            try check(grant, allows: account)
            return grant
        }
        guard let grant = keys.grant(for: account) ?? guest else {
            let (kind, field, option, name) = Self.words(account)
            throw AdmissionError(
                .forbidden,
                code: .accountUnknown,
                field: field,
                message:
                    """
                    The \(kind) “\(name.prefix(128))” is unknown; \
                    create a key for it with “trackway keys create NAME \(option) …”.
                    """
            )
        }
        try grant.withNameInErrors { () throws(AdmissionError) in
            guard grant.scopes.contains(.write) else {
                throw AdmissionError(
                    .forbidden,
                    code: .keyForbidden,
                    message: "The key “\(grant.name)” does not have the scope “write”."
                )
            }
            try meter.admit(grant, for: .write)
        }
        return grant
    }

    /// Returns the grant for an `Authorization: Basic base64(<key>)` header.
    ///
    /// Clients that know an account and its key send this header. A colon may follow the key, as after a user name. The
    /// key must have been created for the account.
    ///
    /// - Throws: ``AdmissionError`` `key_missing`, `key_unknown`, `key_forbidden` or `account_forbidden`.
    public func grant(basic header: String?, for account: VendorAccount) throws(AdmissionError) -> KeyGrant {
        guard let key = header.flatMap(Self.basicKey) else {
            if guest != nil { return try grant(header: nil, for: .write) }
            let option = Self.words(account).option
            throw AdmissionError(
                .unauthorized,
                code: .keyMissing,
                field: "authorization",
                message:
                    """
                    Send a key as “Authorization: Basic <base64 of the key>”; create one with \
                    “trackway keys create NAME \(option) …”.
                    """
            )
        }
        let grant = try grant(header: "Bearer " + key, for: .write)
        try check(grant, allows: account)
        return grant
    }

    private func check(_ grant: KeyGrant, allows account: VendorAccount) throws(AdmissionError) {
        guard !grant.allows(account) else { return }
        let (kind, field, option, name) = Self.words(account)
        var error = AdmissionError(
            .forbidden,
            code: .accountForbidden,
            field: field,
            message:
                """
                The key “\(grant.name)” is not for the \(kind) “\(name.prefix(128))”; create one with \
                “trackway keys create NAME \(option) …”.
                """
        )
        error.key = grant.name
        throw error
    }

    /// Returns the terms that messages use for an account.
    ///
    /// The terms are the account's kind, the field that names it, the option that creates a key for it, and its name.
    private static func words(_ account: VendorAccount) -> (kind: String, field: String, option: String, name: String) {
        switch account {
        case .clickstreamApp(let name): ("app", "appId", "--clickstream-app", name)
        case .sensorsProject(let name): ("project", "project", "--sensors-project", name)
        case .siftAccount(let name): ("account", "account", "--sift-account", name)
        case .sapApplication(let name): ("application", "application", "--sap-application", name)
        }
    }

    /// Whether a grant also allows another account.
    public func allows(_ account: VendorAccount, for grant: KeyGrant) -> Bool {
        grant.allows(account)
    }

    private static func key(_ header: String) -> String? { credentials("bearer ", of: header) }

    private static func basicKey(_ header: String) -> String? {
        // A bearer key is accepted as well.
        if let key = key(header) { return key }
        guard let text = credentials("basic ", of: header),
            let bytes = Array(text.utf8).withUnsafeBytes({ Base64.decodeLeniently($0) }),
            let name = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).first,
            let key = String(validating: name, as: UTF8.self), !key.isEmpty
        else { return nil }
        return key
    }

    private static func credentials(_ scheme: String, of header: String) -> String? {
        guard header.utf8.count > scheme.utf8.count, header.utf8.count <= 512,
            header.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        let text = header.dropFirst(scheme.count).drop { $0 == " " }
        return text.isEmpty ? nil : String(text)
    }
}

/// The key of a request, regardless of what the request may do.
public enum KeyIdentity: Sendable, Hashable {
    /// The request has no key.
    case missing
    /// The key does not exist or was revoked.
    case unknown
    /// The key exists.
    case known(KeyGrant)

    /// The grant of a key that exists; nil for none.
    public var grant: KeyGrant? {
        if case .known(let grant) = self { grant } else { nil }
    }
}
