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

    @Test("every help text fits 80 columns and starts with the usage")
    func width() {
        let commands = Self.commands(below: RootCommand.self).filter { $0.configuration.shouldDisplay }
        #expect(commands.count > 40)
        for command in commands {
            let help = HelpText.arranged(RootCommand.helpMessage(for: command, columns: 80), columns: 80)
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { #expect(line.count <= 80, "\(command._commandName): \(line)") }
            let usage = lines.firstIndex { $0.hasPrefix("USAGE: ") }
            #expect(usage ?? 99 <= 4, "\(command._commandName)")
        }
    }

    @Test("a long usage is broken between arguments, and the discussion comes last")
    func arranged() {
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
            HelpText.arranged(text, columns: 40) == """
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

    @Test(
        "a text with nothing to arrange stays unchanged",
        arguments: ["", "Error: no", "OVERVIEW: Make it.\n\nUSAGE: make it\n"]
    )
    func untouched(_ text: String) {
        #expect(HelpText.arranged(text, columns: 80) == text)
    }
}
