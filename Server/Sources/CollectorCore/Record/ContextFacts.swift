// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The facts that a store reads from a context.
///
/// These are mainly the user, the session and the screen.
///
/// Also used for the attributes of an event.
public struct ContextFacts: Sendable {
    /// The user's id; nil if missing or a placeholder (``PlaceholderUserID``).
    public private(set) var user: String?
    /// Whether anonymous events continue to belong to an anonymous visitor (``RecordedContext/User/isSeparate``).
    public private(set) var isSeparate = false
    /// The id that distinguishes people on one device.
    public private(set) var uniqueID: String?
    /// The id of the device's anonymous visitor.
    public private(set) var anonymousID: String?
    /// When the person first opened the app.
    public private(set) var firstTouch: Timestamp?
    /// The person's attributes as set by the app.
    public private(set) var attributes: [RecordedContext.User.Attribute] = []
    /// The session's id, if any.
    public private(set) var session: String?
    /// The number of the session within its installation.
    public private(set) var sessionNumber: Int64?
    /// When the session began.
    public private(set) var sessionStart: Timestamp?
    /// The name of the screen, if one was shown.
    public private(set) var screen: String?
    /// The screen's id.
    public private(set) var screenID: String?
    /// The id that distinguishes two screens with the same name.
    public private(set) var screenUniqueID: String?
    /// The project of a client of Sensors Analytics.
    public private(set) var project: String?
    /// The app's version.
    public private(set) var version: String?

    /// Creates empty facts.
    public init() {}

    /// Reads the facts of a context, ignoring members of unexpected types.
    ///
    /// Makes a single pass over the bytes and decodes only these facts, because every batch begins with a context.
    ///
    /// - Parameter clock: The error of the device's clock; nil if the clock was correct. Used to correct the session's
    ///   start.
    public init(context: UnsafeRawBufferPointer, clock: ClockCorrection? = nil) {
        do throws(JSONError) {
            var scanner = try JSONScanner(context)
            try read(&scanner)
        } catch {
            // Admission checked the text, so an error means that the context is not an object and has no facts.
        }
        if let clock { sessionStart = sessionStart.map(clock.corrected) }
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

    /// Reads a string.
    ///
    /// Nil if it is empty or not a string, because a number here identifies no one.
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

    /// Returns the string under `key`; nil if it is missing or empty.
    public static func text(_ key: StaticString, of object: UnsafeRawBufferPointer) -> String? {
        do throws(JSONError) {
            guard let range = try JSONScanner.member(key, of: object) else { return nil }
            var scanner = try JSONScanner(UnsafeRawBufferPointer(rebasing: object[range]))
            return try text(&scanner)
        } catch {
            return nil  // Admission checked the text; a value that is not an object does not identify anyone.
        }
    }
}
