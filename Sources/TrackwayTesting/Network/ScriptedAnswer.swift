// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayWire

/// What a ``ScriptedTransport`` does with one request.
public enum ScriptedAnswer: Sendable, Hashable {
    /// The back-end takes every event, and answers as Trackway's collector does.
    case accept
    /// The back-end takes every event but those at the given places of the body, which it refuses with a code; it
    /// answers as Trackway's collector does.
    case acceptAllBut([Int: String])
    /// The back-end takes every event, but its answer is lost on the way.
    case loseAnswer
    /// This answer, with no event taken.
    case respond(WireResponse)
    /// The network fails; the request reaches nobody.
    case fail(TransportError)

    /// A status, with no event taken, as Trackway's collector answers an error.
    public static func status(_ status: Int, code: String = "error", headers: WireHeaders = [:]) -> ScriptedAnswer {
        var headers = headers
        headers["content-type"] = "application/json"
        let body = #"{"error":{"code":"\#(code)","field":"","message":"scripted"}}"#
        return .respond(WireResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    /// A page with status 200 from something between app and back-end, as in hotels and trains.
    public static let captivePortal = ScriptedAnswer.respond(
        WireResponse(
            status: 200,
            headers: ["content-type": "text/html"],
            body: Array("<html><body>Please sign in to use the network.</body></html>".utf8)
        )
    )
}
