// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector

/// What permits a request to read: that it needs no key, or the key it came with. Keys can be revoked, so what takes long
/// asks again.
struct ReadPass: Sendable {
    private let authorization: Authorization
    /// What the request said in `Authorization`.
    private let header: String?
    /// Whether it hangs on a key.
    let canEnd: Bool

    /// - Parameters:
    ///   - header: What the request says in `Authorization`.
    ///   - needsKey: Whether reading needs a key.
    /// - Throws: ``RequestFailure`` when it needs one and the request has none that is good for reading.
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

    /// Whether it still lets read.
    var isInForce: Bool { !canEnd || authorization.isInForce(header: header, for: .read) }

    /// - Throws: ``RequestFailure`` as a new request would get, when it lets read no more.
    func check() throws(RequestFailure) {
        guard !isInForce else { return }
        do {
            _ = try authorization.grant(header: header, for: .read)
        } catch {
            throw RequestFailure(error)
        }
    }
}
