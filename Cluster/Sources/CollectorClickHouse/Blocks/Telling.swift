// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// What a context says of a person.
struct Telling {
    /// Where something that is said of people stands: in the order of arrival.
    struct Place {
        /// The place of the record.
        let record: Int64
        /// Which of those that its record says.
        private(set) var part: UInt32 = 0

        /// Before the first one of a record.
        init(record: Int64) {
            self.record = record
        }

        /// The next place.
        mutating func next() -> Place {
            part += 1
            return self
        }
    }

    /// What kind of row it is; the others are called as ``CapturedKind`` is.
    static let kind = "context"

    /// Who is signed in; empty for the installation's visitor.
    let user: String
    let installation: InstallationID?
    let place: Place
    let context: BlockBuilder.ContextHash
    /// The part of the context that is about the person, as a context.
    let content: [UInt8]

    /// What a context says; nil when it says nothing of anybody.
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

    /// The members `user` of a context, and nothing else of it.
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

/// What was captured with an event, as it stands in rows.
enum CapturedRow {
    /// Of the app.
    case usage(UsageRow)
    /// Of the person: what the operation is, and the event's attributes.
    case person(CapturedKind, [UInt8])

    /// Reads an event; nil when nothing of it was captured.
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
