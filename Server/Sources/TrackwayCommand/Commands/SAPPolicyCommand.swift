// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// `trackway sap-policy`: manages the usage report policies of applications.
struct SAPPolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sap-policy",
        abstract: "Show and change SAP usage report policies.",
        discussion: """
            Clients of SAP Mobile Services receive the policy when they exchange
            settings. Works on a file in the collector's folder, on the machine where it
            runs. A running collector applies changes within about a second.

            EXAMPLES
              # List the policies.
              trackway sap-policy list
              # Reject reports with 403; clients keep them.
              trackway sap-policy set org.example.shop --collect off
              # Accept reports, which clients upload after 7 days.
              trackway sap-policy set org.example.shop --collect on --upload-after-days 7
              # Store reports without personal data, and with hashed device ids.
              trackway sap-policy set org.example.shop --anonymize on
            """,
        subcommands: [SAPPolicyListCommand.self, SAPPolicySetCommand.self]
    )
}

extension CollectorFolder {
    /// Reads the usage policies in the folder.
    func openUsagePolicies() throws(CommandFailure) -> UsagePolicyFile {
        do {
            return try UsagePolicyFile(path: usagePolicies)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// Creates a failure for a usage policy file error.
    fileprivate init(_ error: UsagePolicyError) {
        self.init(.malformedInput, error.message, remedy: "correct the file, or check the folder's permissions")
    }
}

/// The value of an on/off option.
private enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}

private struct SAPPolicySetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change an application's policy. Omitted options keep their values."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "Application id.")
    var application: String

    @Option(help: "Whether to accept reports: on or off. If off, they are rejected with 403, and clients keep them.")
    var collect: Switch?

    @Option(help: "Days after which clients report automatically; 0 for never.")
    var uploadAfterDays: Int?

    @Option(help: "Value that clients receive for crash logs: on or off. This collector accepts no crash logs.")
    var crashLogs: Switch?

    @Option(
        help: "Whether to store new reports without personal data, and with hashed device ids: on or off."
    )
    var anonymize: Switch?

    /// Checks the option values.
    func validate() throws {
        guard VendorAccount.isValid(name: application) else {
            throw ValidationError(
                "“\(application)” is not a valid application id: use 1 to 128 letters, digits, . _ -"
            )
        }
        guard uploadAfterDays.map(UsagePolicy.days.contains) ?? true else {
            throw ValidationError("--upload-after-days takes 0 to \(UsagePolicy.days.upperBound)")
        }
        guard collect != nil || uploadAfterDays != nil || crashLogs != nil || anonymize != nil else {
            throw ValidationError("pass one of --collect, --upload-after-days, --crash-logs, and --anonymize")
        }
    }

    /// Changes the policy file.
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

private struct SAPPolicyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List applications that have a policy. Reports of all others are accepted."
    )

    @OptionGroup var data: DataOptions

    @Flag(help: "Print JSON, one application per line.")
    var json = false

    /// Reads the policies and prints them.
    func run() async throws {
        Console.standard.write(
            list: try data.folder.openUsagePolicies().policies,
            asJSON: json,
            empty: "No policies in \(data.folder.usagePolicies): reports of every application are accepted.",
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
