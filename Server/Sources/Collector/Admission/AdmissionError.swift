// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayWire

/// Why a request was refused as a whole.
public struct AdmissionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What a sender should do about it.
    public enum Kind: Sendable, Hashable {
        /// The body can never be accepted as it is: do not send it again.
        case malformed
        /// No key, or one that is not known: keep everything and ask for credentials.
        case unauthorized
        /// The key is known and does not allow this.
        case forbidden
        /// A limit was passed: send less at once.
        case tooLarge
        /// The content type or encoding is not understood.
        case unsupported
        /// Too much was asked in too little time: keep everything and try again after this long.
        case limited(Duration)
    }

    /// What a sender should do about it.
    public var kind: Kind
    /// The machine-readable reason, such as `truncated`.
    public var code: String
    /// The field at fault: a header's or a member's name; empty when the whole body is.
    public var field: String
    /// One sentence for a person, with the remedy.
    public var message: String
    /// The name of the request's key; nil when it had none, or an unknown one.
    public var key: String?

    /// A refusal.
    public init(_ kind: Kind, code: String, field: String = "", message: String) {
        self.kind = kind
        self.code = code
        self.field = field
        self.message = message
    }

    public var description: String { field.isEmpty ? "\(code): \(message)" : "\(code) (\(field)): \(message)" }
}

extension AdmissionError {
    /// The refusal of a body that does not inflate, or not within the limits.
    init(gzip error: GzipError, field: String) {
        let kind: Kind =
            switch error.code {
            case .wireTooLarge, .inflatedTooLarge, .ratioTooHigh: .tooLarge
            case .truncated, .damaged, .trailingGarbage, .outOfMemory: .malformed
            }
        self.init(kind, code: "gzip_" + error.code.rawValue, field: field, message: error.description)
    }
}

/// One event of an accepted batch that was refused.
public struct RejectedEvent: Sendable, Hashable {
    /// Its index among the batch's events, from 0.
    public var index: Int
    /// Its id, as far as it could be read.
    public var id: EventID?
    /// The machine-readable reason, such as `name_too_long`.
    public var code: String
    /// The field at fault; empty when the whole event is.
    public var field: String
    /// One sentence for a person.
    public var message: String

    /// A refusal with its reason.
    public init(index: Int, id: EventID? = nil, code: String, field: String, message: String) {
        self.index = index
        self.id = id
        self.code = code
        self.field = field
        self.message = message
    }

    /// Writes the reason as members of an object that is open: `code`, `field` and `message`.
    public func writeReason(to writer: inout JSONWriter) {
        for (key, text) in [("code", code), ("field", field), ("message", message)] { writer.member(key, text) }
    }

    /// The refusal of an event that wants an installation erased and does not prove to be it.
    public static func unproved(_ installation: InstallationID?, index: Int, id: EventID? = nil) -> RejectedEvent {
        RejectedEvent(
            index: index,
            id: id,
            code: Tombstone.unprovedCode,
            field: CapturedKey.erasureProof,
            message: Tombstone.unprovedMessage(installation)
        )
    }

    /// The refusal of an event whose installation was erased: nothing of it is kept.
    public static func erased(_ installation: InstallationID, index: Int, id: EventID? = nil) -> RejectedEvent {
        RejectedEvent(
            index: index,
            id: id,
            code: "installation_erased",
            field: "installation",
            message: "The installation \(installation) was erased; nothing that comes of it is kept."
        )
    }
}
