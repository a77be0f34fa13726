// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore

@Suite("Usage policies")
struct UsagePolicyTests {
    private static let path = "/data/usage-policies"
    private let storage = MemoryStorage()

    init() throws {
        storage.makeFolder("/data")
        try storage.synchronizeFolder("/")
    }

    private func file() throws -> UsagePolicyFile { try UsagePolicyFile(path: Self.path, storage: storage) }

    private func write(_ text: String) throws {
        try storage.replace(Self.path, with: Array(text.utf8), durably: true)
    }

    @Test
    func `without a file every application reports; a change survives power loss, and another process follows it`()
        throws
    {
        let (file, running) = (try file(), try file())
        #expect(file.policy(of: "shop").collects && file.policies.isEmpty)
        var random = SplitMix(state: 1)
        try file.change("shop", using: &random) { $0.collects = false }
        try file.change("shop", using: &random) { $0.reportsAfterDays = 7 }
        try file.change("other", using: &random) { $0.takesCrashLogs = true }
        #expect(running.policy(of: "shop").collects)
        try running.reload()
        let after = try UsagePolicyFile(path: Self.path, storage: storage.afterPowerLoss())
        for read in [file, running, after] {
            #expect(!read.policy(of: "shop").collects && read.policy(of: "shop").reportsAfterDays == 7)
            #expect(read.policy(of: "other").collects && read.policy(of: "other").takesCrashLogs)
            #expect(read.policies.map(\.application) == ["other", "shop"])
        }
    }

    @Test
    func `a salt is created once and kept: the same device keeps its pseudonymous id`() throws {
        var random = SplitMix(state: 1)
        let file = try file()
        try file.change("shop", using: &random) { $0.isAnonymous = true }
        let salt = try #require(file.policy(of: "shop").salt)
        #expect(salt.utf8.count == 32)
        try file.change("shop", using: &random) { $0.isAnonymous = false }
        try file.change("shop", using: &random) { $0.isAnonymous = true }
        #expect(try self.file().policy(of: "shop").salt == salt)
        try file.change("other", using: &random) { $0.isAnonymous = true }
        #expect(file.policy(of: "other").salt != salt)
    }

    @Test
    func `the settings for clients have text values`() {
        #expect(
            String(decoding: UsagePolicy().settings.json(), as: UTF8.self)
                == #"{"settingsExchange":{"usagePolicy":{"dataCollectionEnabled":"true","uploadDataAfterDays":"1","crashLogUploadEnabled":"false"}}}"#
        )
    }

    @Test(arguments: [
        "shop collect=maybe", "shop collect", "shop days=-1", "shop days=x", "shop what=on", "a/b collect=on",
        "shop anonymize=on", "shop salt=short", "shop collect=on\nshop collect=off",
    ])
    func `an invalid line is rejected, and the previous policies stay in force`(_ line: String) throws {
        var random = SplitMix(state: 1)
        let file = try file()
        try file.change("shop", using: &random) { $0.collects = false }
        try write(line)
        #expect(throws: UsagePolicyError.self) { try file.reload() }
        #expect(!file.policy(of: "shop").collects)
        #expect(throws: UsagePolicyError.self) { try self.file() }
    }

    @Test
    func `deleting the file does not enable reporting`() throws {
        var random = SplitMix(state: 1)
        let file = try file()
        try file.change("shop", using: &random) { $0.collects = false }
        storage.remove(Self.path)
        #expect(throws: UsagePolicyError.self) { try file.reload() }
        #expect(!file.policy(of: "shop").collects)
    }

    @Test(arguments: ["", "a b", "a/b", "ü", String(repeating: "a", count: 129)])
    func `an invalid application name is rejected`(_ name: String) throws {
        var random = SplitMix(state: 1)
        let file = try file()
        #expect(throws: UsagePolicyError.self) { try file.change(name, using: &random) { _ in } }
    }
}
