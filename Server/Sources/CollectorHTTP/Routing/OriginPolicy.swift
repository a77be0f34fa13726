// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import Hummingbird

/// Which web pages may talk to the collector. None of another origin, unless the configuration names it.
struct OriginPolicy: Sendable {
    let allowed: Set<String>

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
}
