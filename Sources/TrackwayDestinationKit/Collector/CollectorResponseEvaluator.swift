// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Evaluates a response that should come from the collector.
///
/// Only a body in the collector's own form proves that the collector responded. Any other response (a login page with
/// status 200, a proxy's error page, a redirect) counts as a network failure.
enum CollectorResponseEvaluator {
    /// Returns the verdict on the response to a number of events.
    ///
    /// - Parameter accepted: the durabilities that allow events to be removed.
    static func verdict(
        on response: WireResponse,
        events: Int,
        accepting accepted: Set<CollectorDurability> = .standard
    ) -> Verdict {
        let wait = RetryAfter.duration(in: response)
        switch CollectorResponseBody(json: response.body) {
        case .acknowledgment(let answer) where (200..<300).contains(response.status):
            return verdict(on: answer, events: events, accepting: accepted)
        case .acknowledgment:
            return .retry(
                after: wait,
                reason: "The collector's response is inconsistent: status \(response.status) with a success."
            )
        case .failure(let failure):
            return verdict(on: failure, status: response.status, wait: wait)
        case nil:
            return unrecognized(response)
        }
    }

    private static func verdict(
        on answer: CollectorAcknowledgment,
        events: Int,
        accepting accepted: Set<CollectorDurability>
    ) -> Verdict {
        let indices = Set(answer.rejected.map(\.index))
        guard
            answer.accepted + answer.rejected.count == events,
            indices.count == answer.rejected.count,
            indices.allSatisfy({ (0..<events).contains($0) })
        else {
            return .retry(
                after: nil,
                reason: "The response counts \(answer.accepted) accepted and \(answer.rejected.count) rejected events, "
                    + "but \(events) were sent, or its indices are invalid."
            )
        }
        guard accepted.contains(CollectorDurability(rawValue: answer.durability)) else {
            let known = accepted.map(\.rawValue).ordered().joined(separator: ", ")
            return .retry(
                after: nil,
                reason: "The collector's durability is \"\(answer.durability.prefix(80))\", which is not one of the "
                    + "accepted ones: \(known). The events are kept and will be sent again. Make the collector "
                    + "durable, or accept its durability in the destination's settings."
            )
        }
        guard !answer.rejected.isEmpty else { return .accepted }
        return .acceptedExcept(
            answer.rejected.map { event in
                let field = event.field.map { " (\($0))" } ?? ""
                return Rejection(index: event.index, code: event.code, message: (event.message ?? event.code) + field)
            }
        )
    }

    private static func verdict(on failure: CollectorFailure, status: Int, wait: Duration?) -> Verdict {
        let reason = "\(status) \(failure.sentence)" + recoverySuggestion(for: status)
        switch status {
        case 401, 403:
            return .unauthorized(reason: reason)
        case 404, 405, 406, 410, 415, 421, 501, 505:
            return .misconfigured(reason: reason)
        case 408, 425, 429:
            return .retry(after: wait, reason: reason)
        case 413:
            return .tooLarge
        case 400..<500:
            return .rejected(reason: reason)
        default:
            return .retry(after: wait, reason: reason)
        }
    }

    private static func unrecognized(_ response: WireResponse) -> Verdict {
        // Proxies in front of the collector have their own limits and report them with their own pages.
        if let verdict = response.verdictOnGenericStatus { return verdict }
        let type = response.headers["content-type"] ?? "no content type"
        return .unrecognizedResponse(
            reason: "Status \(response.status) (\(type.prefix(80))) is not a response from the collector."
                + recoverySuggestion(for: response.status)
        )
    }

    /// Returns a recovery suggestion for a status that a setting can prevent.
    ///
    /// The text starts with a space or is empty.
    private static func recoverySuggestion(for status: Int) -> String {
        status == 415 ? " If a proxy in front of it rejects gzip, set the destination's isCompressed to false." : ""
    }
}
