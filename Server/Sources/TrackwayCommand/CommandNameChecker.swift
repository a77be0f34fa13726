// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser

/// Checks command names before parsing, and suggests corrections.
enum CommandNameChecker {
    /// The maximum length of a word for which a correction is suggested.
    private static let longestWord = 64

    /// Former command names and their replacements.
    ///
    /// A former name that has become the name of a subcommand, such as `tail`, needs no entry.
    private static let formerNames = [
        "alert": ["alerts"], "board": ["boards"], "catalogue": ["catalog"], "engine": ["cluster"],
        "event": ["events", "show"], "failed": ["rejections"], "forward": ["cluster", "forward"],
        "policy": ["sap-policy"], "user": ["users", "show"],
    ]

    /// Returns the error in the command names, or nil for none.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the executable's name.
    ///   - root: The executable's command.
    static func fault(in arguments: [String], of root: any ParsableCommand.Type) -> CommandFailure? {
        let isHelp = arguments.first == "help"
        let words = Array(arguments.dropFirst(isHelp ? 1 : 0))
        var command = root
        var path: [String] = []
        for (index, word) in words.enumerated() {
            // Stop at options, and at the arguments of a command without subcommands.
            guard !word.hasPrefix("-"), !subcommands(of: command).isEmpty else { return nil }
            if let next = subcommand(word, of: command) {
                command = next
                path.append(name(of: next))
            } else if word == "help" || (!isHelp && isArgument(word, of: command, path, root)) {
                return nil
            } else {
                return unknown(Array(words[index...]), of: command, path, root)
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

    /// Whether a command's default subcommand accepts a word as an argument.
    private static func isArgument(
        _ word: String,
        of command: any ParsableCommand.Type,
        _ path: [String],
        _ root: any ParsableCommand.Type
    ) -> Bool {
        guard command.configuration.defaultSubcommand != nil else { return false }
        // A parsing failure means that the word is not an argument.
        return (try? root.parseAsRoot(path + [word])) != nil
    }

    private static func unknown(
        _ words: [String],
        of command: any ParsableCommand.Type,
        _ path: [String],
        _ root: any ParsableCommand.Type
    ) -> CommandFailure {
        var lines = path.isEmpty ? renamedCommands(words, in: root) : []
        if lines.isEmpty, let near = nearest(to: words[0], among: displayed(command).flatMap { names(of: $0) }) {
            lines = [path + [near]]
        }
        if lines.isEmpty, path.isEmpty { lines = nearestRenamedCommands(words, in: root) }
        let isClusterCommand = lines.contains { isHidden($0, in: root) }
        let executable = isClusterCommand ? "trackway-cluster" : name(of: root)
        let suggestions = lines.map { "`" + ([executable] + $0).joined(separator: " ") + "`" }
        let place = ([name(of: root)] + path).joined(separator: " ")
        return CommandFailure(
            .usage,
            "“\(words[0].prefix(longestWord))” is not a command of \(place)"
                + (suggestions.isEmpty ? "" : "; did you mean \(choice(suggestions))?"),
            remedy: isClusterCommand ? ClusterNotice.text : "`\(place) --help` lists the commands"
        )
    }

    /// Returns the current command lines for a former name or a subcommand name.
    private static func renamedCommands(_ words: [String], in root: any ParsableCommand.Type) -> [[String]] {
        let lines = formerNames[words[0]].map { [$0] } ?? nested(in: root).filter { $0.last == words[0] }
        return lines.map { completed($0, by: words.dropFirst(), in: root) }
    }

    /// Returns the current command lines for the most similar former name or subcommand name.
    private static func nearestRenamedCommands(_ words: [String], in root: any ParsableCommand.Type) -> [[String]] {
        let known = nested(in: root).compactMap(\.last) + formerNames.keys.sorted()
        guard let near = nearest(to: words[0], among: known) else { return [] }
        return renamedCommands([near] + words.dropFirst(), in: root)
    }

    /// Returns the paths of all displayed subcommands.
    private static func nested(in root: any ParsableCommand.Type) -> [[String]] {
        displayed(root).flatMap { command in displayed(command).map { [name(of: command), name(of: $0)] } }
    }

    /// Returns a command line extended by the words that name its subcommands.
    private static func completed(
        _ line: [String],
        by words: ArraySlice<String>,
        in root: any ParsableCommand.Type
    ) -> [String] {
        // The subcommands of another executable are unknown to this executable.
        guard !isHidden(line, in: root) else { return line + words.prefix(1).filter { !$0.hasPrefix("-") } }
        var command = root
        for word in line { command = subcommand(word, of: command) ?? command }
        var line = line
        for word in words {
            guard let next = subcommand(word, of: command) else { break }
            command = next
            line.append(name(of: next))
        }
        return line
    }

    /// Whether a command line's first word is hidden from help, because the command belongs to another executable.
    private static func isHidden(_ line: [String], in root: any ParsableCommand.Type) -> Bool {
        guard let word = line.first, let command = subcommand(word, of: root) else { return false }
        return !command.configuration.shouldDisplay
    }

    /// Joins alternatives with commas and “or”.
    private static func choice(_ texts: [String]) -> String {
        guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
        return texts.dropLast().joined(separator: ", ") + (texts.count > 2 ? ", or " : " or ") + last
    }

    private static func displayed(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        subcommands(of: command).filter { $0.configuration.shouldDisplay }
    }

    private static func subcommand(_ word: String, of command: any ParsableCommand.Type)
        -> (any ParsableCommand.Type)?
    {
        subcommands(of: command).first { names(of: $0).contains(word) }
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
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version.",
        shouldDisplay: false
    )

    func run() { Console.standard.write(TrackwayVersion.current) }
}
