// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

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

    @Option(help: "Requests a second that it may make, ten times as many at once. Default: what the collector says.")
    var rate: Int?

    @Option(help: "Events a day that it may send. Default: what the collector says.")
    var eventsPerDay: Int?

    @Flag(help: "Print JSON.")
    var json = false

    /// The accounts of other formats that the options name.
    private var accounts: [VendorAccount] {
        clickstreamApp.map { .clickstreamApp($0) } + sensorsProject.map { .sensorsProject($0) }
            + siftAccount.map { .siftAccount($0) }
    }

    /// Sees that the accounts can be written down.
    func validate() throws {
        for name in clickstreamApp + sensorsProject + siftAccount where !VendorAccount.isValid(name: name) {
            throw ValidationError(
                "“\(name)” cannot name an app, a project or an account: use 1 to 128 letters, digits, . _ -"
            )
        }
        for (option, number) in [("--rate", rate), ("--events-per-day", eventsPerDay)] {
            guard let number, !RateLimit.counts.contains(number) else { continue }
            throw ValidationError("\(option) takes 1 to \(RateLimit.counts.upperBound)")
        }
        if !accounts.isEmpty, !scope.contains(.write) {
            throw ValidationError(
                "--clickstream-app, --sensors-project and --sift-account are for keys that may write: --scope write"
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
            Console.standard.write(bytes: answer.json())
        } else {
            Console.standard.write(key)
            Console.standard.note("Keep it now: only a hash of “\(name)” stays in \(file.path).")
        }
    }
}

extension KeyScope: ExpressibleByArgument {}
