// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// A report that a screen is shown.
package struct ScreenView: Sendable, Hashable {
    /// The detected screen that a named screen replaces.
    package enum ReplacedScreen: Sendable, Hashable, Codable {
        /// The last detected screen.
        case lastFound
        /// The screen with this unique id, detected or not.
        case screen(String)
        /// No detected screen.
        case nothing
    }

    /// The reported screen.
    package var screen: RecordedContext.Screen
    /// The attributes that the app set for this view.
    package var attributes: Attributes
    /// Whether the app named the screen; false if the platform detected it.
    package var isManual: Bool
    /// Whether the screen that the app named has disappeared.
    ///
    /// If so, the named screen no longer stands for any detected screen.
    package var endsNamedScreen: Bool
    /// The screen that a named screen stands for; unused for detected screens.
    package var standsFor: ReplacedScreen

    /// Creates a view.
    package init(
        screen: RecordedContext.Screen,
        attributes: Attributes = [:],
        isManual: Bool,
        endsNamedScreen: Bool = false,
        standsFor: ReplacedScreen = .lastFound
    ) {
        self.screen = screen
        self.attributes = attributes.converted
        self.isManual = isManual
        self.endsNamedScreen = endsNamedScreen
        self.standsFor = standsFor
    }
}

extension ScreenView: Codable {
    private enum Key: String, CodingKey {
        case screen
        case attributes
        case isManual
        case endsNamedScreen = "endsNamed"
        case standsFor
    }

    /// Reads a stored pending view.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            screen: try container.decode(RecordedContext.Screen.self, forKey: .screen),
            attributes: Attributes(try container.decode([StoredAttribute].self, forKey: .attributes)),
            isManual: try container.decode(Bool.self, forKey: .isManual),
            endsNamedScreen: try container.decodeIfPresent(Bool.self, forKey: .endsNamedScreen) ?? false,
            standsFor: try container.decodeIfPresent(ReplacedScreen.self, forKey: .standsFor) ?? .lastFound
        )
    }

    /// Writes the view without loss of attribute types.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(screen, forKey: .screen)
        try container.encode(attributes.map { StoredAttribute($0.key, $0.value) }, forKey: .attributes)
        try container.encode(isManual, forKey: .isManual)
        if endsNamedScreen { try container.encode(true, forKey: .endsNamedScreen) }
        if standsFor != .lastFound { try container.encode(standsFor, forKey: .standsFor) }
    }
}

/// An attribute in its stored form.
///
/// Unlike the JSON that is sent, the stored form distinguishes dates from text and can hold numbers that JSON cannot
/// represent. Such numbers are reported only when they are recorded.
private struct StoredAttribute: Codable {
    var key: String
    var value: StoredValue

    init(_ key: String, _ value: AttributeValue) {
        self.key = key
        self.value = StoredValue(value)
    }
}

private indirect enum StoredValue: Codable {
    case string(String)
    case integer(Int64)
    case double(bits: UInt64)
    case boolean(Bool)
    case date(Timestamp)
    case array([StoredValue])
    case object([StoredAttribute])

    init(_ value: AttributeValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .integer(let number): .integer(number)
            case .double(let number): .double(bits: number.bitPattern)
            case .boolean(let truth): .boolean(truth)
            case .date(let date): .date(date)
            case .array(let values): .array(values.map { StoredValue($0) })
            case .object(let members): .object(members.map { StoredAttribute($0.key, $0.value) })
            }
    }

    var value: AttributeValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .double(let bits): .double(Double(bitPattern: bits))
        case .boolean(let truth): .boolean(truth)
        case .date(let date): .date(date)
        case .array(let values): .array(values.map(\.value))
        case .object(let members): .object(Attributes(members))
        }
    }
}

extension Attributes {
    fileprivate init(_ kept: [StoredAttribute]) {
        self.init(kept.map { (key: $0.key, value: $0.value.value) })
    }
}
