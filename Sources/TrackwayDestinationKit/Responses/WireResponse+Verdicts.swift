// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Evaluates responses that are not proven to come from the back end.
///
/// The criteria are the responding host, the status, and whether the body is a web page. These criteria are for
/// formats whose back ends return only a status.
extension WireResponse {
    /// Returns the verdict if a host other than the requested host responded.
    ///
    /// Nil if the requested host responded, or the transport does not know.
    ///
    /// - Parameter authority: The back end's host and port in the form of `HTTPAddress`; nil if there is no address.
    package func verdictOnHostMismatch(expected authority: String?) -> Verdict? {
        guard let answering = url.flatMap(HTTPAddress.init), answering.authority != authority else { return nil }
        return .unrecognizedResponse(reason: "Another host responded: \(answering.authority).")
    }

    /// The verdict on a status with the same meaning from any server.
    ///
    /// Nil for any other status.
    package var verdictOnGenericStatus: Verdict? {
        switch status {
        // Any intermediate proxy may return 413 with its own page; the status always means that the body is too
        // large.
        case 413: .tooLarge
        case 408, 425, 429, 500..<600: .retry(after: RetryAfter.duration(in: self), reason: statusReason)
        default: nil
        }
    }

    /// The verdict on a status that rejects the destination's settings.
    ///
    /// Nil for any other status.
    package var verdictOnSettingsStatus: Verdict? {
        switch status {
        case 401, 403: .unauthorized(reason: statusReason)
        case 404, 405, 406, 410, 415: .misconfigured(reason: statusReason)
        default: nil
        }
    }

    /// The status as a sentence.
    package var statusReason: String { "Status \(status)." }

    /// Whether the body is a web page.
    ///
    /// A web page is marked as HTML or begins with a tag.
    package var isWebPage: Bool {
        let type = headers["content-type"]?.lowercased() ?? ""
        if type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") { return true }
        // Whitespace and a byte order mark may precede the tag.
        return body.first { $0 > 0x20 && $0 != 0xEF && !(0xBB...0xBF).contains($0) } == UInt8(ascii: "<")
    }

    /// Returns the verdict for back ends that return only a status.
    ///
    /// A redirect, a web page, and a response from another host count as network failures.
    ///
    /// - Parameters:
    ///   - address: The requested address. If nil, every responding host counts as the wrong host.
    ///   - own: The format's verdict on statuses that formats interpret differently: successes, and rejections of the
    ///     content.
    package func verdict(from address: String?, own: (WireResponse) -> Verdict) -> Verdict {
        if let verdict = verdictOnHostMismatch(expected: address.flatMap(HTTPAddress.init)?.authority) {
            return verdict
        }
        if let verdict = verdictOnGenericStatus { return verdict }
        if (300..<400).contains(status) {
            return .unrecognizedResponse(reason: "Status \(status): redirected by an intermediate server.")
        }
        if isWebPage { return .unrecognizedResponse(reason: "Status \(status) with a web page.") }
        return verdictOnSettingsStatus ?? own(self)
    }
}
