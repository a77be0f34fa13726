// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Who may do what, from a request's `Authorization` header.
package struct Authorization: Sendable {
    private let keys: any KeyStore

    /// Authorization by these keys.
    package init(keys: any KeyStore) {
        self.keys = keys
    }

    /// The grant behind an `Authorization: Bearer <key>` header, if it allows `scope`.
    ///
    /// - Throws: ``AdmissionError`` `key_missing`, `key_unknown` or `key_forbidden`.
    package func grant(header: String?, for scope: KeyScope) throws(AdmissionError) -> KeyGrant {
        guard let key = header.flatMap(Self.key) else {
            throw AdmissionError(
                .unauthorized,
                code: "key_missing",
                field: "authorization",
                message: "Send a key as “Authorization: Bearer <key>”; make one with “trackway keys create”."
            )
        }
        guard let grant = keys.grant(for: key) else {
            throw AdmissionError(
                .unauthorized,
                code: "key_unknown",
                field: "authorization",
                message: "The key is not known here, or was revoked."
            )
        }
        guard grant.scopes.contains(scope) else {
            throw AdmissionError(
                .forbidden,
                code: "key_forbidden",
                field: "authorization",
                message: "The key “\(grant.name)” does not allow to \(scope.rawValue)."
            )
        }
        return grant
    }

    /// The grant behind an account of another format, whose clients usually send no key. A key that is sent must be a
    /// good one, and is then enough.
    ///
    /// - Throws: ``AdmissionError`` `account_unknown`, or as ``grant(header:for:)``.
    package func grant(account: VendorAccount, header: String?) throws(AdmissionError) -> KeyGrant {
        if let header { return try grant(header: header, for: .write) }
        guard let grant = keys.grant(for: account) else {
            let (kind, option, name) =
                switch account {
                case .clickstreamApp(let name): ("app", "--clickstream-app", name)
                case .sensorsProject(let name): ("project", "--sensors-project", name)
                }
            throw AdmissionError(
                .forbidden,
                code: "account_unknown",
                field: kind == "app" ? "appId" : "project",
                message:
                    "The \(kind) “\(name.prefix(128))” is not known here; make a key for it with “trackway keys create NAME \(option) …”."
            )
        }
        guard grant.scopes.contains(.write) else {
            throw AdmissionError(
                .forbidden,
                code: "key_forbidden",
                message: "The key “\(grant.name)” does not allow to write."
            )
        }
        return grant
    }

    /// Whether a key that lets in one account lets in another as well.
    package func allows(_ account: VendorAccount, for grant: KeyGrant) -> Bool {
        keys.grant(for: account)?.name == grant.name
    }

    private static func key(_ header: String) -> String? {
        let scheme = "bearer "
        guard header.utf8.count > scheme.utf8.count, header.utf8.count <= 512,
            header.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        let key = header.dropFirst(scheme.count).drop { $0 == " " }
        return key.isEmpty ? nil : String(key)
    }
}
