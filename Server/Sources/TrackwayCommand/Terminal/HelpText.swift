// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Formats the help of a command for a terminal.
///
/// The usage comes before the discussion, groups of commands have plain headings, and lines fit the width of the
/// terminal.
public enum HelpText {
    private static let overview = "OVERVIEW: "
    private static let usages = ["USAGE: ", "Usage: "]
    /// The suffix that the parser adds to the heading of a command group.
    private static let group = " SUBCOMMANDS:"
    /// The number of columns left empty on the right.
    private static let margin = 2

    /// Returns the width of help text in a terminal.
    ///
    /// - Parameter width: The terminal's width in columns.
    public static func columns(ofTerminal width: Int) -> Int { max(width - margin, 40) }

    /// Rearranges text rendered by the parser.
    ///
    /// - Parameters:
    ///   - text: The help text, or an error followed by the usage.
    ///   - columns: The maximum width of lines.
    /// - Complexity: O(length of the text).
    public static func formatted(_ text: String, columns: Int) -> String {
        usageFirst(text).split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                if usages.contains(where: { line.hasPrefix($0) }) { return wrapped(line, columns: columns) }
                // “ANALYSIS SUBCOMMANDS:” becomes “ANALYSIS:”.
                let isGroup = line.hasSuffix(group) && !line.hasPrefix(" ")
                return isGroup ? "\(line.dropLast(group.count)):" : String(line)
            }
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
