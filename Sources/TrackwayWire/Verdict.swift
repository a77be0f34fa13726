// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What an answer means for the batch it answers.
public enum Verdict: Sendable, Hashable {
    /// Every event of the batch is the back-end's now.
    case accepted
    /// Every event is the back-end's now except those named, which it will never take. Never empty.
    case acceptedExcept([Rejection])
    /// The batch is larger than the back-end takes; a smaller one may pass.
    case tooLarge
    /// Nothing was taken, and the same batch may be taken later: not before `after`, when the back-end named a time.
    case retry(after: Duration?, reason: String)
    /// The back-end refuses the batch as a whole, for what is in it. Sending the same again cannot help.
    case rejected(reason: String)
    /// The back-end does not know these credentials. Everything is kept until it does.
    case unauthorized(reason: String)
    /// The address or the format is not what the back-end serves. Everything is kept until that changes.
    case misconfigured(reason: String)
    /// Something else answered (a captive portal, a proxy): a network failure, never a verdict on events.
    case notTheBackEnd(reason: String)
}

extension Verdict {
    /// The verdict's name without its payload, for labels and reports.
    public var label: String {
        switch self {
        case .accepted: "accepted"
        case .acceptedExcept: "accepted_except"
        case .tooLarge: "too_large"
        case .retry: "retry"
        case .rejected: "rejected"
        case .unauthorized: "unauthorized"
        case .misconfigured: "misconfigured"
        case .notTheBackEnd: "not_the_back_end"
        }
    }
}

extension Verdict {
    /// The sentence that came with the verdict; empty when the verdict says it all.
    public var reason: String {
        switch self {
        case .accepted: ""
        case .acceptedExcept(let rejections): "\(rejections.count) events were refused."
        case .tooLarge: "The batch is too large."
        case .retry(_, let reason), .rejected(let reason), .unauthorized(let reason), .misconfigured(let reason),
            .notTheBackEnd(let reason):
            reason
        }
    }
}

/// One event that a back-end refuses (or a format cannot express), while its neighbours are fine.
public struct Rejection: Sendable, Hashable {
    /// The event's place in the batch's `records`.
    public var index: Int
    /// The back-end's own code, such as `name_too_long`.
    public var code: String
    /// A sentence for humans.
    public var message: String

    /// Makes a rejection.
    public init(index: Int, code: String, message: String) {
        self.index = index
        self.code = code
        self.message = message
    }
}
