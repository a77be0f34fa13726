// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Testing

@testable internal import TrackwayCommand

@Suite("Policies and the client data report on the command line")
struct UsageReportCommandTests {
    @Test
    func `a policy is changed in the folder, and options that are not given stay unchanged`() async throws {
        try await RunningCollector.withFolder { folder in
            func run(_ words: String...) async throws {
                let parsed = try RootCommand.parseAsRoot(["sap-policy"] + words + ["--data", folder])
                var command = try #require(parsed as? any AsyncParsableCommand)
                try await command.run()
            }
            try await run("set", "shop", "--collect", "off", "--upload-after-days", "7")
            try await run("set", "shop", "--anonymize", "on")
            try await run("list", "--json")
            let policy = try UsagePolicyFile(path: folder + "/usage-policies").policy(of: "shop")
            #expect(!policy.collects && policy.reportsAfterDays == 7 && policy.isAnonymous && !policy.takesCrashLogs)
        }
    }

    @Test(arguments: [
        ["sap-policy", "set", "shop"], ["sap-policy", "set", "a/b", "--collect", "on"],
        ["sap-policy", "set", "shop", "--upload-after-days", "-1"],
        ["sap-policy", "set", "shop", "--collect", "maybe"],
        ["events", "--format", "sap-report", "--json"], ["events", "--application", "shop"],
        ["events", "--format", "sap-report", "--id", "00000000-0000-0000-0000-000000000000"],
        ["keys", "create", "k", "--sap-application", "a/b"],
    ])
    func `invalid arguments are rejected before any request or change`(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(words) }
    }

    @Test
    func `the report is requested with its application and period`() throws {
        let words = ["events", "--format", "sap-report", "--application", "shop", "--from", "7d"]
        let command = try #require(try RootCommand.parseAsRoot(words) as? EventsListCommand)
        #expect(command.format == .report && command.application == "shop")
    }
}
