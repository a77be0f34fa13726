// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The meaning of a response for the sent batch.
public enum Verdict: Sendable, Hashable {
    /// The back end accepted every event of the batch.
    case accepted
    /// The back end accepted every event except those listed.
    ///
    /// The back end rejects the listed events permanently.
    ///
    /// The list is never empty.
    case acceptedExcept([Rejection])
    /// The batch is larger than the back end accepts.
    ///
    /// A smaller batch may be accepted.
    case tooLarge
    /// No event was accepted, but the same batch may be accepted later.
    ///
    /// If the back end specified a time, the batch is not sent again before `after`.
    case retry(after: Duration?, reason: String)
    /// The back end rejects the whole batch because of its content.
    ///
    /// Sending the same batch again cannot succeed.
    case rejected(reason: String)
    /// The back end does not accept the credentials.
    ///
    /// All events are kept until the credentials are accepted.
    case unauthorized(reason: String)
    /// The back end does not serve the address or the format.
    ///
    /// All events are kept until the back end does.
    case misconfigured(reason: String)
    /// The response came from elsewhere, such as a captive portal or proxy.
    ///
    /// This is a network failure, never a verdict on events.
    case unrecognizedResponse(reason: String)
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
        case .unrecognizedResponse: "not_the_back_end"
        }
    }
}

extension Verdict {
    /// The message of the verdict; empty for `accepted`.
    public var reason: String {
        switch self {
        case .accepted: ""
        case .acceptedExcept(let rejections): "\(rejections.count) events were rejected."
        case .tooLarge: "The batch is too large."
        case .retry(_, let reason), .rejected(let reason), .unauthorized(let reason), .misconfigured(let reason),
            .unrecognizedResponse(let reason):
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
