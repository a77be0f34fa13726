// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayWire

/// What an answer means that should be a Sift back-end's.
///
/// The format's success is status 200 and nothing else; what the body says is not known. What can be told apart is what
/// others say: pages for people, redirects, and answers of other hosts.
enum SiftJudge {
    /// Judges an answer to a request to this address.
    static func verdict(on response: WireResponse, from address: String?) -> Verdict {
        if let answering = response.url.flatMap(HTTPAddress.init),
            answering.authority != address.flatMap(HTTPAddress.init)?.authority
        {
            return .notTheBackEnd(reason: "Another host answered: \(answering.authority).")
        }
        let wait = RetryAfter.duration(in: response)
        let reason = "Status \(response.status)."
        switch response.status {
        case 413:
            // Every proxy on the way says it with a page of its own; nobody else says it.
            return .tooLarge
        case 408, 425, 429, 500..<600:
            return .retry(after: wait, reason: reason)
        case 300..<400:
            return .notTheBackEnd(reason: "Status \(response.status): something on the way redirects.")
        default:
            break
        }
        if isPage(response) {
            return .notTheBackEnd(reason: "Status \(response.status) with a page for people.")
        }
        switch response.status {
        case 200:
            return .accepted
        case 401, 403:
            return .unauthorized(reason: reason)
        case 404, 405, 406, 410, 415:
            return .misconfigured(reason: reason)
        case 400, 422:
            return .rejected(reason: reason)
        default:
            // Other successes too: clients of this format take none of them for a receipt, so back-ends mean none by them.
            return .retry(after: wait, reason: reason)
        }
    }

    /// True for what a browser would show: marked as HTML, or beginning with a tag.
    private static func isPage(_ response: WireResponse) -> Bool {
        let type = response.headers["content-type"]?.lowercased() ?? ""
        if type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") { return true }
        let first = response.body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        return first == UInt8(ascii: "<")
    }
}
