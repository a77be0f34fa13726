// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What an answer means that should be the collector's.
///
/// Only a body that the collector alone writes proves that it answered. Whatever else comes (a login page with status 200, a
/// proxy's error page, a redirect) is a failure of the network between us.
enum CollectorJudge {
    /// Judges an answer to a body with this many events.
    ///
    /// - Parameter accepted: what events must have become before they are let go.
    static func verdict(
        on response: WireResponse,
        events: Int,
        accepting accepted: Set<CollectorDurability> = .usual
    ) -> Verdict {
        let wait = RetryAfter.duration(in: response)
        switch CollectorReply(json: response.body) {
        case .answer(let answer) where (200..<300).contains(response.status):
            return verdict(on: answer, events: events, accepting: accepted)
        case .answer:
            return .retry(
                after: wait,
                reason: "The collector contradicts itself: status \(response.status) with a success."
            )
        case .failure(let failure):
            return verdict(on: failure, status: response.status, wait: wait)
        case nil:
            return unproven(response)
        }
    }

    private static func verdict(
        on answer: CollectorAnswer,
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
                reason: "The collector answers for \(answer.accepted) and \(answer.rejected.count) of \(events) events."
            )
        }
        guard accepted.contains(CollectorDurability(rawValue: answer.durability)) else {
            let known = accepted.map(\.rawValue).sorted().joined(separator: ", ")
            return .retry(
                after: nil,
                reason: "The collector's durability is \"\(answer.durability.prefix(80))\", and events are let go at "
                    + "\(known): they are kept and sent again. Have the collector proven durable, or accept what it says "
                    + "in the destination's settings."
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
        let reason = "\(status) \(failure.sentence)" + remedy(for: status)
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

    private static func unproven(_ response: WireResponse) -> Verdict {
        // Proxies in front of the collector have a limit of their own and say so with a page of their own.
        if let verdict = response.verdictWhoeverAnswers { return verdict }
        let type = response.headers["content-type"] ?? "no content type"
        return .notTheBackEnd(
            reason: "Status \(response.status) (\(type.prefix(80))) is not an answer of the collector's."
                + remedy(for: response.status)
        )
    }

    /// What to do about a status that a setting of the destination can avoid, with a space before it.
    private static func remedy(for status: Int) -> String {
        status == 415 ? " If a proxy in front of it refuses gzip, set the destination's isCompressed to false." : ""
    }
}
