// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents

/// Shows that nothing is missing, or what is.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "See that nothing is missing, or what is.",
        discussion: """
            For each writer (one process of one installed app) the collector knows how many events were recorded and what
            became of them: recorded = received + refused + dropped on the device + addressed elsewhere + missing.
            Missing events may still be on the device, waiting to be delivered.

            EXAMPLES
              trackway ledger
              trackway ledger --installation 0199a1b2-…
              trackway ledger --check && echo complete     exit status 1 while something is missing
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only this installation.")
    var installation: String?

    @Flag(help: "End with status 1 while an event is missing.")
    var check = false

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Sees that what must be an id is one.
    func validate() throws {
        if let installation, InstallationID(installation) == nil {
            throw ValidationError("“\(installation)” is not an installation's id: it has 36 characters")
        }
    }

    /// Asks and prints.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let (answer, ledger) = try await settled(client)
        if json {
            Console.standard.write(bytes: answer.json())
        } else {
            Console.standard.write(LedgerText(style: Console.standard.style).lines(ledger))
        }
        if check, !ledger.isComplete { throw ExitCode(CommandStatus.negative.rawValue) }
    }

    /// The ledger once the index has caught up: what was just delivered is in the intake log, and may be a moment away
    /// from the index that answers.
    private func settled(_ client: CollectorClient) async throws -> (JSONValue, CollectorLedger) {
        let query = installation.map { [(name: "installation", value: $0)] } ?? []
        let answer = try await client.get("/v1/ledger", query: query + [("limit", "1")])
        guard let end = answer["end"]?.string, var indexed = answer["indexed"]?.string else {
            return (answer, CollectorLedger(answer))
        }
        while true {
            let wait = try await client.get("/v1/wait", query: [("position", end), ("timeout", "1")])
            // An index that stands still has read all there is: a segment that was just begun holds nothing yet.
            guard wait["done"]?.boolean != true, let reached = wait["indexed"]?.string, reached != indexed else {
                break
            }
            indexed = reached
        }
        let settled = try await whole(client, query)
        return (settled, CollectorLedger(settled))
    }

    /// All pages as one answer.
    private func whole(
        _ client: CollectorClient,
        _ query: [(name: String, value: String)]
    ) async throws(CommandFailure) -> JSONValue {
        let first = try await client.get("/v1/ledger", query: query)
        guard var answer = first.object else { return first }
        var writers = first["writers"]?.array ?? []
        var next = first["next"]?.string
        while let after = next {
            let page = try await client.get("/v1/ledger", query: query + [("after", after)])
            writers += page["writers"]?.array ?? []
            next = page["next"]?.string
        }
        answer.members.removeAll { $0.key == "next" }
        for index in answer.members.indices where answer.members[index].key == "writers" {
            answer.members[index].value = .array(writers)
        }
        return .object(answer)
    }
}
