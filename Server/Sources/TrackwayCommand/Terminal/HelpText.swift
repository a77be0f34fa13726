// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The help of a command as a terminal shows it: how to call it comes first, and no line is wider than the terminal.
public enum HelpText {
    private static let overview = "OVERVIEW: "
    private static let usages = ["USAGE: ", "Usage: "]

    /// Arranges what the parser renders.
    ///
    /// - Parameters:
    ///   - text: a help text, or an error with the usage below it.
    ///   - columns: the terminal's width.
    /// - Complexity: O(length).
    public static func arranged(_ text: String, columns: Int) -> String {
        usageFirst(text).split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in usages.contains { line.hasPrefix($0) } ? wrapped(line, columns: columns) : String(line) }
            .joined(separator: "\n")
    }

    /// Puts what a command is about, in many lines, behind its options.
    private static func usageFirst(_ text: String) -> String {
        guard text.hasPrefix(overview), let usage = text.firstRange(of: "\n\n\(usages[0])") else { return text }
        let about = text[..<usage.lowerBound]
        guard let end = about.firstRange(of: "\n\n") else { return text }
        var rest = String(text[usage.lowerBound...])
        while rest.hasSuffix("\n") { rest.removeLast() }
        return "\(about[..<end.lowerBound])\(rest)\n\n\(about[end.upperBound...])\n"
    }

    /// Breaks a line between arguments, not within one, and indents what follows.
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

    /// The words of a line; what stands in brackets is one.
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
