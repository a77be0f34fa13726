// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A member of one of the format's structures.
struct SiftMember: Sendable, Hashable {
    /// The condition for sending a known member.
    enum Condition: Sendable, Hashable {
        /// Always.
        case always
        /// Unless the member of this name is below zero.
        ///
        /// A value below zero means that this member is unknown.
        case unlessUnknown(String)
        /// Only if the member of this name is sent.
        case with(String)
    }

    /// The key, the same in our snapshots and on the wire.
    let name: String
    /// The type of the member's value.
    let shape: SiftShape
    /// The condition for sending the member.
    let condition: Condition
    /// Whether the current edition sends the member, as the legacy edition does.
    let isCurrent: Bool

    init(_ name: String, _ shape: SiftShape, _ condition: Condition = .always, isCurrent: Bool = false) {
        self.name = name
        self.shape = shape
        self.condition = condition
        self.isCurrent = isCurrent
    }

    /// Returns members of the same shape.
    static func members(_ names: [String], _ shape: SiftShape, isCurrent: Bool = false) -> [SiftMember] {
        names.map { SiftMember($0, shape, isCurrent: isCurrent) }
    }

    /// Returns the three components of a vector.
    static func vector(_ name: String, _ condition: Condition = .always) -> [SiftMember] {
        ["x", "y", "z"].map { SiftMember("\(name)_\($0)", .number, condition) }
    }
}

/// The type of value that the format accepts for a key.
indirect enum SiftShape: Sendable, Hashable {
    /// A string.
    case string
    /// A list of strings; sent even if it is empty.
    case strings
    /// A list of strings; left out if it is empty.
    case nonEmptyStrings
    /// An object of strings.
    case stringDictionary
    /// An integer.
    case integer
    /// Any number.
    case number
    /// A number; a value below zero means that it is unknown.
    case measurement
    /// True or false.
    case boolean
    /// A time in milliseconds since 1970.
    case time
    /// One of these constants.
    case constant(SiftConstants)
    /// An object of these members.
    case object([SiftMember])
    /// A list of objects of these members; left out if it is empty.
    case objects([SiftMember])

    /// A short description of the shape, for messages.
    var summary: String {
        switch self {
        case .string: "a string"
        case .strings, .nonEmptyStrings: "a list of strings"
        case .stringDictionary: "an object of strings"
        case .integer: "an integer"
        case .number, .measurement: "a number"
        case .boolean: "true or false"
        case .time: "milliseconds since 1970"
        case .constant(let constants): constants.values.joined(separator: ", ")
        case .object: "an object"
        case .objects: "a list of objects"
        }
    }
}

/// The constants of one type, sent as their full names in snake case.
struct SiftConstants: Sendable, Hashable {
    /// The type's name, such as `UIDeviceBatteryState`.
    let type: String
    /// The constants' names in our snapshots, such as `unplugged` or `face_up`.
    let values: [String]
    /// The names in our snapshots that correspond to no constant of the format.
    let unsupported: [String]

    init(_ type: String, _ values: [String], unsupported: [String] = []) {
        self.type = type
        self.values = values
        self.unsupported = unsupported
    }

    /// Returns the format's name for a constant; nil if it has none.
    func spelling(of value: String) -> String? {
        guard values.contains(value) else { return nil }
        return SiftSpelling.snakeCase(type).map { "\($0)_\(value)" }
    }
}

/// The spelling of constants in this format.
///
/// It is the snake case of the full name, with the prefix of its framework.
package enum SiftSpelling {
    /// Returns a name in snake case.
    ///
    /// An underscore is inserted before an uppercase letter that follows a lowercase letter, or that follows an
    /// uppercase letter and precedes a lowercase one; then all letters are converted to lowercase.
    /// `UIDeviceBatteryStateFull` becomes `ui_device_battery_state_full`, `CMMagneticField` becomes
    /// `cm_magnetic_field`.
    ///
    /// - Returns: The spelling, or nil for a name that is not ASCII.
    /// - Complexity: O(length).
    package static func snakeCase(_ name: String) -> String? {
        let letters = Array(name.utf8)
        guard letters.allSatisfy({ $0 < 0x80 }) else { return nil }
        var spelled: [UInt8] = []
        spelled.reserveCapacity(letters.count + 8)
        for (index, letter) in letters.enumerated() {
            if index > 0, isUpper(letter) {
                let before = letters[index - 1]
                let beginsWord = index + 1 < letters.count && isLower(letters[index + 1]) && isUpper(before)
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
