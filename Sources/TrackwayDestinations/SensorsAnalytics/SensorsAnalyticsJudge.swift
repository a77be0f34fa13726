// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayWire

/// What an answer means that should be a Sensors Analytics back-end's.
///
/// The format has no answer that proves who gave it: back-ends say 200 with nothing, a word, or a tiny picture. What can be
/// known is what they never send: a page. A page, a redirect, or an answer of another host is the network's doing.
struct SensorsAnalyticsJudge {
    let rule: SensorsAnalyticsOptions.AnswerRule
    let authority: String?

    /// Judges an answer to a body with this many events.
    func verdict(on response: WireResponse, events: Int) -> Verdict {
        if let verdict = response.verdictOnHost(asked: authority) { return verdict }
        switch rule {
        case .careful: return careful(response)
        case .asTheFirstClient: return asTheFirstClient(response, events: events)
        }
    }

    private func careful(_ response: WireResponse) -> Verdict {
        if let verdict = response.verdictWhoeverAnswers { return verdict }
        if Self.isPage(response) { return .notTheBackEnd(reason: "Status \(response.status) came with a page.") }
        if let verdict = response.verdictOnSettings { return verdict }
        switch response.status {
        case 200..<300: return .accepted
        case 400..<500: return .rejected(reason: response.statusReason)
        // Redirects, and what is no status at all.
        default: return .notTheBackEnd(reason: response.statusReason)
        }
    }

    private func asTheFirstClient(_ response: WireResponse, events: Int) -> Verdict {
        let reason = response.statusReason
        switch response.status {
        case 200..<300: return .accepted
        case 403: return .unauthorized(reason: reason)
        case 404: return .misconfigured(reason: reason)
        case 500..<600: return .retry(after: RetryAfter.duration(in: response), reason: reason)
        default:
            guard events > 0 else { return .accepted }
            return .acceptedExcept(
                (0..<events).map { Rejection(index: $0, code: "status_\(response.status)", message: reason) }
            )
        }
    }

    /// The longest body a back-end of this format answers with, with much room.
    private static let longestAnswer = 4_096
    private static let picture = Array("GIF8".utf8)

    private static func isPage(_ response: WireResponse) -> Bool {
        let body = response.body
        if body.isEmpty || body.starts(with: picture) { return false }
        return body.count > longestAnswer || response.isPage
    }
}
