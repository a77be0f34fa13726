// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One report of a screen.
package struct ScreenView: Sendable, Hashable {
    /// The detected screen that a named screen replaces.
    package enum Standing: Sendable, Hashable, Codable {
        /// The last detected screen.
        case lastFound
        /// The screen with this unique id, detected or not.
        case screen(String)
        /// No detected screen.
        case nothing
    }

    /// The reported screen.
    package var screen: RecordedContext.Screen
    /// The app's attributes of this view.
    package var attributes: Attributes
    /// Whether the app named the screen; false if the platform detected it.
    package var isManual: Bool
    /// Whether the screen that the app named has disappeared.
    ///
    /// It then no longer stands for any detected screen.
    package var endsNamed: Bool
    /// The screen a named one stands for; unused for detected ones.
    package var standsFor: Standing

    /// Creates a view.
    package init(
        screen: RecordedContext.Screen,
        attributes: Attributes = [:],
        isManual: Bool,
        endsNamed: Bool = false,
        standsFor: Standing = .lastFound
    ) {
        self.screen = screen
        self.attributes = attributes.converted
        self.isManual = isManual
        self.endsNamed = endsNamed
        self.standsFor = standsFor
    }
}

extension ScreenView: Codable {
    private enum Key: String, CodingKey {
        case screen
        case attributes
        case isManual
        case endsNamed
        case standsFor
    }

    /// Reads a stored pending view.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            screen: try container.decode(RecordedContext.Screen.self, forKey: .screen),
            attributes: Attributes(try container.decode([StoredAttribute].self, forKey: .attributes)),
            isManual: try container.decode(Bool.self, forKey: .isManual),
            endsNamed: try container.decodeIfPresent(Bool.self, forKey: .endsNamed) ?? false,
            standsFor: try container.decodeIfPresent(Standing.self, forKey: .standsFor) ?? .lastFound
        )
    }

    /// Writes the view without loss of attribute types.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(screen, forKey: .screen)
        try container.encode(attributes.map { StoredAttribute($0.key, $0.value) }, forKey: .attributes)
        try container.encode(isManual, forKey: .isManual)
        if endsNamed { try container.encode(true, forKey: .endsNamed) }
        if standsFor != .lastFound { try container.encode(standsFor, forKey: .standsFor) }
    }
}

/// An attribute in its stored form.
///
/// Unlike the JSON that is sent, it distinguishes dates from text and can hold numbers that JSON cannot represent.
/// Those are reported only when they are recorded.
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
