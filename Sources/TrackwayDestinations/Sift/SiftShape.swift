// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
