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
        let root = Self.repository
        let names = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".md") }
        let folder = FileManager.default.enumerator(atPath: root.appending(path: "Documentation").path)
        let pages = (folder?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }
        lines = try (names + pages.map { "Documentation/" + $0 }).sorted().flatMap { name in
            let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
            return Self.lines(of: executable, in: text, named: name)
        }
    }

    /// Reads the examples in a command's help: the indented lines.
    ///
    /// - Parameters:
    ///   - executable: The name at the start of a line.
    ///   - name: The command.
    init(of executable: String, inHelp text: String, of name: String) {
        let examples = text.split(separator: "\n", omittingEmptySubsequences: false).filter { $0.hasPrefix("  ") }
        lines = Self.lines(of: executable, in: "```\n\(examples.joined(separator: "\n"))\n```", named: name)
    }

    /// Reads the code spans in comments and string literals of Swift files.
    ///
    /// - Parameters:
    ///   - executable: The name at the start of a span.
    ///   - folders: The folders of the files, relative to the repository.
    init(of executable: String, inSourcesOf folders: [String]) throws {
        lines = try folders.flatMap { folder in
            let files = FileManager.default.enumerator(atPath: Self.repository.appending(path: folder).path)
            let names = (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted()
            return try names.flatMap { name in
                let file = folder + "/" + name
                let text = try String(contentsOf: Self.repository.appending(path: file), encoding: .utf8)
                let spans = text.replacing("“", with: "`").replacing("”", with: "`")
                return Self.lines(of: executable, in: spans, named: file)
            }
        }
    }

    /// The repository's root.
    static var repository: URL {
        var root = URL(fileURLWithPath: #filePath)
        while !FileManager.default.fileExists(atPath: root.appending(path: "ARCHITECTURE.md").path), root.path != "/" {
            root = root.deletingLastPathComponent()
        }
        return root
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
        // `add|show` is a choice, and `…`, `\(name)`, and `$NAME` are placeholders.
        let isIncomplete = words.contains { word in
            (word.contains("|") || word.contains("…")) && !word.contains("?") || word.contains("\\(")
                || word.hasPrefix("$")
        }
        return isIncomplete ? nil : words
    }
}
