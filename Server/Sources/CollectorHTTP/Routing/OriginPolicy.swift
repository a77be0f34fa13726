// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import Hummingbird

/// Decides which web pages may use the collector.
///
/// Pages of other origins may use the collector only if the configuration allows their origin to send, to read, or
/// both.
///
/// Browsers let any page send certain requests to any server (forms, `fetch` of plain text) and only hide the response
/// from the page. Therefore, where no key is required, a foreign page's request is rejected before it has any effect.
/// Where a key is required, the page would have to know the key, and the browser first sends a preflight request
/// (``preflight(_:)``).
struct OriginPolicy: Sendable {
    /// The way in which a page uses the collector.
    enum Purpose: Sendable {
        case sending
        case reading
    }

    private let senders: Set<String>
    private let readers: Set<String>

    init(_ configuration: CollectorConfiguration) {
        senders = configuration.sendingOrigins
        readers = configuration.readingOrigins
    }

    /// Rejects a request from a page without permission.
    ///
    /// Used where no key is required.
    func check(_ request: Request, for purpose: Purpose) throws(RequestFailure) {
        guard let page = Self.page(sending: request, for: purpose) else { return }
        guard let origin = page.origin, allowed(purpose).contains(origin) else {
            throw refusal(page.origin ?? "another site", purpose)
        }
    }

    /// Rejects requests from pages other than the collector's own.
    ///
    /// Used where no key is required.
    func checkIsOwn(_ request: Request) throws(RequestFailure) {
        guard let page = Self.page(sending: request, for: .reading) else { return }
        throw RequestFailure(
            status: .forbidden,
            code: .originRefused,
            field: "origin",
            message:
                """
                Pages from “\((page.origin ?? "another site").prefix(128))” cannot change boards and alerts; \
                only the collector's own page can.
                """
        )
    }

    /// Responds to a browser's preflight request for a page.
    func preflight(_ request: Request) throws(RequestFailure) -> Response {
        let purpose = Self.purpose(ofPreflight: request)
        guard let origin = Self.origin(of: request), allowed(purpose).contains(origin) else {
            throw refusal(Self.origin(of: request) ?? "no origin", purpose)
        }
        var headers: HTTPFields =
            switch purpose {
            case .sending:
                [
                    .accessControlAllowMethods: "POST, PUT",
                    .accessControlAllowHeaders:
                        "authorization, content-type, content-encoding, trackway-batch, dry-run",
                ]
            case .reading:
                [
                    .accessControlAllowMethods: "GET, HEAD",
                    .accessControlAllowHeaders: "authorization, last-event-id",
                ]
            }
        headers[.accessControlMaxAge] = "600"
        JSONResponse.addSecurityHeaders(to: &headers)
        return Response(status: .noContent, headers: headers)
    }

    /// Allows a page of an allowed origin to read the response.
    func allowOrigin(in response: inout Response, for request: Request, _ match: RouteMatch?) {
        guard !senders.isEmpty || !readers.isEmpty else { return }
        response.headers[.vary] = "Origin"
        let purpose: Purpose? =
            switch match {
            case nil: nil
            case .preflight: Self.purpose(ofPreflight: request)
            case .endpoint(let endpoint, _): endpoint.access.purpose
            }
        guard let purpose, let origin = Self.origin(of: request), allowed(purpose).contains(origin) else { return }
        response.headers[.accessControlAllowOrigin] = origin
    }

    private func allowed(_ purpose: Purpose) -> Set<String> {
        switch purpose {
        case .sending: senders
        case .reading: readers
        }
    }

    private func refusal(_ origin: String, _ purpose: Purpose) -> RequestFailure {
        let (action, option) =
            switch purpose {
            case .sending: ("send events", "--allow-origin")
            case .reading: ("read data", "--allow-read-origin")
            }
        return RequestFailure(
            status: .forbidden,
            code: .originRefused,
            field: "origin",
            message: "Pages from “\(origin.prefix(128))” are not allowed to \(action); allow it with \(option)."
        )
    }

    private struct Page {
        var origin: String?
    }

    /// Returns the foreign page that sent a request, according to the browser.
    ///
    /// The result includes the page's origin if the browser provides it; it is nil if no foreign page sent the request.
    private static func page(sending request: Request, for purpose: Purpose) -> Page? {
        if request.headers[.origin] != nil {
            let origin = origin(of: request)
            // The collector's own page only reads and never sends. A foreign host name that points to this machine has
            // already been rejected.
            let isOwn = purpose == .reading && origin != nil && origin == request.head.authority.map { "http://" + $0 }
            return isOwn ? nil : Page(origin: origin)
        }
        switch request.headers[fetchSite] {
        // Not a browser, the collector's own page, or a user who entered the URL.
        case nil, "same-origin", "none": return nil
        // A user who followed a link; the page with the link cannot see the response.
        case _
        where purpose == .reading && request.headers[fetchMode] == "navigate"
            && request.headers[fetchDestination] == "document":
            return nil
        default: return Page(origin: nil)
        }
    }

    /// Returns the origin of a request.
    ///
    /// Nil if there is no origin, more than one, or an opaque one (`null`).
    private static func origin(of request: Request) -> String? {
        let origins = request.headers[values: .origin]
        guard origins.count == 1, origins[0] != "null" else { return nil }
        return origins[0]
    }

    private static func purpose(ofPreflight request: Request) -> Purpose {
        switch request.headers[.accessControlRequestMethod] {
        case "GET", "HEAD": .reading
        default: .sending
        }
    }

    private static let fetchSite = HTTPField.Name.literal("sec-fetch-site")
    private static let fetchMode = HTTPField.Name.literal("sec-fetch-mode")
    private static let fetchDestination = HTTPField.Name.literal("sec-fetch-dest")
}
