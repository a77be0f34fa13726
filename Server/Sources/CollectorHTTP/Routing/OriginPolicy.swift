// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import Hummingbird

/// The web pages that may use the collector.
///
/// Pages of other origins may not, unless the configuration allows their origin to send, to read, or both.
///
/// Browsers send some requests of any page to any server (forms, `fetch` of plain text) and only hide the response from
/// the page. Therefore, where no key is required, a foreign page's request is rejected before it has any effect. Where
/// a key is required, the page would have to know it, and a browser asks first (``preflight(_:)``).
struct OriginPolicy: Sendable {
    /// The use that a page makes of the collector.
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

    /// Rejects a page's request without permission, where no key is required.
    func check(_ request: Request, for purpose: Purpose) throws(RequestFailure) {
        guard let page = Self.page(behind: request, for: purpose) else { return }
        guard let origin = page.origin, allowed(purpose).contains(origin) else {
            throw refusal(page.origin ?? "another site", purpose)
        }
    }

    /// Rejects the requests of pages other than our own.
    ///
    /// Used where no key is required.
    func checkIsOwn(_ request: Request) throws(RequestFailure) {
        guard let page = Self.page(behind: request, for: .reading) else { return }
        throw RequestFailure(
            status: .forbidden,
            code: "origin_refused",
            field: "origin",
            message:
                """
                Pages from “\((page.origin ?? "another site").prefix(128))” may not change boards and alerts; \
                only the collector's own page may.
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
        Answer.protect(&headers)
        return Response(status: .noContent, headers: headers)
    }

    /// Lets the page of an allowed origin read the response.
    func mark(_ response: inout Response, for request: Request, _ match: RouteMatch?) {
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
        let (verb, option) =
            switch purpose {
            case .sending: ("send", "--allow-origin")
            case .reading: ("read", "--allow-read-origin")
            }
        return RequestFailure(
            status: .forbidden,
            code: "origin_refused",
            field: "origin",
            message: "Pages from “\(origin.prefix(128))” may not \(verb) here; allow it with \(option)."
        )
    }

    private struct Page {
        var origin: String?
    }

    /// Returns the foreign page that sent a request, according to the browser.
    ///
    /// With its origin, if the browser names it; nil if no foreign page sent the request.
    private static func page(behind request: Request, for purpose: Purpose) -> Page? {
        if request.headers[.origin] != nil {
            let origin = origin(of: request)
            // Our own page only reads, and never sends. A foreign name that points here was rejected before.
            let isOwn = purpose == .reading && origin != nil && origin == request.head.authority.map { "http://" + $0 }
            return isOwn ? nil : Page(origin: origin)
        }
        switch request.headers[fetchSite] {
        // Not a browser, our own page, or a person who entered the URL.
        case nil, "same-origin", "none": return nil
        // A person who followed a link; the page with the link cannot see the response.
        case _
        where purpose == .reading && request.headers[fetchMode] == "navigate"
            && request.headers[fetchDestination] == "document":
            return nil
        default: return Page(origin: nil)
        }
    }

    /// Returns the origin of a request.
    ///
    /// Nil for none, several, or an opaque one (`null`).
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

    private static let fetchSite = Answer.name("sec-fetch-site")
    private static let fetchMode = Answer.name("sec-fetch-mode")
    private static let fetchDestination = Answer.name("sec-fetch-dest")
}
