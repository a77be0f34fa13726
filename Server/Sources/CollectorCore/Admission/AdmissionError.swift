// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

/// The reason why a request was rejected as a whole.
public struct AdmissionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The action that the sender should take.
    public enum Kind: Sendable, Hashable {
        /// The body is permanently invalid: do not send it again.
        case malformed
        /// The key is missing or unknown.
        ///
        /// Keep the data and obtain valid credentials.
        case unauthorized
        /// The key is known but does not allow this request.
        case forbidden
        /// A limit was exceeded: send less data per request.
        case tooLarge
        /// The content type or encoding is not supported.
        case unsupported
        /// A rate limit was exceeded.
        ///
        /// Keep the data and try again after this duration.
        case limited(Duration)
    }

    /// The action that the sender should take.
    public var kind: Kind
    /// The machine-readable reason, such as `truncated`.
    public var code: String
    /// The invalid header or member; empty if the whole body is invalid.
    public var field: String
    /// A human-readable sentence that includes the remedy.
    public var message: String
    /// The name of the request's key.
    ///
    /// Nil if the key is missing or unknown.
    public var key: String?

    /// Creates an error.
    public init(_ kind: Kind, code: ResponseCode, field: String = "", message: String) {
        self.init(kind, code: code.rawValue, field: field, message: message)
    }

    /// Creates an error with a code from another error or a record.
    public init(_ kind: Kind, code: String, field: String = "", message: String) {
        self.kind = kind
        self.code = code
        self.field = field
        self.message = message
    }

    public var description: String { field.isEmpty ? "\(code): \(message)" : "\(code) (\(field)): \(message)" }
}

extension AdmissionError {
    /// Creates the error for a body that does not inflate within the limits.
    init(gzip error: GzipError, field: String) {
        let (kind, code): (Kind, ResponseCode) =
            switch error.code {
            case .wireTooLarge: (.tooLarge, .gzipWireTooLarge)
            case .inflatedTooLarge: (.tooLarge, .gzipInflatedTooLarge)
            case .ratioTooHigh: (.tooLarge, .gzipRatioTooHigh)
            case .truncated: (.malformed, .gzipTruncated)
            case .damaged: (.malformed, .gzipDamaged)
            case .trailingGarbage: (.malformed, .gzipTrailingGarbage)
            case .outOfMemory: (.malformed, .gzipOutOfMemory)
            }
        self.init(kind, code: code, field: field, message: error.description)
    }
}

/// A rejected event of an accepted batch.
public struct RejectedEvent: Sendable, Hashable {
    /// The event's index in the batch, from 0.
    public var index: Int
    /// The event's id, if it could be read.
    public var id: EventID?
    /// The machine-readable reason, such as `name_too_long`.
    public var code: String
    /// The invalid field; empty if the whole event is invalid.
    public var field: String
    /// The reason as a human-readable sentence.
    public var message: String

    /// Creates a rejection with its reason.
    public init(index: Int, id: EventID? = nil, code: ResponseCode, field: String, message: String) {
        self.init(index: index, id: id, code: code.rawValue, field: field, message: message)
    }

    /// Creates a rejection with a code from another error or a record.
    public init(index: Int, id: EventID? = nil, code: String, field: String, message: String) {
        self.index = index
        self.id = id
        self.code = code
        self.field = field
        self.message = message
    }

    /// Writes `code`, `field` and `message` as members of the open object.
    public func writeReason(to writer: inout JSONWriter) {
        for (key, text) in [("code", code), ("field", field), ("message", message)] { writer.member(key, text) }
    }

    /// Returns the rejection of an erasure event without a valid proof.
    public static func unproved(_ installation: InstallationID?, index: Int, id: EventID? = nil) -> RejectedEvent {
        RejectedEvent(
            index: index,
            id: id,
            code: .erasureUnproved,
            field: CapturedKey.erasureProof,
            message: Tombstone.unprovedMessage(installation)
        )
    }

    /// Returns the rejection of an event whose installation was erased.
    public static func erased(_ installation: InstallationID, index: Int, id: EventID? = nil) -> RejectedEvent {
        RejectedEvent(
            index: index,
            id: id,
            code: .installationErased,
            field: "installation",
            message: "The installation \(installation) was erased; its events are no longer stored."
        )
    }

    /// Returns the rejection of an event whose user was erased.
    ///
    /// The message does not repeat the user's id.
    public static func erasedUser(index: Int, id: EventID? = nil) -> RejectedEvent {
        RejectedEvent(
            index: index,
            id: id,
            code: .userErased,
            field: "context.user.id",
            message: "The user was erased; events of this user are no longer stored."
        )
    }
}
