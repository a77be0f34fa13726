// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector

/// The permission of a request to read.
///
/// Either the request needs no key, or it has a valid one. Keys can be revoked, so requests that take long check again.
struct ReadAuthorization: Sendable {
    private let authorization: Authorization
    /// The value of the request's `Authorization` header.
    private let header: String?
    /// Whether it depends on a key.
    let canEnd: Bool

    /// - Parameters:
    ///   - header: The value of the request's `Authorization` header.
    ///   - needsKey: Whether reading needs a key.
    /// - Throws: ``RequestFailure`` if a key is needed and the request has none that may read.
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

    /// Whether it still permits reading.
    var isInForce: Bool { !canEnd || authorization.isInForce(header: header, for: .read) }

    /// - Throws: The ``RequestFailure`` of a new request, if reading is no longer permitted.
    func check() throws(RequestFailure) {
        guard !isInForce else { return }
        do {
            _ = try authorization.grant(header: header, for: .read)
        } catch {
            throw RequestFailure(error)
        }
    }
}
