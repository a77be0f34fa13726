// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore

/// The permission of a request to read.
///
/// The request either needs no key or has a valid one. Long-running requests check the permission again, because keys
/// can be revoked.
struct ReadAuthorization: Sendable {
    private let authorization: Authorization
    /// The value of the request's `Authorization` header.
    private let header: String?
    /// Whether the permission depends on a key, which can be revoked.
    let canEnd: Bool

    /// Authorizes a request to read.
    ///
    /// - Parameters:
    ///   - header: The value of the request's `Authorization` header.
    ///   - needsKey: Whether reading needs a key.
    /// - Throws: ``RequestFailure`` if a key is needed and the request has no key that permits reading.
    init(_ authorization: Authorization, header: String?, needsKey: Bool) throws(RequestFailure) {
        self.authorization = authorization
        self.header = header
        canEnd = needsKey
        guard needsKey else { return }
        do {
            _ = try authorization.grant(header: header, for: .read)
        } catch {
            throw RequestFailure(error)
        }
    }

    /// Whether the request is still permitted to read.
    var isValid: Bool { !canEnd || authorization.isValid(header: header, for: .read) }

    /// Checks that the request is still permitted to read.
    ///
    /// - Throws: The ``RequestFailure`` that a new request would get, if reading is no longer permitted.
    func check() throws(RequestFailure) {
        guard !isValid else { return }
        do {
            _ = try authorization.grant(header: header, for: .read)
        } catch {
            throw RequestFailure(error)
        }
    }
}
