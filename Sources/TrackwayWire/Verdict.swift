// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The meaning of a response for the batch that was sent.
public enum Verdict: Sendable, Hashable {
    /// The back end accepted every event of the batch.
    case accepted
    /// The back end accepted every event except those listed.
    ///
    /// It rejects those permanently.
    ///
    /// The list is never empty.
    case acceptedExcept([Rejection])
    /// The batch is larger than the back end accepts.
    ///
    /// A smaller one may be accepted.
    case tooLarge
    /// Nothing was accepted, and the same batch may be accepted later.
    ///
    /// It is not sent before `after`, if the back end specified a time.
    case retry(after: Duration?, reason: String)
    /// The back end rejects the whole batch because of its content.
    ///
    /// Sending the same batch again cannot help.
    case rejected(reason: String)
    /// The back end does not accept the credentials.
    ///
    /// All events are kept until it does.
    case unauthorized(reason: String)
    /// The back end does not serve the address or the format.
    ///
    /// All events are kept until that changes.
    case misconfigured(reason: String)
    /// The response came from elsewhere (a captive portal, a proxy).
    ///
    /// A network failure, never a verdict on events.
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
    /// The message of the verdict; empty if the verdict needs none.
    public var reason: String {
        switch self {
        case .accepted: ""
        case .acceptedExcept(let rejections): "\(rejections.count) events were rejected."
        case .tooLarge: "The batch is too large."
        case .retry(_, let reason), .rejected(let reason), .unauthorized(let reason), .misconfigured(let reason),
            .notTheBackEnd(let reason):
            reason
        }
    }
}

/// An event that the back end rejects or the format cannot express.
///
/// The other events of the batch are not affected.
public struct Rejection: Sendable, Hashable {
    /// The event's index in the batch's `records`.
    public var index: Int
    /// The back end's code, such as `name_too_long`.
    public var code: String
    /// A human-readable message.
    public var message: String

    /// Creates a rejection.
    public init(index: Int, code: String, message: String) {
        self.index = index
        self.code = code
        self.message = message
    }
}
