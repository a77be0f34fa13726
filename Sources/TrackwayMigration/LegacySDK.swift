// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Trackway
package import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

/// An SDK that an app used before this one.
///
/// The value contains the functions that read the SDK's data. They do not change the data.
package struct LegacySDK: MigrationSource {
    /// The name of the SDK.
    package let name: String
    /// The destination for the SDK's pending events.
    package let destination: DestinationID
    /// Whether the SDK's data is in the system's location for the app.
    ///
    /// Tests use their own locations.
    let isSystemLocation: Bool
    /// Reads the SDK's state.
    let state: @Sendable (EventLimits) throws(StorageError) -> LegacyState
    /// Opens the SDK's pending events.
    let pendingEvents: @Sendable () throws(StorageError) -> LegacyEvents

    /// Creates the description of an SDK.
    ///
    /// - Parameters:
    ///   - place: The location of the data; nil uses the system's location.
    ///   - state: Reads the state. Throws if a state exists but currently cannot be read.
    ///   - pendingEvents: Opens the pending events. Throws if pending events exist but currently cannot be read.
    init(
        name: String,
        destination: DestinationID,
        in place: LegacyStorageLocation?,
        state: @escaping @Sendable (EventLimits) throws(StorageError) -> LegacyState,
        pendingEvents: @escaping @Sendable () throws(StorageError) -> LegacyEvents
    ) {
        self.name = name
        self.destination = destination
        isSystemLocation = place == nil
        self.state = state
        self.pendingEvents = pendingEvents
    }

    package func makeMigrator(
        _ configuration: Configuration,
        in dependencies: Dependencies,
        _ reporter: DiagnosticReporter
    ) -> any InstallationMigrator {
        LegacyMigrator(self, configuration, in: dependencies, reporter)
    }
}

/// The usable state of an older SDK, and problems with unusable values.
struct LegacyState: Sendable, Hashable {
    var person = LegacyUser()
    var global: Attributes = [:]
    var lifecycle = LegacyLifecycle()
    var firstDay: String?
    var vendorID: String?
    var problems: [Diagnostic] = []

    /// Whether the state contains no evidence that the app ever used the SDK.
    var isEmpty: Bool { self == LegacyState() }
}

/// The pending events of an older SDK.
enum LegacyEvents {
    /// Events in an unsupported format, of which only the number is known.
    case counted(Int)
    /// Events that cannot be counted, with the reason.
    case unknown(Diagnostic)
    /// A Clickstream database that contains the events.
    case clickstream(LegacyDatabase)
}

/// Reads values of an older SDK one by one.
///
/// A problem with a value is noted and affects only that value.
struct LegacyValueReader {
    let limits: EventLimits
    private(set) var problems: [Diagnostic] = []

    init(_ limits: EventLimits) {
        self.limits = limits
    }

    /// Notes a problem with a value.
    ///
    /// - Parameters:
    ///   - field: The name of the field in the older SDK.
    ///   - value: The value, or its kind.
    ///   - problem: The reason why the value is not used, as a clause that follows the value.
    ///   - suggestion: The remedy, or nil.
    mutating func note(_ field: String, _ value: String, _ problem: String, _ suggestion: String? = nil) {
        // All of an SDK's values may have unexpected types; a few sentences are enough to report that.
        guard problems.count < Self.maximumProblems else { return }
        problems.append(
            Diagnostic(
                notMigrated: field,
                value,
                "The value \(value.truncated(toUTF8Count: 64).quoted) was not migrated: \(problem).",
                recoverySuggestion: suggestion
            )
        )
    }

    /// Returns an id.
    ///
    /// nil if the id is missing or cannot identify a user in this SDK.
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

    /// Returns a string; nil if the value is missing or has another type.
    mutating func text(_ value: PropertyValue?, _ field: String) -> String? {
        guard let value else { return nil }
        guard let text = value.string else {
            note(field, value.kind, "a string was expected; it is left in place and counts as not set")
            return nil
        }
        return text
    }

    /// Returns a version; nil if the value is missing or invalid.
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
    /// The stored value is a number or a numeric string. Returns nil if the value is missing or invalid.
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
                    notMigrated: path,
                    wrong.value,
                    wrong.message,
                    recoverySuggestion: wrong.recoverySuggestion
                )
            )
        }
        return valid
    }

    /// Returns the members of a dictionary; empty if the dictionary is missing.
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
