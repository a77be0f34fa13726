// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// The user traits in a context.
struct Telling {
    /// The place of user traits in order of arrival.
    struct Place {
        /// The position of the log record.
        let record: Int64
        /// The number within the log record.
        private(set) var part: UInt32 = 0

        /// Creates the place before the first one of a log record.
        init(record: Int64) {
            self.record = record
        }

        /// Advances to the next place and returns it.
        mutating func next() -> Place {
            part += 1
            return self
        }
    }

    /// The kind of row; the others have the names of ``CapturedKind``.
    static let kind = "context"

    /// The signed-in user; empty for the installation's visitor.
    let user: String
    let installation: InstallationID?
    let place: Place
    let context: BlockBuilder.ContextHash
    /// The part of the context about the person, as a context.
    let content: [UInt8]

    /// Reads a context; nil if it describes no person.
    init?(
        _ facts: ContextFacts,
        _ context: UnsafeRawBufferPointer,
        of installation: InstallationID?,
        _ hash: BlockBuilder.ContextHash,
        at place: Place
    ) {
        let isSilent = facts.uniqueID == nil && facts.anonymousID == nil && facts.firstTouch == nil
        guard facts.user != nil || installation != nil, !isSilent || !facts.attributes.isEmpty else { return nil }
        user = facts.user ?? ""
        self.installation = installation
        self.place = place
        self.context = hash
        do throws(JSONError) {
            content = try Self.people(in: context)
        } catch {
            return nil  // Admission checked the text.
        }
    }

    /// Returns a context with only the `user` members of a context.
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

    /// Reads an event; nil if it has no captured data.
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
