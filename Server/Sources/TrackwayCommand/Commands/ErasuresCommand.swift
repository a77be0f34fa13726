// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Lists erasures and checks their receipts.
struct ErasuresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erasures",
        abstract: "List erasures, and check their receipts.",
        discussion: """
            Without a subcommand, lists erasures with the options of `list`.

            EXAMPLES
              # List the erasures.
              trackway erasures
              # Save a receipt.
              trackway erasures show 1764500000000-0123456789ab > receipt.json
              # Check a receipt later.
              trackway erasures verify receipt.json --id user-42
            """,
        subcommands: [ErasuresListCommand.self, ErasuresShowCommand.self, ErasuresVerifyCommand.self],
        defaultSubcommand: ErasuresListCommand.self
    )
}

/// Lists erasures.
struct ErasuresListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List complete and pending erasures, newest first.",
        discussion: """
            EXAMPLES
              # List the erasures.
              trackway erasures list
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Maximum number of complete erasures, 1 to 1000.")
    var limit = 50

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the option values.
    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000") }
    }

    /// Prints the erasures.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let list = try await client.get("/v1/erasures", query: [("limit", String(limit))])
        if json { return Console.standard.write(json: list) }
        Console.standard.write(timed: ErasureText.list(list, style: Console.standard.style))
    }
}

/// Shows one erasure.
struct ErasuresShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the receipt of an erasure as JSON.",
        discussion: """
            For a pending erasure, prints its state, without a signature.

            EXAMPLES
              # Save a receipt.
              trackway erasures show 1764500000000-0123456789ab > receipt.json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Erasure id, as listed by `trackway erasures`.")
    var erasure: String

    /// Prints the receipt.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        Console.standard.write(json: try await client.get("/v1/erasures/" + CollectorAddress.escape(erasure)))
    }
}

/// Checks a receipt.
struct ErasuresVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check a receipt and, with --id, whom it is for.",
        discussion: """
            The collector that issued the receipt checks it; with --data, this command
            checks it with the key in the collector's folder, without a collector. The
            exit status is 0 only for a valid receipt.

            EXAMPLES
              # Check a receipt.
              trackway erasures verify receipt.json
              # Also check that it was issued for a user.
              trackway erasures verify receipt.json --id user-42
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "File with the receipt; “-” for standard input.")
    var file: String

    @Option(help: "Id of the user or installation that the receipt must be for.")
    var id: String?

    @Option(help: "The collector's folder; checks the receipt without a collector.")
    var data: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    /// Checks the receipt; the exit status is the result.
    func run() async throws {
        let bytes = try InputFile.bytes(file)
        let receipt: ErasureReceipt
        do {
            receipt = try ErasureReceipt(json: bytes)
        } catch {
            throw CommandFailure(
                .malformedInput,
                "\(file) is not a receipt: \(error)",
                remedy: "pass a file that `trackway erasures show` or `trackway users erase --json` printed"
            )
        }
        let result: JSONValue
        if let data { result = try local(receipt, in: data) } else { result = try await remote(receipt) }
        if json { Console.standard.write(json: result) }
        let message = result["message"]?.string ?? ""
        guard result["valid"]?.boolean == true else {
            throw CommandFailure(.negative, message.isEmpty ? "the receipt is invalid" : message)
        }
        if !json { Console.standard.write(message) }
    }

    private func remote(_ receipt: ErasureReceipt) async throws -> JSONValue {
        let client = CollectorClient(try collector.address())
        let query = id.map { [(name: "id", value: $0)] } ?? []
        let body = try receipt.json.withUnsafeBytes { bytes in Result { try JSONValue.parse(bytes) } }.get()
        return try await client.send("POST", "/v1/erasures/verify", query: query, body: body)
    }

    private func local(_ receipt: ErasureReceipt, in data: String) throws -> JSONValue {
        let folder = CollectorFolder(option: data, environment: ProcessInfo.processInfo.environment)
        let text = try InputFile.bytes(folder.erasureKey).filter { $0 > 32 }
        guard let key = ErasureKey(String(decoding: text, as: UTF8.self)) else {
            throw CommandFailure(
                .malformedInput,
                "\(folder.erasureKey) contains no erasure key",
                remedy: "restore the file from a backup of the collector's folder"
            )
        }
        let verdict = ErasureVerdict(receipt, id: id, key: key)
        return .object(
            .init([
                .init(key: "valid", value: .boolean(verdict == .valid)),
                .init(key: "verdict", value: .string(verdict.rawValue)),
                .init(key: "message", value: .string(verdict.message)),
            ])
        )
    }
}
