// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What can be known of an answer that nothing in it proves to be the back-end's: who gave it, its status, and whether it
/// is a page. Formats whose back-ends answer with a status alone judge by these.
extension WireResponse {
    /// The verdict when another host answered than the one that was asked; nil when that one did, or when the transport does
    /// not know.
    ///
    /// - Parameter authority: Host and port of the back-end, as `HTTPAddress` writes them; nil when it has no address.
    package func verdictOnHost(asked authority: String?) -> Verdict? {
        guard let answering = url.flatMap(HTTPAddress.init), answering.authority != authority else { return nil }
        return .notTheBackEnd(reason: "Another host answered: \(answering.authority).")
    }

    /// The verdict on a status that means the same whoever says it, back-end or proxy; nil for any other.
    package var verdictWhoeverAnswers: Verdict? {
        switch status {
        // Every proxy on the way says it with a page of its own; nobody else says it.
        case 413: .tooLarge
        case 408, 425, 429, 500..<600: .retry(after: RetryAfter.duration(in: self), reason: statusReason)
        default: nil
        }
    }

    /// The verdict on a status by which a back-end refuses the destination's settings; nil for any other.
    package var verdictOnSettings: Verdict? {
        switch status {
        case 401, 403: .unauthorized(reason: statusReason)
        case 404, 405, 406, 410, 415: .misconfigured(reason: statusReason)
        default: nil
        }
    }

    /// The status as a sentence.
    package var statusReason: String { "Status \(status)." }

    /// True for what a browser would show: marked as HTML, or beginning with a tag.
    package var isPage: Bool {
        let type = headers["content-type"]?.lowercased() ?? ""
        if type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") { return true }
        // White space and a byte order mark may stand before the tag.
        return body.first { $0 > 0x20 && $0 != 0xEF && !(0xBB...0xBF).contains($0) } == UInt8(ascii: "<")
    }

    /// Judges the answer of a back-end that answers with a status and no more. A redirect, a page, and another host's answer
    /// are the network's doing.
    ///
    /// - Parameters:
    ///   - address: The address that was asked; nil when there is none, so that nobody can have answered rightly.
    ///   - own: What the format says of the statuses that formats disagree about: successes, and refusals of what was sent.
    package func verdict(from address: String?, own: (WireResponse) -> Verdict) -> Verdict {
        if let verdict = verdictOnHost(asked: address.flatMap(HTTPAddress.init)?.authority) { return verdict }
        if let verdict = verdictWhoeverAnswers { return verdict }
        if (300..<400).contains(status) {
            return .notTheBackEnd(reason: "Status \(status): something on the way redirects.")
        }
        if isPage { return .notTheBackEnd(reason: "Status \(status) with a page for people.") }
        return verdictOnSettings ?? own(self)
    }
}
