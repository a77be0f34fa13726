// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import Hummingbird

/// Which web pages may talk to the collector. None of another origin, unless the configuration names it: for sending, for
/// reading, or for both.
///
/// Browsers send some requests of any page to any server (forms, `fetch` of plain text) and only keep the answer from it. So
/// where no key is asked for, a foreign page's request is refused before anything is done with it. Where a key is, the page
/// would have to know it, and a browser asks first (``preflight(_:)``).
struct OriginPolicy: Sendable {
    /// What a page does with the collector.
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

    /// Refuses what a page asks that may not, where no key is asked for.
    func check(_ request: Request, for purpose: Purpose) throws(RequestFailure) {
        guard let page = Self.page(behind: request, for: purpose) else { return }
        guard let origin = page.origin, allowed(purpose).contains(origin) else {
            throw refusal(page.origin ?? "another site", purpose)
        }
    }

    /// Refuses what any page but our own asks, where no key is asked for.
    func checkIsOwn(_ request: Request) throws(RequestFailure) {
        guard let page = Self.page(behind: request, for: .reading) else { return }
        throw RequestFailure(
            status: .forbidden,
            code: "origin_refused",
            field: "origin",
            message:
                "Pages of “\((page.origin ?? "another site").prefix(128))” may not change boards and alerts; only the collector's own page may."
        )
    }

    /// Answers a browser's question whether a page may do what it is about to.
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

    /// Lets the page of an allowed origin read the answer to what it may do.
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
            message: "Pages of “\(origin.prefix(128))” may not \(verb) here; allow it with \(option)."
        )
    }

    private struct Page {
        var origin: String?
    }

    /// The foreign page that a browser says is behind a request, with its origin when it tells that; nil when there is none.
    private static func page(behind request: Request, for purpose: Purpose) -> Page? {
        if request.headers[.origin] != nil {
            let origin = origin(of: request)
            // Our own page reads, and a name that a page points here is refused before. It never sends.
            let isOwn = purpose == .reading && origin != nil && origin == request.head.authority.map { "http://" + $0 }
            return isOwn ? nil : Page(origin: origin)
        }
        switch request.headers[fetchSite] {
        // No browser, our own page, or a person who wrote the address.
        case nil, "same-origin", "none": return nil
        // A person who followed a link; the page that has it sees nothing of what is shown.
        case _
        where purpose == .reading && request.headers[fetchMode] == "navigate"
            && request.headers[fetchDestination] == "document":
            return nil
        default: return Page(origin: nil)
        }
    }

    /// The one origin a request names; nil for none, several, or one that has no name (`null`).
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
