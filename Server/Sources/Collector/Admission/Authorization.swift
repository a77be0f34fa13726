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

    private static func key(_ header: String) -> String? {
        let scheme = "bearer "
        guard header.utf8.count > scheme.utf8.count, header.utf8.count <= 512,
            header.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        let key = header.dropFirst(scheme.count).drop { $0 == " " }
        return key.isEmpty ? nil : String(key)
    }
}
