// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A body that proves that the collector itself answered: `{"accepted":…,"durability":…}` or `{"error":{…}}`.
public enum CollectorReply: Sendable, Hashable {
    /// It has taken the batch.
    case answer(CollectorAnswer)
    /// It has taken nothing.
    case failure(CollectorFailure)
}

extension CollectorReply {
    /// Reads a body of at most 1 MiB; nil when it does not prove that the collector wrote it.
    public init?(json body: [UInt8]) {
        guard
            body.first(where: { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 }) == UInt8(ascii: "{"),
            // Whatever else it is, and why it cannot be read, does not matter: it is no proof.
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
    /// The answer's body.
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
    /// The failure's body.
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

/// What the collector answers to a batch it has taken: the body of a 200.
public struct CollectorAnswer: Sendable, Hashable {
    /// One event it will never take.
    public struct Rejected: Sendable, Hashable {
        /// The event's place among the events of the body, from 0.
        public var index: Int
        /// The event's id, if it had a readable one.
        public var id: String?
        /// What is wrong with it, such as `name_too_long`.
        public var code: String
        /// The field at fault.
        public var field: String?
        /// A sentence for humans.
        public var message: String?

        /// Makes a rejection.
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

    /// Something in the body that it took and does not use.
    public struct Warning: Sendable, Hashable {
        /// The first event it is about, from 0; nil when it is about the body or a context.
        public var index: Int?
        /// How many events it is about.
        public var events: Int
        /// What it is, such as `unread_member`.
        public var code: String
        /// The member.
        public var field: String
        /// A sentence for humans.
        public var message: String

        /// Makes a warning.
        public init(index: Int?, events: Int, code: String, field: String, message: String) {
            self.index = index
            self.events = events
            self.code = code
            self.field = field
            self.message = message
        }
    }

    /// How many events of the body are the collector's now, those it had before included. Together with `rejected` these
    /// are all events of the body.
    public var accepted: Int
    /// The events it will never take.
    public var rejected: [Rejected]
    /// Where the batch ends in the collector's log, such as `3.88213`; `GET /v1/wait` takes it.
    public var position: String?
    /// How safe the events are: the word of a ``CollectorDurability``, `disk` when they survive power loss.
    public var durability: String
    /// What it took and does not use. Written for people who write clients; the SDK does not read it.
    public var warnings: [Warning]

    /// Makes an answer.
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

/// What the collector answers when it takes nothing: the body of a 4xx or 5xx.
public struct CollectorFailure: Sendable, Hashable {
    /// What is wrong, such as `key_unknown`; stable.
    public var code: String
    /// The header or member at fault.
    public var field: String?
    /// A sentence for humans.
    public var message: String

    /// Makes a failure.
    public init(code: String, field: String? = nil, message: String) {
        self.code = code
        self.field = field
        self.message = message
    }

    /// The sentence, with the code in front.
    public var sentence: String { message.isEmpty ? code : "\(code): \(message)" }
}
