// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import Foundation

/// The `trackway` command: runs the collector and queries it.
public struct RootCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "trackway",
        abstract: "Run a Trackway collector and query it.",
        discussion: TrackwayCommands.discussion(
            examples: """
                  # Start a collector on http://127.0.0.1:8787.
                  trackway serve --dev-key dev
                """
        ),
        version: TrackwayVersion.current,
        groupedSubcommands: TrackwayCommands.groups(serve: ServeCommand.self, hidden: [ClusterNotice.Cluster.self])
    )

    public init() {}
}

/// The commands and help shared by `trackway` and `trackway-cluster`.
public enum TrackwayCommands {
    /// Returns all commands, in the groups of the help text.
    ///
    /// - Parameters:
    ///   - serve: The command that runs the collector.
    ///   - hidden: Additional commands, hidden from help.
    public static func groups(
        serve: any ParsableCommand.Type,
        hidden: [any ParsableCommand.Type] = []
    ) -> [CommandGroup] {
        // The help text lists the option `--version` instead of `VersionCommand`.
        let devices: [any ParsableCommand.Type] = [
            InstallationsCommand.self, ErasuresCommand.self, JournalCommand.self, DeviceCommand.self,
            VersionCommand.self,
        ]
        return [
            CommandGroup(
                name: "Collector",
                subcommands: [
                    serve, KeysCommand.self, BackupCommand.self, SAPPolicyCommand.self, DemoCommand.self,
                    SampleCommand.self, ResetCommand.self, DoctorCommand.self,
                ]
            ),
            CommandGroup(
                name: "Events",
                subcommands: [
                    SendCommand.self, EventsCommand.self, RejectionsCommand.self, CatalogCommand.self,
                    PlanCommand.self, ExpectCommand.self, LedgerCommand.self,
                ]
            ),
            CommandGroup(
                name: "Analysis",
                subcommands: [
                    TrendsCommand.self, FunnelCommand.self, RetentionCommand.self, LifecycleCommand.self,
                    StickinessCommand.self, PathsCommand.self, SessionsCommand.self, UsersCommand.self,
                ]
            ),
            CommandGroup(name: "Boards and alerts", subcommands: [BoardsCommand.self, AlertsCommand.self]),
            CommandGroup(name: "Devices", subcommands: devices + hidden),
        ]
    }

    /// Returns the help text below the list of commands.
    ///
    /// - Parameter examples: Two lines for each example: a comment and a command.
    public static func discussion(examples: String) -> String {
        """
        EXAMPLES
        \(examples)

        ENVIRONMENT
          TRACKWAY_URL, TRACKWAY_KEY, TRACKWAY_DATA (--url, --key, --data), NO_COLOR

        EXIT STATUS
        \(CommandStatus.summary)
        """
    }

    /// Parses arguments, runs the command, and exits with a documented status.
    public static func main(_ root: any ParsableCommand.Type) async {
        do {
            if let fault = CommandNameChecker.fault(in: Array(CommandLine.arguments.dropFirst()), of: root) {
                throw fault
            }
            var command = try root.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            Console.standard.printFailure(failure)
            Foundation.exit(failure.status.rawValue)
        } catch {
            end(root, error)
        }
    }
}

extension TrackwayCommands {
    /// Prints help or an error, and exits with the corresponding status.
    ///
    /// Lines fit the width of the terminal.
    private static func end(_ root: any ParsableCommand.Type, _ error: any Error) -> Never {
        let status = root.exitCode(for: error)
        let columns = HelpText.columns(ofTerminal: Console.standard.width)
        let text = HelpText.formatted(root.fullMessage(for: error, columns: columns), columns: columns)
        if !text.isEmpty {
            if status == .success {
                Console.standard.write(document: text)
            } else {
                Console.standard.note(document: text)
            }
        }
        Foundation.exit(status.rawValue)
    }
}

/// The version of the command and its collector.
public enum TrackwayVersion {
    /// The current semantic version.
    public static let current = "0.1.0"
}
