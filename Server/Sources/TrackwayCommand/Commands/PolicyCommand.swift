// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// `trackway policy`: what is wanted of the usage reports of an application.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Show and change what is wanted of the usage reports of an application.",
        discussion: """
            Clients of SAP Mobile Services are told the policy when they exchange
            settings. Works on a file in the collector's folder, on the machine where it
            runs. A running collector follows within about a second.

            EXAMPLES
              trackway policy list
              # Reports are answered with 403; clients keep them.
              trackway policy set org.example.shop --collect off
              trackway policy set org.example.shop --collect on --upload-after-days 7
              # No persons, and devices under other ids.
              trackway policy set org.example.shop --anonymize on
            """,
        subcommands: [PolicyListCommand.self, PolicySetCommand.self]
    )
}

extension CollectorFolder {
    /// The usage policies in the folder, read.
    func openUsagePolicies() throws(CommandFailure) -> UsagePolicyFile {
        do {
            return try UsagePolicyFile(path: usagePolicies)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// The failure of a file of usage policies.
    fileprivate init(_ error: UsagePolicyError) {
        self.init(.malformedInput, error.message, remedy: "correct the file, and see who may read and write the folder")
    }
}

/// On or off, as a word.
private enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}

private struct PolicySetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change an application's policy; what is not named stays."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "The application's id.")
    var application: String

    @Option(help: "Whether reports are taken: on or off. While off, they are answered with 403, and clients keep them.")
    var collect: Switch?

    @Option(help: "After how many days clients are to report; 0: none by itself.")
    var uploadAfterDays: Int?

    @Option(help: "Whether clients may send logs of crashes: on or off. This collector takes none; clients are told.")
    var crashLogs: Switch?

    @Option(
        help: "Whether reports that come from now on are kept without persons, devices under other ids: on or off."
    )
    var anonymize: Switch?

    /// Sees that the values make sense.
    func validate() throws {
        guard VendorAccount.isValid(name: application) else {
            throw ValidationError(
                "“\(application)” cannot name an application: use 1 to 128 letters, digits, . _ -"
            )
        }
        guard uploadAfterDays.map(UsagePolicy.days.contains) ?? true else {
            throw ValidationError("--upload-after-days takes 0 to \(UsagePolicy.days.upperBound)")
        }
        guard collect != nil || uploadAfterDays != nil || crashLogs != nil || anonymize != nil else {
            throw ValidationError("say what to change: --collect, --upload-after-days, --crash-logs, --anonymize")
        }
    }

    /// Changes the file.
    func run() async throws {
        try data.folder.make()
        let file = try data.folder.openUsagePolicies()
        var generator = SystemRandomNumberGenerator()
        do {
            try file.change(application, using: &generator) { policy in
                if let collect { policy.collects = collect == .on }
                if let uploadAfterDays { policy.reportsAfterDays = uploadAfterDays }
                if let crashLogs { policy.takesCrashLogs = crashLogs == .on }
                if let anonymize { policy.isAnonymous = anonymize == .on }
            }
        } catch {
            throw CommandFailure(error)
        }
        Console.standard.note("Changed the policy of “\(application)” in \(file.path).")
    }
}

private struct PolicyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the applications with a policy of their own. Reports of all others are taken."
    )

    @OptionGroup var data: DataOptions

    @Flag(help: "Print JSON, one application a line.")
    var json = false

    /// Reads and prints.
    func run() async throws {
        Console.standard.write(
            list: try data.folder.openUsagePolicies().policies,
            asJSON: json,
            empty: "No policies in \(data.folder.usagePolicies): reports are taken of every application.",
            columns: [
                ("application", .left), ("reports", .left), ("after days", .right), ("crash logs", .left),
                ("anonymous", .left),
            ],
            cells: { application, policy in
                [
                    application, Self.word(policy.collects), String(policy.reportsAfterDays),
                    Self.word(policy.takesCrashLogs), Self.word(policy.isAnonymous),
                ]
            },
            value: { Self.value($0.application, $0.policy) }
        )
    }

    private static func word(_ truth: Bool) -> String { truth ? "on" : "off" }

    private static func value(_ application: String, _ policy: UsagePolicy) -> JSONValue {
        .members(
            ("application", .string(application)),
            ("collect", .boolean(policy.collects)),
            ("upload_after_days", .integer(Int64(policy.reportsAfterDays))),
            ("crash_logs", .boolean(policy.takesCrashLogs)),
            ("anonymize", .boolean(policy.isAnonymous))
        )
    }
}
