// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One announcement of a screen.
package struct ScreenView: Sendable, Hashable {
    /// The screen of the platform's that one named by the app takes the place of.
    package enum Standing: Sendable, Hashable, Codable {
        /// The one that the platform found last.
        case lastFound
        /// The one with this unique id, whether it was found or not.
        case screen(String)
        /// None.
        case nothing
    }

    /// The screen.
    package var screen: RecordedContext.Screen
    /// What the app says about this view of it.
    package var attributes: Attributes
    /// True when the app named the screen; false when the platform found it.
    package var isManual: Bool
    /// True when a screen that the app named is known to have gone since: it stands for none that is found any more.
    package var endsNamed: Bool
    /// What a screen that the app named stands for; of no meaning for a found one.
    package var standsFor: Standing

    /// A view of these parts.
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

    /// Reads a view that waited when it was kept.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            screen: try container.decode(RecordedContext.Screen.self, forKey: .screen),
            attributes: Attributes(try container.decode([KeptAttribute].self, forKey: .attributes)),
            isManual: try container.decode(Bool.self, forKey: .isManual),
            endsNamed: try container.decodeIfPresent(Bool.self, forKey: .endsNamed) ?? false,
            standsFor: try container.decodeIfPresent(Standing.self, forKey: .standsFor) ?? .lastFound
        )
    }

    /// Writes the view so that every attribute comes back as what it was.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(screen, forKey: .screen)
        try container.encode(attributes.map { KeptAttribute($0.key, $0.value) }, forKey: .attributes)
        try container.encode(isManual, forKey: .isManual)
        if endsNamed { try container.encode(true, forKey: .endsNamed) }
        if standsFor != .lastFound { try container.encode(standsFor, forKey: .standsFor) }
    }
}

/// An attribute as it is kept: unlike the JSON that is sent, it tells a date from text, and can hold what no JSON number
/// can, which only recording it reports.
private struct KeptAttribute: Codable {
    var key: String
    var value: KeptValue

    init(_ key: String, _ value: AttributeValue) {
        self.key = key
        self.value = KeptValue(value)
    }
}

private indirect enum KeptValue: Codable {
    case string(String)
    case integer(Int64)
    case double(bits: UInt64)
    case boolean(Bool)
    case date(Timestamp)
    case array([KeptValue])
    case object([KeptAttribute])

    init(_ value: AttributeValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .integer(let number): .integer(number)
            case .double(let number): .double(bits: number.bitPattern)
            case .boolean(let truth): .boolean(truth)
            case .date(let date): .date(date)
            case .array(let values): .array(values.map { KeptValue($0) })
            case .object(let members): .object(members.map { KeptAttribute($0.key, $0.value) })
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
    fileprivate init(_ kept: [KeptAttribute]) {
        self.init(kept.map { (key: $0.key, value: $0.value.value) })
    }
}
