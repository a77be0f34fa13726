// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import Hummingbird

/// Which web pages may talk to the collector. None of another origin, unless the configuration names it.
struct OriginPolicy: Sendable {
    let allowed: Set<String>
    /// Whether only names of this machine are accepted in `Host`.
    ///
    /// A collector on the loopback shows events without a key. A hostile page could point a name of its own at the
    /// loopback and read them (DNS rebinding); its name would stand in `Host`.
    let requiresLocalHost: Bool

    /// Refuses a request that came under a foreign name.
    func checkHost(_ request: Request) throws(RequestFailure) {
        guard requiresLocalHost, let authority = request.head.authority ?? request.headers[Self.host] else { return }
        let host: Substring
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = authority[...end]
        } else {
            host = authority.prefix { $0 != ":" }
        }
        guard host.isEmpty || CollectorConfiguration.isLoopback(host.lowercased()) else {
            throw RequestFailure(
                status: .misdirectedRequest,
                code: "wrong_host",
                field: "host",
                message: "This collector answers on this machine only, not as “\(host.prefix(128))”."
            )
        }
    }

    /// Answers a browser's question whether a page may send.
    func preflight(_ request: Request) throws(RequestFailure) -> Response {
        guard let origin = request.headers[.origin], allowed.contains(origin) else {
            throw RequestFailure(
                status: .forbidden,
                code: "origin_refused",
                field: "origin",
                message: "Pages of this origin may not send; allow it with --allow-origin."
            )
        }
        var headers: HTTPFields = [
            .accessControlAllowMethods: "POST, PUT, GET",
            .accessControlAllowHeaders: "authorization, content-type, content-encoding, trackway-batch",
            .accessControlMaxAge: "600",
        ]
        Answer.protect(&headers)
        return Response(status: .noContent, headers: headers)
    }

    /// Lets the page of an allowed origin read the answer.
    func mark(_ response: inout Response, for request: Request) {
        guard !allowed.isEmpty else { return }
        response.headers[.vary] = "Origin"
        guard let origin = request.headers[.origin], allowed.contains(origin) else { return }
        response.headers[.accessControlAllowOrigin] = origin
    }

    private static let host = Answer.name("host")
}
