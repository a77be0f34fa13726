// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Makes, lists and revokes the collector's keys.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, list and revoke keys.",
        discussion: """
            Works on the key file in the collector's folder, on the machine where it
            runs. A running collector sees the change within about a second. Only a hash
            of each key is kept.

            EXAMPLES
              # A key that may send events.
              trackway keys create shopping-app
              # A key that may read them.
              trackway keys create dashboard --scope read
              # Clients of these two formats send no key: the app and the project let
              # them in.
              trackway keys create shop --clickstream-app shopping \\
                --sensors-project production
              # What clients of Sift call the beacon key.
              trackway keys create phones --sift-account acct_1
              # Clients of SAP Mobile Services: the application lets them in.
              trackway keys create usage --sap-application org.example.shop
              # At most 50 requests a second and a million events a day.
              trackway keys create beta --rate 50 --events-per-day 1000000
              trackway keys list
              trackway keys revoke shopping-app
            """,
        subcommands: [KeysCreateCommand.self, KeysListCommand.self, KeysRevokeCommand.self]
    )
}

extension DataOptions {
    /// The key file in the folder, read.
    func keyFile() throws(CommandFailure) -> KeyFile {
        let folder = folder
        do {
            return try KeyFile(path: folder.keys)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// The failure of a key file.
    init(_ error: KeyFileError) {
        switch error.code {
        case .storage:
            self.init(.inputOutput, error.message, remedy: "see who may read and write the collector's folder")
        case .malformed: self.init(.malformedInput, error.message, remedy: "correct or remove that line")
        case .nameInvalid: self.init(.usage, error.message)
        case .nameTaken, .accountTaken: self.init(.cannotCreate, error.message)
        case .unknown: self.init(.negative, error.message, remedy: "`trackway keys list` shows those there are")
        }
    }
}

/// Makes a key and shows it once.
struct KeysCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a key. It is shown once; only a hash is kept."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "The key's name: letters, digits, dots, underscores, hyphens.")
    var name: String

    @Option(help: "What it allows: write (send events) or read. May be given twice.")
    var scope: [KeyScope] = [.write]

    @Option(help: "An app of the Clickstream format that this key lets in (its appId). May be given several times.")
    var clickstreamApp: [String] = []

    @Option(help: "A project of the Sensors Analytics format that this key lets in. May be given several times.")
    var sensorsProject: [String] = []

    @Option(
        help: "An account of the Sift format whose beacon key this key is. May be given several times."
    )
    var siftAccount: [String] = []

    @Option(
        help: "An application of SAP Mobile Services that this key lets in (its id). May be given several times."
    )
    var sapApplication: [String] = []

    @Option(help: "Requests a second that it may make, ten times as many at once. Default: what the collector says.")
    var rate: Int?

    @Option(help: "Events a day that it may send. Default: what the collector says.")
    var eventsPerDay: Int?

    @Flag(help: "Print JSON.")
    var json = false

    /// The accounts of other formats that the options name.
    private var accounts: [VendorAccount] {
        clickstreamApp.map { .clickstreamApp($0) } + sensorsProject.map { .sensorsProject($0) }
            + siftAccount.map { .siftAccount($0) } + sapApplication.map { .sapApplication($0) }
    }

    /// Sees that the accounts can be written down.
    func validate() throws {
        for name in clickstreamApp + sensorsProject + siftAccount + sapApplication
        where !VendorAccount.isValid(name: name) {
            throw ValidationError(
                "“\(name)” cannot name an app, a project, an account or an application: use 1 to 128 letters, digits, . _ -"
            )
        }
        for (option, number) in [("--rate", rate), ("--events-per-day", eventsPerDay)] {
            guard let number, !RateLimit.counts.contains(number) else { continue }
            throw ValidationError("\(option) takes 1 to \(RateLimit.counts.upperBound)")
        }
        if !accounts.isEmpty, !scope.contains(.write) {
            throw ValidationError(
                "--clickstream-app, --sensors-project, --sift-account and --sap-application are for keys that may write: --scope write"
            )
        }
    }

    /// Makes the key and prints it.
    func run() async throws {
        try data.folder.make()
        let file = try data.keyFile()
        var generator = SystemRandomNumberGenerator()
        let key: String
        do {
            key = try file.create(
                name: name,
                scopes: Set(scope),
                accounts: accounts,
                limits: KeyLimits(requestsPerSecond: rate, eventsPerDay: eventsPerDay),
                at: SystemClock().now().wall,
                using: &generator
            )
        } catch {
            throw CommandFailure(error)
        }
        if json {
            let answer = JSONValue.members(("name", .string(name)), ("key", .string(key)))
            Console.standard.write(json: answer)
        } else {
            Console.standard.write(key)
            Console.standard.note("Keep it now: only a hash of “\(name)” stays in \(file.path).")
        }
    }
}

extension KeyScope: ExpressibleByArgument {}

/// Lists the keys by name.
private struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys by name; the keys themselves are not known any more."
    )

    @OptionGroup var data: DataOptions

    @Flag(help: "Print JSON, one key a line.")
    var json = false

    /// Reads and prints.
    func run() async throws {
        let format = EventLineFormat(style: Console.standard.style)
        Console.standard.write(
            list: try data.keyFile().records,
            asJSON: json,
            empty: "No keys in \(data.folder.keys). Make one with: trackway keys create NAME",
            columns: [("name", .left), ("allows", .left), ("made", .left), ("lets in", .left), ("limits", .left)],
            cells: { record in
                [
                    record.name, Self.scopes(record).joined(separator: ", "), format.date(record.created),
                    record.accounts.map(\.description).joined(separator: ", "), Self.limits(record),
                ]
            },
            value: Self.value
        )
    }

    private static func scopes(_ record: KeyRecord) -> [String] { record.scopes.map(\.rawValue).sorted(by: >) }

    private static func limits(_ record: KeyRecord) -> String {
        let rate = record.limits.requestsPerSecond.map { "\($0) requests a second" }
        let daily = record.limits.eventsPerDay.map { "\($0) events a day" }
        return [rate, daily].compactMap { $0 }.joined(separator: ", ")
    }

    private static func value(_ record: KeyRecord) -> JSONValue {
        .members(
            ("name", .string(record.name)),
            ("scopes", .array(scopes(record).map { .string($0) })),
            ("created", .integer(record.created.milliseconds)),
            ("accounts", .array(record.accounts.map { .string($0.description) })),
            ("requests_per_second", record.limits.requestsPerSecond.map { .integer(Int64($0)) } ?? .null),
            ("events_per_day", record.limits.eventsPerDay.map { .integer(Int64($0)) } ?? .null)
        )
    }
}

/// Revokes a key.
private struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a key; a running collector refuses it within about a second."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "The key's name.")
    var name: String

    /// Takes the key out of the file.
    func run() async throws {
        do {
            try data.keyFile().revoke(name: name)
        } catch let error as KeyFileError {
            throw CommandFailure(error)
        }
        Console.standard.note("Revoked “\(name)”.")
    }
}
