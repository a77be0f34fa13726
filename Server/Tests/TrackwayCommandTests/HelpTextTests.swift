// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import TrackwayCommand

@Suite("Help")
struct HelpTextTests {
    /// Returns a command and all commands below it.
    private static func commands(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap { commands(below: $0) }
    }

    /// Returns the lines of a command's help in a terminal of 80 columns.
    private static func lines(of command: any ParsableCommand.Type) -> [String] {
        let columns = HelpText.columns(ofTerminal: 80)
        let help = HelpText.formatted(RootCommand.helpMessage(for: command, columns: columns), columns: columns)
        return help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test
    func `every help text has at most 78 columns, starts with the usage, and has an abstract that is a sentence`() {
        let commands = Self.commands(below: RootCommand.self).filter { $0.configuration.shouldDisplay }
        #expect(commands.count > 55)
        for command in commands {
            let lines = Self.lines(of: command)
            for line in lines { #expect(line.count <= 78, "\(command._commandName): \(line)") }
            let usage = lines.firstIndex { $0.hasPrefix("USAGE: ") }
            #expect(usage ?? 99 <= 4, "\(command._commandName)")
            let abstract = command.configuration.abstract
            #expect(abstract.hasSuffix(".") && abstract.count > 10, "\(command._commandName): \(abstract)")
        }
    }

    @Test
    func `the help of trackway groups its commands, and has at most 60 lines`() {
        let lines = Self.lines(of: RootCommand.self)
        #expect(lines.last == "")
        #expect(lines.dropLast().count <= 60)
        let titles = ["COLLECTOR:", "EVENTS:", "ANALYSIS:", "BOARDS AND ALERTS:", "DEVICES:"]
        #expect(lines.filter { titles.contains($0) } == titles)
        #expect(!lines.contains { $0.contains("SUBCOMMANDS") })
        for command in RootCommand.configuration.subcommands where command.configuration.shouldDisplay {
            let line = lines.first { $0.hasPrefix("  \(command._commandName) ") }
            // An abstract that does not fit would continue on the next line.
            #expect(line?.hasSuffix(command.configuration.abstract) == true, "\(command._commandName)")
        }
        for title in ["EXAMPLES", "ENVIRONMENT", "EXIT STATUS"] { #expect(lines.contains(title)) }
        #expect(lines.count(where: { $0.hasPrefix("  # ") }) <= 6)
    }

    @Test
    func `group headings are shown without the word SUBCOMMANDS`() {
        let text = "OVERVIEW: Make it.\n\nUSAGE: make\n\nPARTS AND TOOLS SUBCOMMANDS:\n  drill   Drill.\n"
        #expect(HelpText.formatted(text, columns: 80).contains("\nPARTS AND TOOLS:\n  drill   Drill.\n"))
    }

    @Test
    func `a long usage line is broken between arguments, and the discussion is last`() {
        let text = """
            OVERVIEW: Make it.

            It is made.
            EXAMPLES
              make it

            USAGE: make it <name> [--first <first>] [--second <second>]

            ARGUMENTS:
              <name>                  The name.

            """
        #expect(
            HelpText.formatted(text, columns: 40) == """
                OVERVIEW: Make it.

                USAGE: make it <name> [--first <first>]
                       [--second <second>]

                ARGUMENTS:
                  <name>                  The name.

                It is made.
                EXAMPLES
                  make it

                """
        )
    }

    @Test(arguments: ["", "Error: no", "OVERVIEW: Make it.\n\nUSAGE: make it\n"])
    func `text that needs no formatting stays unchanged`(_ text: String) {
        #expect(HelpText.formatted(text, columns: 80) == text)
    }
}
