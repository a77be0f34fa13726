// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What the index takes out of a context or of an event's attributes: who, and in which session.
struct ContextFacts {
    /// The user's id, if there is one.
    var user: String?
    /// The session's id, if there is one.
    var session: String?

    /// The facts of a context: `user.id` and `session.id`.
    init(context: UnsafeRawBufferPointer) {
        user = Self.text("id", of: Self.object("user", of: context))
        session = Self.text("id", of: Self.object("session", of: context))
    }

    /// The session an event's own attributes name.
    static func session(attributes: UnsafeRawBufferPointer) -> String? {
        text("_session_id", of: attributes)
    }

    private static func object(_ key: StaticString, of object: UnsafeRawBufferPointer?) -> UnsafeRawBufferPointer? {
        guard let object else { return nil }
        do {
            return try JSONScanner.member(key, of: object).map { UnsafeRawBufferPointer(rebasing: object[$0]) }
        } catch {
            return nil  // Not an object: such a context says nothing about a user.
        }
    }

    /// The text under `key`; nil when there is none, or an empty one.
    static func text(_ key: StaticString, of object: UnsafeRawBufferPointer?) -> String? {
        guard let member = Self.object(key, of: object) else { return nil }
        do {
            var scanner = try JSONScanner(member)
            guard try scanner.peek() == .string else { return nil }
            let text = scanner.string(try scanner.readText())
            return text.isEmpty ? nil : text
        } catch {
            return nil  // Admission checked the text; a number in this place names nobody.
        }
    }
}
