// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes

/// What a path and a method mean.
enum Route: Sendable, Hashable {
    case postEvents
    case listEvents
    case event(id: String)
    case wait
    case live
    case ledger
    case failed
    case rate
    case stats
    case time
    case livez
    case readyz
    case metrics
    case asset(path: String)
    /// A browser asks whether a page of another origin may send.
    case preflight

    /// Whether the route shows what was recorded, so that a key for reading may be asked for.
    var reads: Bool {
        switch self {
        case .listEvents, .event, .wait, .live, .ledger, .failed, .rate, .stats, .metrics: true
        case .postEvents, .time, .livez, .readyz, .asset, .preflight: false
        }
    }

    /// Finds the route of a request.
    ///
    /// - Throws: ``RequestFailure`` `not_found` or `method_not_allowed`.
    static func find(
        method: HTTPRequest.Method,
        path: String,
        assets: (String) -> Bool
    ) throws(RequestFailure) -> Route {
        if path == "/v1/events", method == .post { return .postEvents }
        if method == .options, path.hasPrefix("/v1/") { return .preflight }
        guard let route = reading(path, assets: assets) else {
            throw .notFound("There is nothing at \(path.prefix(128)).")
        }
        guard method == .get || method == .head else {
            let allowed = path == "/v1/events" ? "GET, HEAD, POST" : "GET, HEAD"
            throw RequestFailure(
                status: .methodNotAllowed,
                code: "method_not_allowed",
                field: "method",
                message: "\(path.prefix(128)) takes \(allowed), not \(method.rawValue.prefix(16)).",
                headers: [.allow: allowed]
            )
        }
        return route
    }

    private static func reading(_ path: String, assets: (String) -> Bool) -> Route? {
        switch path {
        case "/v1/events": .listEvents
        case "/v1/wait": .wait
        case "/v1/live": .live
        case "/v1/ledger": .ledger
        case "/v1/failed": .failed
        case "/v1/rate": .rate
        case "/v1/stats": .stats
        case "/v1/time": .time
        case "/livez": .livez
        case "/readyz": .readyz
        case "/metrics": .metrics
        default:
            if path.hasPrefix("/v1/events/"), path.utf8.count > 11, !path.dropFirst(11).contains("/") {
                .event(id: String(path.dropFirst(11)))
            } else if assets(path) {
                .asset(path: path)
            } else {
                nil
            }
        }
    }
}
