// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The command lines of an executable in the repository's documents.
struct DocumentedCommands {
    /// One command line.
    struct Line: CustomStringConvertible {
        /// The document, relative to the repository.
        var document: String
        /// The words after the executable's name.
        var words: [String]
        /// Whether the line is from a code block, and therefore complete.
        var isComplete: Bool

        var description: String { "\(document): \(words.joined(separator: " "))" }
    }

    /// The lines, in the order of documents.
    let lines: [Line]

    /// Reads the Markdown files of the repository's root and of `Documentation`.
    ///
    /// - Parameter executable: The name at the start of a line.
    init(of executable: String) throws {
        var root = URL(fileURLWithPath: #filePath)
        while !FileManager.default.fileExists(atPath: root.appending(path: "ARCHITECTURE.md").path), root.path != "/" {
            root = root.deletingLastPathComponent()
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".md") }
        let folder = FileManager.default.enumerator(atPath: root.appending(path: "Documentation").path)
        let pages = (folder?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }
        lines = try (names + pages.map { "Documentation/" + $0 }).sorted().flatMap { name in
            let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
            return Self.lines(of: executable, in: text, named: name)
        }
    }

    private static func lines(of executable: String, in text: String, named name: String) -> [Line] {
        var found: [Line] = []
        var isBlock = false
        var rest = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.trimmingCharacters(in: .whitespaces).hasPrefix("```") {
                isBlock.toggle()
                continue
            }
            guard isBlock else {
                // Inline code is between an odd and an even backtick.
                let parts = line.split(separator: "`", omittingEmptySubsequences: false)
                for (index, part) in parts.enumerated() where index % 2 == 1 && part.hasPrefix(executable + " ") {
                    if let words = words(String(part)) {
                        found.append(Line(document: name, words: Array(words.dropFirst()), isComplete: false))
                    }
                }
                continue
            }
            rest += line.trimmingCharacters(in: .whitespaces)
            if rest.hasSuffix("\\") {
                rest = String(rest.dropLast())
                continue
            }
            if rest.hasPrefix(executable + " "), let words = words(rest) {
                found.append(Line(document: name, words: Array(words.dropFirst()), isComplete: true))
            }
            rest = ""
        }
        return found
    }

    /// Splits a line as a shell does.
    ///
    /// Stops at a comment, a pipe, a redirection or the next command. Nil for lines with placeholders.
    private static func words(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            switch character {
            case quote: quote = nil
            case _ where quote != nil: word?.append(character)
            case "'", "\"":
                quote = character
                word = word ?? ""
            case " ":
                if let word { words.append(word) }
                word = nil
            case "#" where word == nil, "|" where word == nil, ">", "<", "&", ";":
                if let word { words.append(word) }
                return words
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        // `add|show` is a choice, and `…` is a placeholder.
        return words.contains { ($0.contains("|") || $0.contains("…")) && !$0.contains("?") } ? nil : words
    }
}
