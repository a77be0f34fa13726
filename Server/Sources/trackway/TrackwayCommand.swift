// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation

/// The `trackway` command: runs the collector and talks to it.
@main
struct TrackwayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trackway",
        abstract: "Runs the Trackway collector and talks to it.",
        discussion: """
            EXAMPLES
              trackway serve --dev-key dev                 start a collector on http://127.0.0.1:8787
              trackway send purchase total=12.5            send one event
              trackway tail                                watch events arrive
              trackway sessions                            see how people used the app
              trackway users --where plan=pro              find people by what is known about them
              trackway user user-42 --follow               see one person with all they did, live
              trackway trends purchase --by currency       see how much happened, day by day
              trackway funnel view_item purchase           see how far people come
              trackway catalogue purchase                  see what an event looks like
              trackway plan check plan.json                check a tracking plan, in CI
              trackway board show first-look               see the answers of a board
              trackway alerts                              see which conditions hold, and who was told
              trackway event 0199a1b2-…                    see one event's way from the device to the index
              trackway serve --ephemeral --json            start a collector for tests, which keeps nothing
              trackway expect purchase --where total=12.5  wait, in a test, until an event has arrived
              trackway ledger                              see that nothing is missing
              trackway erase 0199a1b2-…                    erase an installation
              trackway inspect ~/.local/state/…/shopping   look into an app's journal
              trackway engine check --engine nats://a      see whether several machines may keep the records
              trackway forward --engine nats://a --to http://c:8123   fill ClickHouse from an engine's stream
              trackway device                              see what the SDK knows about this machine

            ENVIRONMENT
              TRACKWAY_URL    the collector's address (instead of --url)
              TRACKWAY_KEY    the key to use (instead of --key)
              TRACKWAY_DATA   the collector's folder (instead of --data)
              NO_COLOR        when set and not empty: no colours

            EXIT STATUS
            \(CommandStatus.table)
            """,
        version: TrackwayVersion.current,
        subcommands: [
            ServeCommand.self, SendCommand.self, TailCommand.self, EventsCommand.self, EventCommand.self,
            SessionsCommand.self, UsersCommand.self, UserCommand.self,
            TrendsCommand.self, FunnelCommand.self, RetentionCommand.self, LifecycleCommand.self,
            StickinessCommand.self,
            PathsCommand.self, CatalogueCommand.self, PlanCommand.self, BoardsCommand.self, BoardCommand.self,
            AlertsCommand.self, AlertCommand.self, FailedCommand.self,
            LedgerCommand.self, EraseCommand.self,
            ExpectCommand.self, ResetCommand.self, InspectCommand.self, DeviceCommand.self,
            KeysCommand.self, PolicyCommand.self, EngineCommand.self, ForwardCommand.self, DemoCommand.self,
            SampleCommand.self,
        ]
    )

    /// Runs the command and ends the process with a documented status.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            Console.standard.complain(failure)
            Foundation.exit(failure.status.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}

/// The version of the command and of the collector inside it.
enum TrackwayVersion {
    /// Semantic version.
    static let current = "0.1.0"
}
