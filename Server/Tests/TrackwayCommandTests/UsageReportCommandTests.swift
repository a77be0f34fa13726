// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import Testing

@testable internal import TrackwayCommand

@Suite("Policies and the client data report on the command line")
struct UsageReportCommandTests {
    @Test("a policy is changed in the folder, and options that are not given stay")
    func policy() async throws {
        try await RunningCollector.withFolder { folder in
            func run(_ words: String...) async throws {
                let parsed = try RootCommand.parseAsRoot(["policy"] + words + ["--data", folder])
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

    @Test(
        "invalid arguments are rejected before anything happens",
        arguments: [
            ["policy", "set", "shop"], ["policy", "set", "a/b", "--collect", "on"],
            ["policy", "set", "shop", "--upload-after-days", "-1"], ["policy", "set", "shop", "--collect", "maybe"],
            ["events", "--format", "sap-report", "--json"], ["events", "--application", "shop"],
            ["events", "--format", "sap-report", "--id", "00000000-0000-0000-0000-000000000000"],
            ["keys", "create", "k", "--sap-application", "a/b"],
        ]
    )
    func refused(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(words) }
    }

    @Test("the report is requested with its application and period")
    func report() throws {
        let words = ["events", "--format", "sap-report", "--application", "shop", "--from", "7d"]
        let command = try #require(try RootCommand.parseAsRoot(words) as? EventsCommand)
        #expect(command.format == .report && command.application == "shop")
    }
}
