// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
package import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// An SDK that an app used before this one.
///
/// It contains the functions that read the SDK's data. The data is not changed.
package struct LegacySDK: Sendable {
    /// The name of the SDK.
    package let name: String
    /// The destination for its pending events.
    package let destination: DestinationID
    /// Whether its data is in the system's location for the app.
    ///
    /// Tests have their own locations.
    let isOfSystem: Bool
    /// Reads its state.
    let state: @Sendable (EventLimits) throws(StorageError) -> LegacyState
    /// Opens its pending events.
    let waiting: @Sendable () throws(StorageError) -> LegacyEvents

    /// Creates the description of an SDK.
    ///
    /// - Parameters:
    ///   - place: The location of the data; nil for the system's.
    ///   - state: Reads the state. Throws if a state exists but cannot be read now.
    ///   - waiting: Opens the pending events. Throws if pending events exist but cannot be read now.
    init(
        name: String,
        destination: DestinationID,
        in place: LegacyStorageLocation?,
        state: @escaping @Sendable (EventLimits) throws(StorageError) -> LegacyState,
        waiting: @escaping @Sendable () throws(StorageError) -> LegacyEvents
    ) {
        self.name = name
        self.destination = destination
        isOfSystem = place == nil
        self.state = state
        self.waiting = waiting
    }
}

/// The usable state of an older SDK, and the problems with the rest.
struct LegacyState: Sendable, Hashable {
    var person = LegacyUser()
    var global: Attributes = [:]
    var behavior = LegacyLifecycle()
    var firstDay: String?
    var vendorID: String?
    var problems: [Diagnostic] = []

    /// Whether there is no sign that the app ever used the SDK.
    var isEmpty: Bool { self == LegacyState() }
}

/// The pending events of an older SDK.
enum LegacyEvents {
    /// A number of events, in a format that is not supported.
    case counted(Int)
    /// An unknown number of events.
    case unknown(Diagnostic)
    /// A Clickstream database of events.
    case clickstream(LegacyDatabase)
}

/// Reads values of an older SDK one by one.
///
/// A problem is noted and affects only that value.
struct LegacyValueReader {
    let limits: EventLimits
    private(set) var problems: [Diagnostic] = []

    init(_ limits: EventLimits) {
        self.limits = limits
    }

    /// Notes a problem with a value.
    ///
    /// - Parameters:
    ///   - field: The field of the older SDK.
    ///   - value: The value, or its kind.
    ///   - problem: The reason why it is not used, as a clause that follows the value.
    ///   - suggestion: The remedy, or nil.
    mutating func note(_ field: String, _ value: String, _ problem: String, _ suggestion: String? = nil) {
        // An SDK's entire state may be of an unexpected kind; a few sentences are enough to report that.
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

    /// Returns an id.
    ///
    /// nil if it is missing or cannot identify a user here.
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

    /// Returns a string; nil if it is missing or of another kind.
    mutating func text(_ value: PropertyValue?, _ field: String) -> String? {
        guard let value else { return nil }
        guard let text = value.string else {
            note(field, value.kind, "a string was expected; it is left in place and counts as not set")
            return nil
        }
        return text
    }

    /// Returns a version; nil if it is missing or invalid.
    mutating func version(_ value: PropertyValue?, _ field: String) -> String? {
        guard let text = id(value, field) else { return nil }
        guard text.utf8.count <= 256 else {
            note(field, text, "it is too long for a version; the next update is not recorded")
            return nil
        }
        return text
    }

    /// Returns a time in milliseconds since 1970.
    ///
    /// The value is a number or its text. nil if it is missing or invalid.
    mutating func time(_ value: PropertyValue?, _ field: String) -> Timestamp? {
        guard let value else { return nil }
        let number = value.integer ?? value.string.flatMap { Int64($0) }
        guard let number, number >= 0 else {
            note(field, value.string ?? value.kind, "a time in milliseconds since 1970 was expected")
            return nil
        }
        // Zero means unknown in these SDKs.
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

    /// Returns the attributes within the limits of one event.
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

    /// Returns the members of a dictionary; empty if it is missing.
    mutating func members(_ value: PropertyValue?, _ field: String) -> [String: PropertyValue] {
        guard let value else { return [:] }
        guard let members = value.dictionary else {
            note(field, value.kind, "a dictionary was expected; it is left in place and counts as not set")
            return [:]
        }
        return members
    }
}

extension String {
    /// The text with escaped control characters.
    fileprivate var escaped: String {
        unicodeScalars.map {
            $0.properties.generalCategory == .control ? "\\u{\(String($0.value, radix: 16))}" : "\($0)"
        }
        .joined()
    }
}
