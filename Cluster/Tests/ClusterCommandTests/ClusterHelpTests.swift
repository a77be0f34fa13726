// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("Help of trackway-cluster")
struct ClusterHelpTests {
    /// Returns a command and all its visible subcommands, at any depth.
    private static func commands(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command]
            + command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .flatMap { commands(below: $0) }
    }

    /// Returns the lines of a command's help in a terminal of 80 columns.
    private static func lines(of command: any ParsableCommand.Type) -> [String] {
        let columns = HelpText.columns(ofTerminal: 80)
        let help = HelpText.formatted(TrackwayCluster.helpMessage(for: command, columns: columns), columns: columns)
        return help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test
    func `every help text is at most 78 columns wide, starts with the usage, and has a one-sentence abstract`() {
        let commands = Self.commands(below: TrackwayCluster.self)
        #expect(commands.count > 60)
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
    func `the help groups the commands and lists the cluster commands first`() {
        let lines = Self.lines(of: TrackwayCluster.self)
        let titles = ["CLUSTER:", "COLLECTOR:", "EVENTS:", "ANALYSIS:", "BOARDS AND ALERTS:", "DEVICES:"]
        #expect(lines.filter { titles.contains($0) } == titles)
        for command in TrackwayCluster.configuration.subcommands where command.configuration.shouldDisplay {
            let line = lines.first { $0.hasPrefix("  \(command._commandName) ") }
            #expect(line?.hasSuffix(command.configuration.abstract) == true, "\(command._commandName)")
        }
    }

    @Test(
        arguments: [
            (["engine"], "trackway-cluster cluster"), (["engine", "check"], "trackway-cluster cluster check"),
            (["engine", "init", "--nats", "nats://a"], "trackway-cluster cluster init"),
            (["forward"], "trackway-cluster cluster forward"), (["purge"], "trackway-cluster cluster purge"),
            (["audit"], "trackway-cluster cluster audit"), (["expire"], "trackway-cluster cluster expire"),
            (["tail"], "trackway-cluster events tail"), (["cluster", "chek"], "trackway-cluster cluster check"),
        ] as [([String], String)]
    )
    func `a former name or a bare subcommand name suggests the full command line`(
        _ words: [String],
        _ line: String
    ) throws {
        let fault = try #require(CommandNameChecker.fault(in: words, of: TrackwayCluster.self))
        #expect(fault.status == .usage)
        #expect(fault.message.hasSuffix("; did you mean `\(line)`?"), "\(fault.message)")
    }
}
