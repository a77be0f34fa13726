// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Reads the parts of saved objects from JSON.
///
/// The errors name the member, its value, and the remedy.
struct SavedObjectReader {
    /// The maximum number of bytes in a title.
    static let titleBytes = 256
    /// The maximum number of bytes in a query's parameters.
    static let queryBytes = 4_096

    let value: JSONValue
    /// The path of the value, for errors; empty for the whole object.
    var path = ""
    /// The name of the whole object, such as “The board”.
    var noun: String

    /// Returns the members of an object; throws if one is unknown.
    func members(_ known: [String]) throws(SavedError) -> JSONValue.Object {
        guard let object = value.object else {
            throw SavedError(
                .malformed,
                field: path,
                "\(path.isEmpty ? noun : "“\(path)”") is not an object with \(known.joined(separator: ", "))."
            )
        }
        if let other = object.members.first(where: { !known.contains($0.key) })?.key {
            throw SavedError(
                .malformed,
                field: path.isEmpty ? String(other.prefix(64)) : "\(path).\(other.prefix(64))",
                "“\(other.prefix(64))” is not a known member; the members are \(known.joined(separator: ", "))."
            )
        }
        return object
    }

    /// Reads the version that a change is based on; nil if missing.
    static func version(_ value: JSONValue?) throws(SavedError) -> Int64? {
        guard let value else { return nil }
        guard let version = value.integer, version > 0 else {
            throw SavedError(.malformed, field: "version", "“version” is not a whole number of 1 or more.")
        }
        return version
    }

    /// Reads a title, which must contain visible text.
    static func title(_ value: JSONValue?, _ field: String) throws(SavedError) -> String {
        guard let title = value?.string, title.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw SavedError(.malformed, field: field, "“\(field)” is missing or empty: write a title.")
        }
        guard title.utf8.count <= titleBytes else {
            throw SavedError(
                .malformed,
                field: field,
                "“\(title.prefix(32))…” has \(title.utf8.count) bytes; a title can have at most \(titleBytes)."
            )
        }
        guard !title.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw SavedError(
                .malformed,
                field: field,
                "The title has a control character, such as a line break; write it on one line."
            )
        }
        return title
    }

    /// Reads a value from a fixed set of words.
    ///
    /// - Parameters:
    ///   - allowed: The allowed words; nil for all words of the type.
    ///   - defaultValue: The default; nil if the value is required.
    static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ value: JSONValue?,
        _ field: String,
        among allowed: [Choice]? = nil,
        default defaultValue: Choice?
    ) throws(SavedError) -> Choice {
        if value == nil, let defaultValue { return defaultValue }
        let allowed = allowed ?? Array(Choice.allCases)
        let choices = allowed.map(\.rawValue).joined(separator: ", ")
        guard let text = value?.string else {
            throw SavedError(.malformed, field: field, "“\(field)” is missing or not text; write one of \(choices).")
        }
        guard let choice = allowed.first(where: { $0.rawValue == text }) else {
            throw SavedError(.malformed, field: field, "“\(text.prefix(64))” is not one of \(choices).")
        }
        return choice
    }

    /// Reads a query's parameters, as written in a URL.
    static func query(_ value: JSONValue?, _ field: String) throws(SavedError) -> String {
        guard let value else { return "" }
        guard let text = value.string else {
            throw SavedError(.malformed, field: field, "“\(field)” is not a string such as name=purchase&last=30d.")
        }
        guard text.utf8.count <= queryBytes else {
            throw SavedError(
                .malformed,
                field: field,
                "The query has \(text.utf8.count) bytes; at most \(queryBytes) are allowed."
            )
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw SavedError(
                .malformed,
                field: field,
                "“\(text.prefix(64))” is not URL-encoded: write non-ASCII characters, spaces and “#” as %XX."
            )
        }
        return text
    }

    /// Reads a duration such as `10m`, `4h` or `7d`.
    ///
    /// - Parameter defaultValue: The default; nil if the value is required.
    static func length(
        _ value: JSONValue?,
        _ field: String,
        in bounds: ClosedRange<Duration>,
        default defaultValue: Duration?
    ) throws(SavedError) -> Duration {
        if value == nil, let defaultValue { return defaultValue }
        let range = "from \(DurationText.text(bounds.lowerBound)) to \(DurationText.text(bounds.upperBound))"
        guard let text = value?.string, let length = DurationText.length(text) else {
            let shown = value?.string.map { "“\($0.prefix(64))”" } ?? "“\(field)”"
            throw SavedError(
                .malformed,
                field: field,
                "\(shown) is not a duration: write one \(range), such as 10m, 4h or 7d."
            )
        }
        guard bounds.contains(length) else {
            throw SavedError(.malformed, field: field, "“\(text.prefix(64))” is not \(range).")
        }
        return length
    }
}

/// Reads and writes durations such as `90s`, `10m`, `4h`, and `7d`.
public enum DurationText {
    private static let units: [(letter: Character, seconds: Int64)] = [
        ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
    ]

    /// Reads a duration.
    ///
    /// Nil if the text is invalid, or the duration is more than a hundred years.
    public static func length(_ text: some StringProtocol) -> Duration? {
        guard let last = text.last, let unit = units.first(where: { $0.letter == last }) else { return nil }
        let digits = text.dropLast()
        guard (1...10).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let count = Int64(digits), count <= 100 * 366 * 86_400 / unit.seconds
        else { return nil }
        return .seconds(count * unit.seconds)
    }

    /// Returns a duration in the longest unit that expresses its seconds exactly.
    public static func text(_ length: Duration) -> String {
        let seconds = length.components.seconds
        let unit = units.first { seconds != 0 && seconds % $0.seconds == 0 } ?? ("m", 60)
        return "\(seconds / unit.seconds)\(unit.letter)"
    }
}

/// Names and secrets that the collector generates for saved objects.
enum SavedName {
    /// Whether a string is a valid name.
    ///
    /// Valid names have 1 to 32 ASCII letters, digits or hyphens.
    static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Returns random letters and digits, with five random bits each.
    ///
    /// 0, 1, l, and o are not used, because the result may be read aloud.
    ///
    /// - Parameter randomUInt64: Returns random bits that are as strong as the use of the letters requires.
    static func randomLetters(_ count: Int, _ randomUInt64: () -> UInt64) -> String {
        let alphabet = Array("23456789abcdefghijkmnpqrstuvwxyz".utf8)
        var text: [UInt8] = []
        while text.count < count {
            var bits = randomUInt64()
            for _ in 0..<min(12, count - text.count) {
                text.append(alphabet[Int(bits & 31)])
                bits >>= 5
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
