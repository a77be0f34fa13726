// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDestinationKit

/// Evaluates responses to uploads to a Sensors Analytics back end.
///
/// In this format, no response proves who sent it: back ends return status 200 with an empty body, a word, or a tiny
/// image. However, they never send a web page. A web page, a redirect, and a response from another host therefore count
/// as network failures.
struct SensorsAnalyticsResponseEvaluator {
    let rule: SensorsAnalyticsOptions.ResponsePolicy
    let authority: String?

    /// Returns the verdict on the response to a request that contains `events` events.
    func verdict(on response: WireResponse, events: Int) -> Verdict {
        if let verdict = response.verdictOnHostMismatch(expected: authority) { return verdict }
        switch rule {
        case .careful: return careful(response)
        case .asTheFirstClient: return asTheFirstClient(response, events: events)
        }
    }

    private func careful(_ response: WireResponse) -> Verdict {
        if let verdict = response.verdictOnGenericStatus { return verdict }
        if Self.isWebPage(response) {
            return .unrecognizedResponse(reason: "Status \(response.status) has a web page as its body.")
        }
        if let verdict = response.verdictOnSettingsStatus { return verdict }
        switch response.status {
        case 200..<300: return .accepted
        case 400..<500: return .rejected(reason: response.statusReason)
        // Redirects and invalid statuses.
        default: return .unrecognizedResponse(reason: response.statusReason)
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

    /// A generous maximum length of a back end's response, in bytes.
    private static let longestAnswer = 4_096
    private static let picture = Array("GIF8".utf8)

    private static func isWebPage(_ response: WireResponse) -> Bool {
        let body = response.body
        if body.isEmpty || body.starts(with: picture) { return false }
        return body.count > longestAnswer || response.isWebPage
    }
}
