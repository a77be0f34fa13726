// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One key of the format's structures.
struct SiftMember: Sendable, Hashable {
    /// When a member that is known is sent.
    enum Condition: Sendable, Hashable {
        /// Always.
        case always
        /// Unless the member of this name says, by a number below zero, that this one is not known.
        case unlessUnknown(String)
        /// Only where the member of this name is sent.
        case with(String)
    }

    /// The key, the same in our snapshots and on the wire.
    let name: String
    /// What stands under it.
    let shape: SiftShape
    /// When it is sent.
    let condition: Condition
    /// Whether the current edition sends it as well as the legacy one.
    let isCurrent: Bool

    init(_ name: String, _ shape: SiftShape, _ condition: Condition = .always, isCurrent: Bool = false) {
        self.name = name
        self.shape = shape
        self.condition = condition
        self.isCurrent = isCurrent
    }

    /// Members of these names that are alike.
    static func several(_ names: [String], _ shape: SiftShape, isCurrent: Bool = false) -> [SiftMember] {
        names.map { SiftMember($0, shape, isCurrent: isCurrent) }
    }

    /// The three parts of a vector.
    static func vector(_ name: String, _ condition: Condition = .always) -> [SiftMember] {
        ["x", "y", "z"].map { SiftMember("\(name)_\($0)", .number, condition) }
    }
}

/// What the format takes under a key.
indirect enum SiftShape: Sendable, Hashable {
    /// Text.
    case text
    /// A list of texts; an empty one says that there is none.
    case texts
    /// A list of texts that is not worth a key when it is empty.
    case someTexts
    /// An object of texts.
    case labelledTexts
    /// A whole number.
    case whole
    /// Any number.
    case number
    /// A number of which one below zero says that it is not known.
    case measure
    /// True or false.
    case truth
    /// A moment, in milliseconds since 1970.
    case time
    /// One of these values.
    case constant(SiftConstants)
    /// An object of these members.
    case object([SiftMember])
    /// A list of such objects that is not worth a key when it is empty.
    case objects([SiftMember])

    /// The shape in a few words, for messages.
    var summary: String {
        switch self {
        case .text: "a text"
        case .texts, .someTexts: "a list of texts"
        case .labelledTexts: "an object of texts"
        case .whole: "a whole number"
        case .number, .measure: "a number"
        case .truth: "true or false"
        case .time: "milliseconds since 1970"
        case .constant(let constants): constants.values.joined(separator: ", ")
        case .object: "an object"
        case .objects: "a list of objects"
        }
    }
}

/// The constants of one type, which travel as the snake case of their full names.
struct SiftConstants: Sendable, Hashable {
    /// The type's name, such as `UIDeviceBatteryState`.
    let type: String
    /// What our snapshots call the constants, such as `unplugged` or `face_up`.
    let values: [String]
    /// What our snapshots say where the format says nothing.
    let unspoken: [String]

    init(_ type: String, _ values: [String], unspoken: [String] = []) {
        self.type = type
        self.values = values
        self.unspoken = unspoken
    }

    /// What the format calls a constant; nil when it has no word for it.
    func spelling(of value: String) -> String? {
        guard values.contains(value) else { return nil }
        return SiftSpelling.snakeCase(type).map { "\($0)_\(value)" }
    }
}

/// How the format spells names of constants: snake case of the full name, with the prefix of its framework.
package enum SiftSpelling {
    /// The name in snake case: an underscore before an upper-case letter whose predecessor is a lower-case one, or whose
    /// predecessor is an upper-case and successor a lower-case one; then everything in lower case.
    ///
    /// `UIDeviceBatteryStateFull` becomes `ui_device_battery_state_full`, `CMMagneticField` becomes `cm_magnetic_field`.
    ///
    /// - Returns: The spelling; nil for a name that is not ASCII.
    /// - Complexity: O(length).
    package static func snakeCase(_ name: String) -> String? {
        let letters = Array(name.utf8)
        guard letters.allSatisfy({ $0 < 0x80 }) else { return nil }
        var spelled: [UInt8] = []
        spelled.reserveCapacity(letters.count + 8)
        for (place, letter) in letters.enumerated() {
            if place > 0, isUpper(letter) {
                let before = letters[place - 1]
                let beginsWord = place + 1 < letters.count && isLower(letters[place + 1]) && isUpper(before)
                if isLower(before) || beginsWord { spelled.append(UInt8(ascii: "_")) }
            }
            spelled.append(isUpper(letter) ? letter | 0x20 : letter)
        }
        return String(decoding: spelled, as: UTF8.self)
    }

    private static func isUpper(_ letter: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
    }

    private static func isLower(_ letter: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
    }
}
