// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Formats the help of a command for a terminal.
///
/// The usage comes before the discussion, and lines fit the width of the terminal.
public enum HelpText {
    private static let overview = "OVERVIEW: "
    private static let usages = ["USAGE: ", "Usage: "]

    /// Rearranges text rendered by the parser.
    ///
    /// - Parameters:
    ///   - text: A help text, or an error with the usage below it.
    ///   - columns: The terminal's width.
    /// - Complexity: O(length).
    public static func arranged(_ text: String, columns: Int) -> String {
        usageFirst(text).split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in usages.contains { line.hasPrefix($0) } ? wrapped(line, columns: columns) : String(line) }
            .joined(separator: "\n")
    }

    /// Moves the discussion after the options.
    private static func usageFirst(_ text: String) -> String {
        guard text.hasPrefix(overview), let usage = text.firstRange(of: "\n\n\(usages[0])") else { return text }
        let about = text[..<usage.lowerBound]
        guard let end = about.firstRange(of: "\n\n") else { return text }
        var rest = String(text[usage.lowerBound...])
        while rest.hasSuffix("\n") { rest.removeLast() }
        return "\(about[..<end.lowerBound])\(rest)\n\n\(about[end.upperBound...])\n"
    }

    /// Wraps a line between arguments, and indents continuation lines.
    private static func wrapped(_ line: Substring, columns: Int) -> String {
        let indent = String(repeating: " ", count: usages[0].count)
        var lines = [""]
        for argument in arguments(line) {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = argument
            } else if last.count + 1 + argument.count <= columns {
                lines[lines.count - 1] = last + " " + argument
            } else {
                lines.append(indent + argument)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Splits a line into words; bracketed text is one word.
    private static func arguments(_ line: Substring) -> [String] {
        var arguments: [String] = []
        var (current, depth) = ("", 0)
        for character in line {
            switch character {
            case "[", "<": depth += 1
            case "]", ">": depth -= 1
            default: break
            }
            if character == " ", depth <= 0 {
                arguments.append(current)
                current = ""
            } else {
                current.append(character)
            }
        }
        return arguments + [current]
    }
}
