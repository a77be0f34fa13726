// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Logging

/// Text from outside that can neither steer a terminal nor look like other text.
///
/// Names, values, reasons and errors come from devices and servers. Characters that move the cursor, change colors, break lines or
/// reverse the order of letters are shown as `·`. ``Console`` does so with everything it writes; what a ``Style`` adds is marked with
/// characters that no text has, and becomes the terminal's codes there. In JSON such characters are escaped, and mean the same.
enum TerminalText {
    /// Begins a mark of a ``Style``: a noncharacter, which no text that is exchanged may have.
    static let mark: Unicode.Scalar = "\u{10FFFE}"

    /// What a mark may ask for: the codes of weights and colors, ended by `m`.
    private static let codes: Set<String> = Set(
        ["0", "1", "2"] + Style.Colour.allCases.map { String($0.rawValue) }
    )
    private static let longestCode = 2

    /// One line as a terminal may have it.
    ///
    /// - Complexity: O(length).
    static func line(_ text: String) -> String { rendered(text, keepsLines: false, keepsMarks: false) }

    /// A part of a line whose marks are still to be rendered, such as a table's cell.
    static func part(_ text: String) -> String { rendered(text, keepsLines: false, keepsMarks: true) }

    /// Several lines, such as a file or comma-separated values: line ends and tabs stay.
    static func document(_ text: String) -> String { rendered(text, keepsLines: true, keepsMarks: false) }

    /// JSON of the same meaning, with escapes of JSON in place of such characters.
    static func json(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHostile) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // White space between the parts of a document stays.
            guard isHostile(scalar), !isLineEnd(scalar) else {
                result.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result.append(
                    contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
                )
            }
        }
        return String(result)
    }

    /// Text from outside as part of a line.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isHostile($0) || $0 == mark }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in joined(text) { append(scalar.scalar, isJoiner: scalar.isJoiner, to: &result) }
        return String(result)
    }

    /// How many characters of a line take room: all but marks.
    static func width(_ text: String) -> Int {
        guard text.unicodeScalars.contains(mark) else { return text.count }
        var rest = text.unicodeScalars[...]
        var result = String.UnicodeScalarView()
        while let scalar = rest.first {
            if scalar == mark, let code = code(of: rest) {
                rest = rest.dropFirst(code.unicodeScalars.count + 2)
            } else {
                result.append(scalar)
                rest = rest.dropFirst()
            }
        }
        return String(result).count
    }

    private static func rendered(_ text: String, keepsLines: Bool, keepsMarks: Bool) -> String {
        guard text.unicodeScalars.contains(where: { isHostile($0) || $0 == mark }) else { return text }
        var result = String.UnicodeScalarView()
        var skipped = 0
        let scalars = joined(text)
        for (index, item) in scalars.enumerated() {
            if skipped > 0 {
                skipped -= 1
            } else if item.scalar == mark, let code = code(of: scalars[index...].prefix(longestCode + 2).map(\.scalar))
            {
                result.append(contentsOf: (keepsMarks ? "\(mark)\(code)m" : "\u{1B}[\(code)m").unicodeScalars)
                skipped = code.unicodeScalars.count + 1
            } else if keepsLines, isLineEnd(item.scalar) {
                result.append(item.scalar)
            } else {
                append(item.scalar, isJoiner: item.isJoiner, to: &result)
            }
        }
        return String(result)
    }

    private static func append(_ scalar: Unicode.Scalar, isJoiner: Bool, to result: inout String.UnicodeScalarView) {
        result.append(!isJoiner && (isHostile(scalar) || scalar == mark) ? "·" : scalar)
    }

    /// The code behind a mark; nil when it is none.
    private static func code(of scalars: some Sequence<Unicode.Scalar>) -> String? {
        var code = ""
        for scalar in scalars.dropFirst().prefix(longestCode + 1) {
            if scalar == "m" { return codes.contains(code) ? code : nil }
            code.unicodeScalars.append(scalar)
        }
        return nil
    }

    /// The scalars, and which of them join letters of a script or parts of a picture: between two that are not ASCII.
    private static func joined(_ text: String) -> [(scalar: Unicode.Scalar, isJoiner: Bool)] {
        let scalars = Array(text.unicodeScalars)
        return scalars.enumerated().map { index, scalar in
            guard scalar == "\u{200C}" || scalar == "\u{200D}", index > 0, index + 1 < scalars.count else {
                return (scalar, false)
            }
            return (scalar, isLetterOrPicture(scalars[index - 1]) && isLetterOrPicture(scalars[index + 1]))
        }
    }

    private static func isLetterOrPicture(_ scalar: Unicode.Scalar) -> Bool { !scalar.isASCII && !isHostile(scalar) }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\t" || scalar == "\r"
    }

    /// Whether a character steers a terminal, ends a line, or changes how others are shown without being seen.
    private static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// Hands messages on that can neither steer a terminal nor look like several.
public struct TerminalLogHandler: LogHandler {
    private var handler: any LogHandler

    /// Writes to standard error.
    ///
    /// - Parameter label: The logger's.
    public init(label: String) { handler = StreamLogHandler.standardError(label: label) }

    init(_ handler: any LogHandler) { self.handler = handler }

    public var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    public var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    public func log(event: LogEvent) {
        var event = event
        event.message = "\(TerminalText.line(event.message.description))"
        event.metadata = event.metadata.map { $0.mapValues { .string(TerminalText.line("\($0)")) } }
        handler.log(event: event)
    }
}
