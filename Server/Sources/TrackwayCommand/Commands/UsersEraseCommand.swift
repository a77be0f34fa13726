// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Erases a user at the collector, as the collector's operator.
struct UsersEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Permanently erase all data of a user at the collector.",
        discussion: """
            Without --yes, shows what would be erased. An installation on which no other
            user ever signed in is erased completely; on other installations, the user's
            events are removed. Later events of the user, and of erased installations,
            are refused. Users who are merged with the user are erased together.

            Removes the data from the intake log, the index, and rejected events, and
            prints a signed receipt. Backups, and copies at other back ends, must be
            erased separately.

            Requires a key with write and read scope: trackway keys create support
            --scope write --scope read

            EXAMPLES
              # Show what would be erased.
              trackway users erase user-42
              # Erase the user, and keep the receipt.
              trackway users erase user-42 --yes --json > receipt.json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "User id.")
    var user: String

    @Flag(help: "Erase the data. Without this flag, nothing is changed.")
    var yes = false

    @Option(help: "Maximum number of seconds to wait for the receipt.")
    var wait = 300

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the option values.
    func validate() throws {
        guard !user.isEmpty else { throw ValidationError("the user id is empty") }
        guard (1...86_400).contains(wait) else { throw ValidationError("--wait takes 1 to 86400 seconds") }
    }

    /// Shows what would be erased, or erases it and prints the receipt.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let path = "/v1/users/" + CollectorAddress.escape(user)
        guard yes else {
            let preview = try await client.get(path + "/erasure")
            if json { return Console.standard.write(json: preview) }
            return Console.standard.write(ErasureText.preview(preview))
        }
        let request = try await client.send("DELETE", path)
        let waiter = ErasureWaiter(client: client, seconds: wait)
        let result = try await waiter.result(of: request["erasure"]?.string ?? "")
        if json { return Console.standard.write(json: result) }
        Console.standard.write(ErasureText.erasure(result))
        // Each merged user has a receipt.
        for id in (request["erasures"]?.array ?? []).compactMap(\.string) where id != request["erasure"]?.string {
            Console.standard.write(ErasureText.erasure(try await waiter.result(of: id)))
        }
    }
}

/// Waits until an erasure is complete.
struct ErasureWaiter {
    let client: CollectorClient
    let seconds: Int

    /// Returns the receipt, or the state of the erasure if the time runs out.
    func result(of id: String) async throws -> JSONValue {
        let end = ContinuousClock.now + .seconds(seconds)
        var state = JSONValue.object(.init([.init(key: "erasure", value: .string(id))]))
        var isFirst = true
        while isFirst || ContinuousClock.now < end {
            if !isFirst { await CollectorHost.sleep(.milliseconds(500)) }
            isFirst = false
            // The id is unknown until the index has read the request.
            let list = try await client.get("/v1/erasures", query: [("limit", "1000")])
            if let problem = list["problem"]?.string {
                throw CommandFailure(
                    .temporary,
                    "the erasure \(id) is stored, but makes no progress: \(problem)",
                    remedy: "fix the cause; the collector then continues automatically"
                )
            }
            let known = (list["erasures"]?.array ?? []) + (list["pending"]?.array ?? [])
            if let found = known.first(where: { $0["erasure"]?.string == id }) { state = found }
            if state["completed"]?.integer != nil { break }
        }
        return state
    }
}
