// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Logging

/// Makes external text safe for a terminal.
///
/// Names, values, reasons, and errors come from devices and servers. Such text must neither control a terminal nor look
/// like other output: characters that move the cursor, change colors, break lines, or reverse the order of letters are
/// shown as `·`. ``Console`` escapes all its output in this way. The codes of a ``Style`` begin with a mark that never
/// occurs in text, and ``Console`` converts them to terminal codes. In JSON, such characters are escaped, which
/// preserves the value.
enum TerminalText {
    /// The first character of a mark of a ``Style``.
    ///
    /// The character is a noncharacter, which interchanged text must not contain.
    static let mark: Unicode.Scalar = "\u{10FFFE}"

    /// The codes that a mark may contain: weights and colors, terminated by `m`.
    private static let codes: Set<String> = Set(
        ["0", "1", "2"] + Style.Color.allCases.map { String($0.rawValue) }
    )
    private static let longestCode = 2

    /// Returns one line that is safe for a terminal.
    ///
    /// - Complexity: O(length).
    static func line(_ text: String) -> String { rendered(text, keepsLines: false, keepsMarks: false) }

    /// Returns part of a line, such as a table cell, with unrendered marks.
    static func part(_ text: String) -> String { rendered(text, keepsLines: false, keepsMarks: true) }

    /// Returns a multi-line text with its line endings and tabs.
    static func document(_ text: String) -> String { rendered(text, keepsLines: true, keepsMarks: false) }

    /// Returns equivalent JSON, with characters that could control a terminal escaped.
    static func json(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHostile) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // Keep the whitespace between the elements of a document.
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

    /// Escapes external text as part of a line.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isHostile($0) || $0 == mark }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in joined(text) { append(scalar.scalar, isJoiner: scalar.isJoiner, to: &result) }
        return String(result)
    }

    /// Returns the number of visible characters of a line, without marks.
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

    /// Returns the code after a mark; nil if it is invalid.
    private static func code(of scalars: some Sequence<Unicode.Scalar>) -> String? {
        var code = ""
        for scalar in scalars.dropFirst().prefix(longestCode + 1) {
            if scalar == "m" { return codes.contains(code) ? code : nil }
            code.unicodeScalars.append(scalar)
        }
        return nil
    }

    /// Returns the scalars and whether each one is a joiner to keep.
    ///
    /// A joiner is kept if it is between two non-ASCII scalars, where it joins letters of a script or parts of an
    /// emoji.
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

    /// Whether a character controls a terminal, ends a line, or invisibly affects other characters.
    private static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// A log handler whose messages are safe for a terminal.
///
/// A message can neither control a terminal nor look like several messages.
public struct TerminalLogHandler: LogHandler {
    private var handler: any LogHandler

    /// Creates a handler that writes to standard error.
    ///
    /// - Parameter label: The logger's label.
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
