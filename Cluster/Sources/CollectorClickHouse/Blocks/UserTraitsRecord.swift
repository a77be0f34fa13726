// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The user traits in a context.
struct UserTraitsRecord {
    /// The position of user traits in order of arrival.
    struct Position {
        /// The position of the log record.
        let record: Int64
        /// The number of the user traits within the log record.
        private(set) var part: UInt32 = 0

        /// Creates the position before the first user traits in a log record.
        init(record: Int64) {
            self.record = record
        }

        /// Advances to the next position and returns it.
        mutating func next() -> Position {
            part += 1
            return self
        }
    }

    /// The kind of rows with user traits from contexts.
    ///
    /// Other kinds of rows are named after ``CapturedKind``.
    static let kind = "context"

    /// The signed-in user; empty for the installation's visitor.
    let user: String
    let installation: InstallationID?
    let position: Position
    let context: BlockBuilder.ContextHash
    /// The context, reduced to the members about the person.
    let content: [UInt8]

    /// Reads a context; nil if it does not describe a person.
    init?(
        _ facts: ContextFacts,
        _ context: UnsafeRawBufferPointer,
        of installation: InstallationID?,
        _ hash: BlockBuilder.ContextHash,
        at position: Position
    ) {
        let hasNoIdentity = facts.uniqueID == nil && facts.anonymousID == nil && facts.firstTouch == nil
        guard facts.user != nil || installation != nil, !hasNoIdentity || !facts.attributes.isEmpty else { return nil }
        user = facts.user ?? ""
        self.installation = installation
        self.position = position
        self.context = hash
        do throws(JSONError) {
            content = try Self.people(in: context)
        } catch {
            return nil  // Admission checked the text.
        }
    }

    /// Returns a copy of a context with only its `user` members.
    private static func people(in context: UnsafeRawBufferPointer) throws(JSONError) -> [UInt8] {
        var parts: [[UInt8]] = []
        var scanner = try JSONScanner(context)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let isUser = scanner.text(key, equals: "user")
            let range = try scanner.skipValue()
            if isUser { parts.append(Array("\"user\":".utf8) + Array(context[range])) }
        }
        return [UInt8(ascii: "{")] + Array(parts.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "}")]
    }
}

/// An event's captured data, as stored in rows.
enum CapturedRow {
    /// Data about the app.
    case usage(UsageRow)
    /// Data about the person: the operation, and the event's attributes.
    case person(CapturedKind, [UInt8])

    /// Reads an event; nil if the event has no captured data.
    init?(_ name: String, _ event: ReceivedEvent, _ facts: ContextFacts, at time: Timestamp) {
        guard name.utf8.first == UInt8(ascii: "_"), let kind = CapturedKind(name) else { return nil }
        let values = CapturedKind.values(event.attributes)
        if let fact = CapturedFact(kind, values, facts, at: time) {
            self = .usage(UsageRow(fact))
        } else if kind.isAboutPerson(values) {
            self = .person(kind, event.attributes.map { Array($0) } ?? [])
        } else {
            return nil
        }
    }
}
