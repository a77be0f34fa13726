// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
package import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// An SDK that an app had before ours: how what it left is read. Nothing of it is changed.
package struct Predecessor: Sendable {
    /// What it is called.
    package let name: String
    /// The destination that its waiting events are for.
    package let destination: DestinationID
    /// Whether it is read where the system keeps what belongs to the app; tests have places of their own.
    let isOfSystem: Bool
    /// Reads what it knew.
    let state: @Sendable (EventLimits) throws(StorageError) -> FormerState
    /// Opens what it did not send any more.
    let waiting: @Sendable () throws(StorageError) -> FormerEvents

    /// An SDK that is read in this way.
    ///
    /// - Parameters:
    ///   - place: where it is read; the system's when nil.
    ///   - state: throws when something is there and cannot be read now.
    ///   - waiting: the same.
    init(
        name: String,
        destination: DestinationID,
        in place: ForeignPlace?,
        state: @escaping @Sendable (EventLimits) throws(StorageError) -> FormerState,
        waiting: @escaping @Sendable () throws(StorageError) -> FormerEvents
    ) {
        self.name = name
        self.destination = destination
        isOfSystem = place == nil
        self.state = state
        self.waiting = waiting
    }
}

/// What an older SDK knew, as far as it can be taken over, and what is wrong with the rest.
struct FormerState: Sendable, Hashable {
    var person = FormerPerson()
    var global: Attributes = [:]
    var behavior = FormerBehavior()
    var firstDay: String?
    var vendorID: String?
    var problems: [Diagnostic] = []

    /// Whether that SDK was never in the app, as far as can be told.
    var isEmpty: Bool { self == FormerState() }
}

/// What an older SDK did not send any more.
enum FormerEvents {
    /// So many events, in a form that is not read.
    case counted(Int)
    /// Nobody can tell how many.
    case unknown(Diagnostic)
    /// A database with the events of Clickstream.
    case clickstream(ForeignDatabase)
}

/// Reads values of an older SDK one by one; what is wrong with one is noted, and costs only that one.
struct FormerValues {
    let limits: EventLimits
    private(set) var problems: [Diagnostic] = []

    init(_ limits: EventLimits) {
        self.limits = limits
    }

    /// Notes what is wrong with a value.
    ///
    /// - Parameters:
    ///   - field: the field of the older SDK.
    ///   - value: the value, or what it is.
    ///   - problem: why it is not used, as a clause that follows the value.
    ///   - suggestion: what to do about it; nil when there is nothing to do.
    mutating func note(_ field: String, _ value: String, _ problem: String, _ suggestion: String? = nil) {
        // An SDK's whole state may be of another kind than expected; a few sentences say so.
        guard problems.count < Self.maximumProblems else { return }
        problems.append(
            Diagnostic(
                notTakenOver: field,
                value,
                "The value \(value.cut(toBytes: 64).quoted) was not migrated: \(problem).",
                recoverySuggestion: suggestion
            )
        )
    }

    /// An id; nil when there is none, or none that could name anybody here.
    mutating func id(_ value: PropertyValue?, _ field: String) -> String? {
        guard let text = text(value, field), !text.isEmpty else { return nil }
        guard text.utf8.count <= limits.stringBytes else {
            note(
                field,
                text,
                "it is longer than \(limits.stringBytes) bytes and is not truncated because it could then match "
                    + "another user",
                "Set it again."
            )
            return nil
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            note(field, text.escaped, "it has control characters", "Set it again if it is an id.")
            return nil
        }
        return text
    }

    /// A text; nil when there is none, or something else.
    mutating func text(_ value: PropertyValue?, _ field: String) -> String? {
        guard let value else { return nil }
        guard let text = value.string else {
            note(field, value.kind, "a text was expected; it stays where it is and counts as not set")
            return nil
        }
        return text
    }

    /// A version; nil when there is none.
    mutating func version(_ value: PropertyValue?, _ field: String) -> String? {
        guard let text = id(value, field) else { return nil }
        guard text.utf8.count <= 256 else {
            note(field, text, "no version is that long; the next update is not recorded")
            return nil
        }
        return text
    }

    /// A time in milliseconds since 1970, as a number or as the text of one; nil when there is none.
    mutating func time(_ value: PropertyValue?, _ field: String) -> Timestamp? {
        guard let value else { return nil }
        let number = value.integer ?? value.string.flatMap { Int64($0) }
        guard let number, number >= 0 else {
            note(field, value.string ?? value.kind, "a time in milliseconds since 1970 was expected")
            return nil
        }
        // Their nought says that nobody knows.
        guard number > 0 else { return nil }
        guard number <= Self.lastTime else {
            note(field, "\(number)", "a time before the year 10000 was expected")
            return nil
        }
        return Timestamp(milliseconds: number)
    }

    private static let maximumProblems = 32

    /// The last millisecond of the year 9999.
    static let lastTime: Int64 = 253_402_300_799_999

    /// Attributes that keep the limits of one event's.
    mutating func attributes(_ value: Attributes, _ field: String) -> Attributes {
        let (valid, diagnostics) = value.valid(limits)
        for wrong in diagnostics {
            guard problems.count < Self.maximumProblems else { break }
            let path = "\(field).\(wrong.field)"
            problems.append(
                Diagnostic(
                    notTakenOver: path,
                    wrong.value,
                    wrong.message,
                    recoverySuggestion: wrong.recoverySuggestion
                )
            )
        }
        return valid
    }

    /// The members of a dictionary; none when there is none.
    mutating func members(_ value: PropertyValue?, _ field: String) -> [String: PropertyValue] {
        guard let value else { return [:] }
        guard let members = value.dictionary else {
            note(field, value.kind, "a dictionary was expected; it stays where it is and counts as not set")
            return [:]
        }
        return members
    }
}

extension String {
    /// The text with control characters made visible.
    fileprivate var escaped: String {
        unicodeScalars.map {
            $0.properties.generalCategory == .control ? "\\u{\(String($0.value, radix: 16))}" : "\($0)"
        }
        .joined()
    }
}
