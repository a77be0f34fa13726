// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Creates, lists, and revokes the collector's keys.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create, list, and revoke keys.",
        discussion: """
            Works on the key file in the collector's folder, on the machine where it
            runs. A running collector applies changes within about a second. Only a hash
            of each key is stored.

            EXAMPLES
              # Create a key that may send events.
              trackway keys create shopping-app
              # Create a key that may read events.
              trackway keys create dashboard --scope read
              # Create a key that admits an app of Clickstream and a project of Sensors
              # Analytics, whose clients send no key.
              trackway keys create shop --clickstream-app shopping \\
                --sensors-project production
              # Create a beacon key for Sift clients.
              trackway keys create phones --sift-account acct_1
              # Create a key that admits an SAP Mobile Services application.
              trackway keys create usage --sap-application org.example.shop
              # Limit a key to 50 requests per second and a million events per day.
              trackway keys create beta --rate 50 --events-per-day 1000000
              # List all keys.
              trackway keys list
              # Revoke a key.
              trackway keys revoke shopping-app
            """,
        subcommands: [KeysCreateCommand.self, KeysListCommand.self, KeysRevokeCommand.self]
    )
}

extension DataOptions {
    /// Reads the key file in the folder.
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
    /// Creates a failure for a key file error.
    init(_ error: KeyFileError) {
        switch error.code {
        case .storage:
            self.init(.inputOutput, error.message, remedy: "check the permissions of the collector's folder")
        case .malformed: self.init(.malformedInput, error.message, remedy: "correct or remove that line")
        case .nameInvalid: self.init(.usage, error.message)
        case .nameTaken, .accountTaken: self.init(.cannotCreate, error.message)
        case .unknown: self.init(.negative, error.message, remedy: "`trackway keys list` lists all keys")
        }
    }
}

/// Creates a key and shows it once.
struct KeysCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a key. It is shown once; only a hash is stored."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "The key's name: letters, digits, dots, underscores, hyphens.")
    var name: String

    @Option(help: "Scope: write (send events) or read. May be given twice.")
    var scope: [KeyScope] = [.write]

    @Option(help: "Clickstream app (its appId) that this key admits. May be repeated.")
    var clickstreamApp: [String] = []

    @Option(help: "Sensors Analytics project that this key admits. May be repeated.")
    var sensorsProject: [String] = []

    @Option(
        help: "Sift account that uses this key as its beacon key. May be repeated."
    )
    var siftAccount: [String] = []

    @Option(
        help: "SAP Mobile Services application (its id) that this key admits. May be repeated."
    )
    var sapApplication: [String] = []

    @Option(help: "Requests per second, with bursts of ten times as many. Default: the collector's limit.")
    var rate: Int?

    @Option(help: "Events per day. Default: the collector's limit.")
    var eventsPerDay: Int?

    @Flag(help: "Print JSON.")
    var json = false

    /// The vendor accounts given in the options.
    private var accounts: [VendorAccount] {
        clickstreamApp.map { .clickstreamApp($0) } + sensorsProject.map { .sensorsProject($0) }
            + siftAccount.map { .siftAccount($0) } + sapApplication.map { .sapApplication($0) }
    }

    /// Checks the accounts, limits, and scopes.
    func validate() throws {
        for name in clickstreamApp + sensorsProject + siftAccount + sapApplication
        where !VendorAccount.isValid(name: name) {
            throw ValidationError(
                "“\(name)” is not a valid account name: use 1 to 128 letters, digits, . _ -"
            )
        }
        for (option, number) in [("--rate", rate), ("--events-per-day", eventsPerDay)] {
            guard let number, !RateLimit.counts.contains(number) else { continue }
            throw ValidationError("\(option) takes 1 to \(RateLimit.counts.upperBound)")
        }
        if !accounts.isEmpty, !scope.contains(.write) {
            throw ValidationError(
                "--clickstream-app, --sensors-project, --sift-account, and --sap-application require --scope write"
            )
        }
    }

    /// Creates the key and prints it.
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
            Console.standard.note("Save it now: only a hash of “\(name)” is stored in \(file.path).")
        }
    }
}

extension KeyScope: ExpressibleByArgument {}

/// Lists the keys by name.
private struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List keys by name. The keys themselves are not stored."
    )

    @OptionGroup var data: DataOptions

    @Flag(help: "Print JSON, one key per line.")
    var json = false

    /// Reads the key file and prints the result.
    func run() async throws {
        let format = EventLineFormat(style: Console.standard.style)
        Console.standard.write(
            list: try data.keyFile().records,
            asJSON: json,
            empty: "No keys in \(data.folder.keys). Create one with: trackway keys create NAME",
            columns: [("name", .left), ("scopes", .left), ("created", .left), ("accounts", .left), ("limits", .left)],
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
        let rate = record.limits.requestsPerSecond.map { "\($0) requests per second" }
        let daily = record.limits.eventsPerDay.map { "\($0) events per day" }
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
        abstract: "Revoke a key. A running collector rejects it within about a second."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "The key's name.")
    var name: String

    /// Removes the key from the file.
    func run() async throws {
        do {
            try data.keyFile().revoke(name: name)
        } catch let error as KeyFileError {
            throw CommandFailure(error)
        }
        Console.standard.note("Revoked “\(name)”.")
    }
}
