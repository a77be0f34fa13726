// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A body that proves that the collector itself responded.
///
/// The body has the form `{"accepted":…,"durability":…}` or `{"error":{…}}`.
public enum CollectorResponseBody: Sendable, Hashable {
    /// The collector accepted the batch.
    case acknowledgment(CollectorAcknowledgment)
    /// The collector did not accept anything.
    case failure(CollectorFailure)
}

extension CollectorResponseBody {
    /// Parses a body of at most 1 MiB.
    ///
    /// Returns nil if the body does not prove that the collector wrote it.
    public init?(json body: [UInt8]) {
        guard
            body.first(where: { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 }) == UInt8(ascii: "{"),
            // Other content proves nothing, so the reason for a parsing error is irrelevant.
            let value = try? JSONValue.parse(body, limits: JSONLimits(bytes: 1 << 20, depth: 8))
        else { return nil }
        if let error = value["error"], let code = error["code"]?.string {
            self = .failure(
                CollectorFailure(code: code, field: error["field"]?.string, message: error["message"]?.string ?? "")
            )
        } else if let durability = value["durability"]?.string,
            let accepted = value["accepted"]?.integer.flatMap(Int.init(exactly:)),
            accepted >= 0,
            let rejected = Self.rejected(value["rejected"])
        {
            self = .acknowledgment(
                CollectorAcknowledgment(
                    accepted: accepted,
                    rejected: rejected,
                    position: value["position"]?.string,
                    durability: durability
                )
            )
        } else {
            return nil
        }
    }

    private static func rejected(_ value: JSONValue?) -> [CollectorAcknowledgment.Rejected]? {
        guard let value else { return [] }
        guard let elements = value.array else { return nil }
        var rejected: [CollectorAcknowledgment.Rejected] = []
        for element in elements {
            guard
                let index = element["i"]?.integer.flatMap(Int.init(exactly:)),
                let code = element["code"]?.string
            else { return nil }
            rejected.append(
                CollectorAcknowledgment.Rejected(
                    index: index,
                    id: element["id"]?.string,
                    code: code,
                    field: element["field"]?.string,
                    message: element["message"]?.string
                )
            )
        }
        return rejected
    }
}

extension CollectorAcknowledgment {
    /// Returns the acknowledgment's response body.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("accepted")
        writer.integer(Int64(accepted))
        writer.key("rejected")
        writer.beginArray()
        for event in rejected {
            writer.element()
            writer.beginObject()
            writer.key("i")
            writer.integer(Int64(event.index))
            if let id = event.id { writer.member("id", id) }
            writer.member("code", event.code)
            if let field = event.field { writer.member("field", field) }
            if let message = event.message { writer.member("message", message) }
            writer.endObject()
        }
        writer.endArray()
        if let position { writer.member("position", position) }
        writer.member("durability", durability)
        if !warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in warnings {
                writer.element()
                writer.beginObject()
                if let index = warning.index {
                    writer.key("i")
                    writer.integer(Int64(index))
                    writer.key("events")
                    writer.integer(Int64(warning.events))
                }
                writer.member("code", warning.code)
                writer.member("field", warning.field)
                writer.member("message", warning.message)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        return writer.array()
    }
}

extension CollectorFailure {
    /// Returns the failure's response body.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.member("code", code)
        if let field { writer.member("field", field) }
        writer.member("message", message)
        writer.endObject()
        writer.endObject()
        return writer.array()
    }
}

/// The collector's response to an accepted batch.
///
/// This is the body of a 200 response.
public struct CollectorAcknowledgment: Sendable, Hashable {
    /// An event that the collector rejects permanently.
    public struct Rejected: Sendable, Hashable {
        /// The event's index among the events of the body, from 0.
        public var index: Int
        /// The event's ID, if valid.
        public var id: String?
        /// The code of the problem, such as `name_too_long`.
        public var code: String
        /// The invalid field.
        public var field: String?
        /// A human-readable message.
        public var message: String?

        /// Creates a rejection.
        public init(
            index: Int,
            id: String? = nil,
            code: String,
            field: String? = nil,
            message: String? = nil
        ) {
            self.index = index
            self.id = id
            self.code = code
            self.field = field
            self.message = message
        }
    }

    /// A part of the body that was accepted but is unused.
    public struct Warning: Sendable, Hashable {
        /// The index of the first affected event, starting at 0.
        ///
        /// Nil if the warning is about the body or a context.
        public var index: Int?
        /// The number of affected events.
        public var events: Int
        /// The code of the warning, such as `unread_member`.
        public var code: String
        /// The affected member.
        public var field: String
        /// A human-readable message.
        public var message: String

        /// Creates a warning.
        public init(index: Int?, events: Int, code: String, field: String, message: String) {
            self.index = index
            self.events = events
            self.code = code
            self.field = field
            self.message = message
        }
    }

    /// The number of the body's events that the collector has accepted.
    ///
    /// This includes events that the collector already had. Together with `rejected`, these are all events of the
    /// body.
    public var accepted: Int
    /// The events that the collector rejects permanently.
    public var rejected: [Rejected]
    /// The end of the batch in the collector's log, such as `3.88213`.
    ///
    /// `GET /v1/wait` accepts it.
    public var position: String?
    /// The durability of the events; a raw value of ``CollectorDurability``.
    ///
    /// For example, `disk` means that the events survive power loss.
    public var durability: String
    /// The parts of the body that were accepted but are unused.
    ///
    /// The warnings are for developers of clients; the SDK does not read them.
    public var warnings: [Warning]

    /// Creates an acknowledgment.
    public init(
        accepted: Int,
        rejected: [Rejected] = [],
        position: String? = nil,
        durability: String = "disk",
        warnings: [Warning] = []
    ) {
        self.warnings = warnings
        self.accepted = accepted
        self.rejected = rejected
        self.position = position
        self.durability = durability
    }
}

/// The collector's response when it does not accept a batch.
///
/// This is the body of a 4xx or 5xx response.
public struct CollectorFailure: Sendable, Hashable {
    /// The stable code of the problem, such as `key_unknown`.
    public var code: String
    /// The invalid header or member.
    public var field: String?
    /// A human-readable message.
    public var message: String

    /// Creates a failure.
    public init(code: String, field: String? = nil, message: String) {
        self.code = code
        self.field = field
        self.message = message
    }

    /// The message, prefixed with the code.
    public var sentence: String { message.isEmpty ? code : "\(code): \(message)" }
}
