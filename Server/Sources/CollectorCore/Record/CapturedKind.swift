// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The captured events that a store interprets, by meaning.
public enum CapturedKind: String, Sendable, Hashable {
    case screen
    case engagement
    case click
    case start
    case end
    case crash
    case set
    case setOnce
    case increment
    case append
    case unset
    case delete
    case properties
    case state
    case alias

    /// Returns the kind for an event's name; nil for other events.
    public init?(_ name: String) {
        switch name {
        case CapturedName.screenView: self = .screen
        case CapturedName.userEngagement: self = .engagement
        case CapturedName.click: self = .click
        case CapturedName.appStart: self = .start
        case CapturedName.appEnd: self = .end
        case CapturedName.appException: self = .crash
        case CapturedName.profileSet: self = .set
        case CapturedName.profileSetOnce: self = .setOnce
        case CapturedName.profileIncrement: self = .increment
        case CapturedName.profileAppend: self = .append
        case CapturedName.profileUnset: self = .unset
        case CapturedName.profileDelete: self = .delete
        case CapturedName.deviceProperties: self = .properties
        case CapturedName.appState: self = .state
        case CapturedName.alias: self = .alias
        default: return nil
        }
    }

    /// Reads a usage time in milliseconds; nil if impossible.
    ///
    /// An event may contain any number. Impossible times are ignored, so that sums of the remaining times do not come
    /// close to overflowing.
    public static func duration(_ value: JSONValue?) -> Int64? {
        guard let milliseconds = value?.integer, (0...longestDuration).contains(milliseconds) else { return nil }
        return milliseconds
    }

    /// The maximum usage time: ten years.
    private static let longestDuration: Int64 = 10 * 366 * 86_400_000

    /// Decodes an event's attributes.
    ///
    /// Decoding all of them is acceptable because captured events are few and small.
    public static func values(_ attributes: UnsafeRawBufferPointer?) -> JSONValue.Object {
        guard let attributes else { return .init() }
        // Admission already checked the text.
        return (try? JSONValue.parse(attributes))?.object ?? .init()
    }

    /// Whether an event of this kind reports attributes of a person.
    ///
    /// - Parameter values: The event's attributes.
    public func isAboutPerson(_ values: JSONValue.Object) -> Bool {
        switch self {
        // A person's attributes are usually in the context. The attributes of a sign-in describe the event, not the
        // person.
        case .set: values[CapturedKey.signedIn] == nil
        case .setOnce, .increment, .append, .unset, .delete: true
        case .screen, .engagement, .click, .start, .end, .crash, .properties, .state, .alias: false
        }
    }
}
