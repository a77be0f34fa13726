// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser

/// Checks command names before parsing, and suggests corrections of typos.
enum CommandNameChecker {
    /// The maximum length of a word that gets a suggestion.
    private static let longestWord = 64

    /// Returns the error in the command names, or nil for none.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the executable's name.
    ///   - root: The executable's command.
    static func fault(in arguments: [String], of root: any ParsableCommand.Type) -> CommandFailure? {
        let isHelp = arguments.first == "help"
        var (command, path) = (root, name(of: root))
        for word in isHelp ? arguments.dropFirst() : arguments[...] {
            // Stop at options, and at the arguments of a command without subcommands.
            guard !word.hasPrefix("-"), !subcommands(of: command).isEmpty else { return nil }
            if let next = subcommands(of: command).first(where: { names(of: $0).contains(word) }) {
                (command, path) = (next, path + " " + name(of: next))
            } else if word == "help" || (command.configuration.defaultSubcommand != nil && !isHelp) {
                return nil
            } else {
                return unknown(word, below: command, path)
            }
        }
        return nil
    }

    /// Returns the most similar word, or nil if none is similar enough.
    ///
    /// - Complexity: O(words × their lengths).
    static func nearest(to word: String, among words: [String]) -> String? {
        let word = word.lowercased()
        guard !word.isEmpty, word.count <= longestWord else { return nil }
        if let longer = words.first(where: { word.count >= 3 && $0.hasPrefix(word) }) { return longer }
        let near = words.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let near, near.distance <= max(1, word.count / 3) else { return nil }
        return near.word
    }

    private static func unknown(_ word: String, below command: any ParsableCommand.Type, _ path: String)
        -> CommandFailure
    {
        let shown = subcommands(of: command).filter { $0.configuration.shouldDisplay }
        let suggestion = nearest(to: word, among: shown.flatMap { names(of: $0) })
        return CommandFailure(
            .usage,
            "“\(word.prefix(longestWord))” is not a command of \(path)"
                + (suggestion.map { "; did you mean `\(path) \($0)`?" } ?? ""),
            remedy: "`\(path) --help` lists the commands"
        )
    }

    private static func subcommands(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands
    }

    private static func name(of command: any ParsableCommand.Type) -> String { command._commandName }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [name(of: command)] + command.configuration.aliases
    }

    /// Returns the edit distance of two words.
    ///
    /// Each insertion, deletion, substitution, and swap of adjacent letters counts as one.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var rows = [Array(0...right.count)]
        for (index, letter) in left.enumerated() {
            var row = [index + 1]
            for (place, other) in right.enumerated() {
                var least = min(
                    rows[index][place] + (letter == other ? 0 : 1),
                    rows[index][place + 1] + 1,
                    row[place] + 1
                )
                if index > 0, place > 0, letter == right[place - 1], left[index - 1] == other {
                    least = min(least, rows[index - 1][place - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}

/// Prints the version.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    func run() { Console.standard.write(TrackwayVersion.current) }
}
