// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What a store takes out of a context or of an event's attributes: who, in which session, on which screen.
public struct ContextFacts: Sendable {
    /// The user's ID; nil without one, and for an ID that stands for a missing one (``PlaceholderUserID``).
    public private(set) var user: String?
    /// Whether anonymous events stay those of an anonymous visitor (``RecordedContext/User/isSeparate``).
    public private(set) var isSeparate = false
    /// What tells people apart on one device.
    public private(set) var uniqueID: String?
    /// The device's anonymous visitor.
    public private(set) var anonymousID: String?
    /// When the person first opened the app.
    public private(set) var firstTouch: Timestamp?
    /// What the app said about the person.
    public private(set) var attributes: [RecordedContext.User.Attribute] = []
    /// The session's id, if there is one.
    public private(set) var session: String?
    /// The session's number of its installation.
    public private(set) var sessionNumber: Int64?
    /// When the session began.
    public private(set) var sessionStart: Timestamp?
    /// The screen's name, if one was shown.
    public private(set) var screen: String?
    /// The screen's id.
    public private(set) var screenID: String?
    /// What tells two screens of one name apart.
    public private(set) var screenUniqueID: String?
    /// The project of a client of Sensors Analytics.
    public private(set) var project: String?
    /// The app's version.
    public private(set) var version: String?

    /// No facts.
    public init() {}

    /// The facts of a context. What is there and something else than expected says nothing.
    ///
    /// One walk over the bytes, and nothing but these facts is decoded: every batch begins with a context.
    ///
    /// - Parameter clock: How far the device's clock was off; nil when it was right. The session's start is corrected by it.
    public init(context: UnsafeRawBufferPointer, clock: ClockCorrection? = nil) {
        do throws(JSONError) {
            var scanner = try JSONScanner(context)
            try read(&scanner)
        } catch {
            // Admission checked the text, so this is a context that is no object: it says nothing.
        }
        if let clock { sessionStart = sessionStart.map(clock.moved) }
    }

    private mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard try scanner.peek() == .object else {
                try scanner.skipValue()
                continue
            }
            if scanner.text(key, equals: "user") {
                try readUser(&scanner)
            } else if scanner.text(key, equals: "session") {
                try readSession(&scanner)
            } else if scanner.text(key, equals: "screen") {
                try readScreen(&scanner)
            } else if scanner.text(key, equals: "app") {
                try readApp(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
    }

    private mutating func readUser(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "id") {
                let id = try Self.text(&scanner)
                user = id.flatMap { PlaceholderUserID.contains($0) ? nil : $0 }
            } else if scanner.text(key, equals: "separate") {
                isSeparate = try scanner.readValue().boolean == true
            } else if scanner.text(key, equals: "unique_id") {
                uniqueID = try Self.text(&scanner)
            } else if scanner.text(key, equals: "anonymous_id") {
                anonymousID = try Self.text(&scanner)
            } else if scanner.text(key, equals: "first_touch") {
                firstTouch = try Self.integer(&scanner).map { Timestamp(milliseconds: $0) }
            } else if scanner.text(key, equals: "attributes") {
                let described = JSONValue.Object([.init(key: "attributes", value: try scanner.readValue())])
                let context = JSONValue.Object([.init(key: "user", value: .object(described))])
                attributes = RecordedContext(.object(context)).user.attributes
            } else {
                try scanner.skipValue()
            }
        }
    }

    private mutating func readApp(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "project") {
                project = try Self.text(&scanner)
            } else if scanner.text(key, equals: "version") {
                version = try Self.text(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
    }

    private mutating func readSession(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "id") {
                session = try Self.text(&scanner)
            } else if scanner.text(key, equals: "number") {
                sessionNumber = try Self.integer(&scanner)
            } else if scanner.text(key, equals: "start") {
                sessionStart = try Self.integer(&scanner).map { Timestamp(milliseconds: $0) }
            } else {
                try scanner.skipValue()
            }
        }
    }

    private mutating func readScreen(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "name") {
                screen = try Self.text(&scanner)
            } else if scanner.text(key, equals: "id") {
                screenID = try Self.text(&scanner)
            } else if scanner.text(key, equals: "unique_id") {
                screenUniqueID = try Self.text(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
    }

    /// A text; nil when it is none, or empty: a number in this place identifies no one.
    private static func text(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
        guard try scanner.peek() == .string else {
            try scanner.skipValue()
            return nil
        }
        let text = scanner.string(try scanner.readText())
        return text.isEmpty ? nil : text
    }

    private static func integer(_ scanner: inout JSONScanner) throws(JSONError) -> Int64? {
        guard try scanner.peek() == .number else {
            try scanner.skipValue()
            return nil
        }
        guard case .integer(let value) = try scanner.readNumber() else { return nil }
        return value
    }

    /// The text under `key`; nil when there is none, or an empty one.
    public static func text(_ key: StaticString, of object: UnsafeRawBufferPointer) -> String? {
        do throws(JSONError) {
            guard let range = try JSONScanner.member(key, of: object) else { return nil }
            var scanner = try JSONScanner(UnsafeRawBufferPointer(rebasing: object[range]))
            return try text(&scanner)
        } catch {
            return nil  // Admission checked the text; what is not an object identifies no one.
        }
    }
}
