// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import Foundation

/// The `trackway` command: runs the collector and queries it.
public struct RootCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "trackway",
        abstract: "Run a Trackway collector and query it.",
        discussion: TrackwayCommands.discussion,
        version: TrackwayVersion.current,
        subcommands: [ServeCommand.self] + TrackwayCommands.all + [
            ClusterNotice.Engine.self, ClusterNotice.Forward.self,
        ]
    )

    public init() {}
}

/// The commands and help shared by `trackway` and `trackway-cluster`.
public enum TrackwayCommands {
    /// All commands except `serve`.
    public static let all: [any ParsableCommand.Type] = [
        SendCommand.self, TailCommand.self, EventsCommand.self, EventCommand.self, SessionsCommand.self,
        UsersCommand.self, UserCommand.self, TrendsCommand.self, FunnelCommand.self, RetentionCommand.self,
        LifecycleCommand.self, StickinessCommand.self, PathsCommand.self, CatalogueCommand.self, PlanCommand.self,
        BoardsCommand.self, BoardCommand.self, AlertsCommand.self, AlertCommand.self, FailedCommand.self,
        LedgerCommand.self, EraseCommand.self, ExpectCommand.self, ResetCommand.self, InspectCommand.self,
        DeviceCommand.self, KeysCommand.self, PolicyCommand.self, DemoCommand.self, SampleCommand.self,
        VersionCommand.self,
    ]

    /// The help text below the list of commands.
    public static let discussion = """
        EXAMPLES
          # Start a collector on http://127.0.0.1:8787.
          trackway serve --dev-key dev
          # Send one event.
          trackway send purchase total=12.5
          # Watch events arrive.
          trackway tail
          # List sessions.
          trackway sessions
          # Find users by their attributes.
          trackway users --where plan=pro
          # Show one user's events as they arrive.
          trackway user user-42 --follow
          # Count events per day.
          trackway trends purchase --by currency
          # Show conversion through steps.
          trackway funnel view_item purchase
          # Describe an event and its attributes.
          trackway catalogue purchase
          # Check a tracking plan, in CI.
          trackway plan check plan.json
          # Print the results of a board.
          trackway board show first-look
          # List alerts and their state.
          trackway alerts
          # Trace one event from the device to the index.
          trackway event 0199a1b2-…
          # Start a collector for tests, which keeps no data.
          trackway serve --ephemeral --json
          # Wait in a test until an event has arrived.
          trackway expect purchase --where total=12.5
          # Check that no event is missing.
          trackway ledger
          # Delete an installation's events.
          trackway erase 0199a1b2-…
          # Read an app's journal.
          trackway inspect ~/.local/state/…/shopping
          # Show what the SDK knows about this machine.
          trackway device

        ENVIRONMENT
          TRACKWAY_URL    the collector's address (instead of --url)
          TRACKWAY_KEY    the key to use (instead of --key)
          TRACKWAY_DATA   the collector's folder (instead of --data)
          NO_COLOR        disables colors, when set and not empty

        EXIT STATUS
        \(CommandStatus.table)
        """

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
            Console.standard.complain(failure)
            Foundation.exit(failure.status.rawValue)
        } catch {
            end(root, error)
        }
    }
}

extension TrackwayCommands {
    /// Prints help or an error, and exits with its status.
    ///
    /// Lines fit the width of the terminal.
    private static func end(_ root: any ParsableCommand.Type, _ error: any Error) -> Never {
        let status = root.exitCode(for: error)
        let columns = Console.standard.width
        let text = HelpText.arranged(root.fullMessage(for: error, columns: columns), columns: columns)
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
    /// Semantic version.
    public static let current = "0.1.0"
}
