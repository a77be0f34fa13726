// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A body that proves that the collector itself responded.
///
/// Its form is `{"accepted":…,"durability":…}` or `{"error":{…}}`.
public enum CollectorReply: Sendable, Hashable {
    /// The collector accepted the batch.
    case answer(CollectorAnswer)
    /// The collector accepted nothing.
    case failure(CollectorFailure)
}

extension CollectorReply {
    /// Parses a body of at most 1 MiB.
    ///
    /// Returns nil if the body does not prove that the collector wrote it.
    public init?(json body: [UInt8]) {
        guard
            body.first(where: { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 }) == UInt8(ascii: "{"),
            // Other content proves nothing, and the reason for a parsing error does not matter.
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
            self = .answer(
                CollectorAnswer(
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

    private static func rejected(_ value: JSONValue?) -> [CollectorAnswer.Rejected]? {
        guard let value else { return [] }
        guard let elements = value.array else { return nil }
        var rejected: [CollectorAnswer.Rejected] = []
        for element in elements {
            guard
                let index = element["i"]?.integer.flatMap(Int.init(exactly:)),
                let code = element["code"]?.string
            else { return nil }
            rejected.append(
                CollectorAnswer.Rejected(
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

extension CollectorAnswer {
    /// Returns the response's body.
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
    /// Returns the failure's body.
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

/// The collector's response to an accepted batch: the body of a 200.
public struct CollectorAnswer: Sendable, Hashable {
    /// An event that the collector rejects permanently.
    public struct Rejected: Sendable, Hashable {
        /// The event's index among the events of the body, from 0.
        public var index: Int
        /// The event's id, if it has a valid one.
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
        /// The first event concerned, from 0.
        ///
        /// Nil if it is the body or a context.
        public var index: Int?
        /// The number of events concerned.
        public var events: Int
        /// The code of the warning, such as `unread_member`.
        public var code: String
        /// The member concerned.
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

    /// The number of the body's events that the collector now has.
    ///
    /// This includes events that it had before. Together with `rejected`, these are all events of the body.
    public var accepted: Int
    /// The events that the collector rejects permanently.
    public var rejected: [Rejected]
    /// The end of the batch in the collector's log, such as `3.88213`.
    ///
    /// `GET /v1/wait` accepts it.
    public var position: String?
    /// The durability of the events, a value of ``CollectorDurability``.
    ///
    /// It is `disk` if they survive power loss.
    public var durability: String
    /// The parts of the body that were accepted but are unused.
    ///
    /// They are for developers of clients; the SDK does not read them.
    public var warnings: [Warning]

    /// Creates a response.
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

/// The collector's response when it accepts nothing.
///
/// It is the body of a 4xx or 5xx.
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
