// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Merges two users at the collector.
struct UsersMergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Count a user as another user.",
        discussion: """
            Without --yes, shows what would be merged. Afterward, all events of the first
            user, earlier and later ones, are counted as events of the second one. Events
            themselves do not change, and trackway users unmerge undoes the merge.

            Requires a key with write and read scope: trackway keys create support
            --scope write --scope read

            EXAMPLES
              # Show what would be merged.
              trackway users merge anna@example.com user-42
              # Count anna@example.com as user-42.
              trackway users merge anna@example.com user-42 --yes
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "User id that is counted as another one.")
    var old: String

    @Argument(help: "User id that remains.")
    var new: String

    @Flag(help: "Merge the users. Without this flag, nothing is changed.")
    var yes = false

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the option values.
    func validate() throws {
        guard !old.isEmpty, !new.isEmpty else { throw ValidationError("a user id is empty") }
        guard old != new else { throw ValidationError("a user cannot be merged into itself") }
    }

    /// Shows what would be merged, or merges it.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let path = "/v1/users/" + CollectorAddress.escape(old) + "/merge"
        let preview = try await client.get(path, query: [("into", new)])
        let outcome = preview["outcome"]?.string ?? ""
        guard yes, outcome != "repeated" else {
            return json ? Console.standard.write(json: preview) : Console.standard.write(MergeText.preview(preview))
        }
        let response = try await client.send("POST", path, query: [("into", new)])
        if json { return Console.standard.write(json: response) }
        Console.standard.write(MergeText.merged(preview))
    }
}

/// Undoes a merge at the collector.
struct UsersUnmergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmerge",
        abstract: "Count a merged user separately again.",
        discussion: """
            Undoes trackway users merge, or an alias that an app sent. Users who were
            merged into this user stay merged with it. trackway users show lists merges.

            EXAMPLES
              # Count anna@example.com separately again.
              trackway users unmerge anna@example.com --yes
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "User id that was merged into another one.")
    var user: String

    @Flag(help: "Undo the merge. Without this flag, nothing is changed.")
    var yes = false

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the option values.
    func validate() throws {
        guard !user.isEmpty else { throw ValidationError("the user id is empty") }
    }

    /// Shows the person as whom the user is counted, or undoes the merge.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let path = "/v1/users/" + CollectorAddress.escape(user)
        guard yes else {
            let person = try await client.get(path)
            return json
                ? Console.standard.write(json: person) : Console.standard.write(MergeText.undoPreview(user, person))
        }
        let response = try await client.send("POST", path + "/unmerge")
        if json { return Console.standard.write(json: response) }
        Console.standard.write([EventLineFormat.plain(user) + " is counted separately again."])
    }
}
