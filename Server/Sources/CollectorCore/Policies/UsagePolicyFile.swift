// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// The operator's settings for the usage reports of one application.
public struct UsagePolicy: Sendable, Hashable {
    /// Whether reports are accepted.
    public var collects = true
    /// The number of days after which clients send reports.
    ///
    /// 0 if clients never send them automatically.
    public var reportsAfterDays = 1
    /// Whether clients may send crash logs.
    ///
    /// This collector does not accept them; the setting is passed to clients.
    public var takesCrashLogs = false
    /// Whether reports are stored without personal data.
    ///
    /// If so, device ids are stored only as hashes with a secret.
    public var isAnonymous = false
    /// The secret for hashing device ids, created when ``isAnonymous`` is first set.
    ///
    /// The secret is preserved, so that each device keeps its id.
    public fileprivate(set) var salt: String?

    /// Creates the default policy, under which reports are accepted.
    public init() {}

    /// The valid range of ``reportsAfterDays``.
    public static let days = 0...36_500

    /// The policy in the form of the clients' settings exchange.
    ///
    /// All values are strings.
    public var settings: JSONValue {
        let members: [(String, String)] = [
            ("dataCollectionEnabled", String(collects)), ("uploadDataAfterDays", String(reportsAfterDays)),
            ("crashLogUploadEnabled", String(takesCrashLogs)),
        ]
        let policy = JSONValue.Object(members.map { .init(key: $0.0, value: .string($0.1)) })
        return ["usagePolicy", "settingsExchange"].reduce(.object(policy)) { value, key in
            .object(.init([.init(key: key, value: value)]))
        }
    }
}

/// The usage policies of a collector, in a text file.
///
/// The file is next to the collector's data and has one line per application.
///
/// Lookups only read memory. ``reload()`` checks whether the file has changed; the server calls it about once a second,
/// so that the command line can change policies while the server runs. Thread-safe. If two processes change the file at
/// the same moment, one change may be lost; in practice, operators do not do this.
public final class UsagePolicyFile: Sendable {
    private struct State: Sendable {
        var content: [UInt8]?
        var policies: [String: UsagePolicy] = [:]
    }

    /// The path of the file.
    public let path: String
    private let storage: any JournalStorage
    private let state = Locked(State())

    /// Opens a file; a missing file contains no policies.
    ///
    /// - Throws: ``UsagePolicyError`` if it cannot be read.
    public init(path: String, storage: any JournalStorage = DiskStorage()) throws(UsagePolicyError) {
        self.path = path
        self.storage = storage
        try reload()
    }

    /// Returns the policy of an application.
    public func policy(of application: String) -> UsagePolicy {
        state.withLock { $0.policies[application] } ?? UsagePolicy()
    }

    /// The applications that have their own policies, by name.
    public var policies: [(application: String, policy: UsagePolicy)] {
        state.withLock { $0.policies }.sorted { $0.key < $1.key }.map { (application: $0.key, policy: $0.value) }
    }

    /// Reads the file again if it has changed.
    ///
    /// - Throws: ``UsagePolicyError``, in which case the previous policies remain valid. A file that has disappeared
    ///   also counts as an error: without the file, reports that it excluded would be accepted, with full names.
    public func reload() throws(UsagePolicyError) {
        let content: [UInt8]?
        do {
            content = try storage.contents(of: path)
        } catch {
            throw UsagePolicyError(message: "the usage policies \(path) could not be read: \(error)")
        }
        let known = state.withLock { $0.content }
        guard content != known else { return }
        guard let content else { throw UsagePolicyError(message: "the usage policies \(path) have disappeared") }
        let policies = try Self.parse(content, path: path)
        state.withLock { $0 = State(content: content, policies: policies) }
    }

    /// Changes an application's policy durably.
    ///
    /// A running server applies the change about a second later.
    ///
    /// - Throws: ``UsagePolicyError``, in which case the file is unchanged.
    public func change(
        _ application: String,
        using generator: inout some RandomNumberGenerator,
        _ change: (inout UsagePolicy) -> Void
    ) throws(UsagePolicyError) {
        guard VendorAccount.isValid(name: application) else {
            throw UsagePolicyError(
                message: "“\(application)” is not a valid application name; use 1 to 128 letters, digits, . _ -"
            )
        }
        try reload()
        var policies = state.withLock { $0.policies }
        var policy = policies[application] ?? UsagePolicy()
        change(&policy)
        if policy.isAnonymous, policy.salt == nil {
            policy.salt = (0..<2).map { _ in Self.digits(generator.next()) }.joined()
        }
        policies[application] = policy
        try write(policies)
    }

    private func write(_ policies: [String: UsagePolicy]) throws(UsagePolicyError) {
        let lines = policies.sorted { $0.key < $1.key }.map { Self.line($0.key, $0.value) + "\n" }
        let content = Array((Self.heading + lines.joined()).utf8)
        do {
            try storage.replace(path, with: content, durably: true)
        } catch {
            throw UsagePolicyError(message: "the usage policies \(path) could not be written: \(error)")
        }
        state.withLock { $0 = State(content: content, policies: policies) }
    }

    private static let heading =
        "# usage policies, one per line: application collect=on|off days=n crash=on|off anonymize=on|off [salt=hex]\n"

    private static func line(_ application: String, _ policy: UsagePolicy) -> String {
        func word(_ truth: Bool) -> String { truth ? "on" : "off" }
        let salt = policy.salt.map { " salt=\($0)" } ?? ""
        return "\(application) collect=\(word(policy.collects)) days=\(policy.reportsAfterDays) "
            + "crash=\(word(policy.takesCrashLogs)) anonymize=\(word(policy.isAnonymous))\(salt)"
    }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    private static func parse(_ content: [UInt8], path: String) throws(UsagePolicyError) -> [String: UsagePolicy] {
        var policies: [String: UsagePolicy] = [:]
        for (index, bytes) in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = String(decoding: bytes, as: UTF8.self)
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let (application, policy) = read(line), policies[application] == nil else {
                throw UsagePolicyError(message: "\(path), line \(index + 1) is not a policy, or repeats an application")
            }
            policies[application] = policy
        }
        return policies
    }

    /// Reads a line.
    ///
    /// Unknown words make the line invalid: policies are never guessed.
    private static func read(_ line: String) -> (String, UsagePolicy)? {
        let words = line.split(separator: " ")
        guard let application = words.first.map(String.init), VendorAccount.isValid(name: application) else {
            return nil
        }
        var policy = UsagePolicy()
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            let truth: Bool? = parts[1] == "on" ? true : parts[1] == "off" ? false : nil
            switch (parts[0], truth) {
            case ("collect", let truth?): policy.collects = truth
            case ("crash", let truth?): policy.takesCrashLogs = truth
            case ("anonymize", let truth?): policy.isAnonymous = truth
            case ("days", nil):
                guard let days = Int(parts[1]), UsagePolicy.days.contains(days) else { return nil }
                policy.reportsAfterDays = days
            case ("salt", nil):
                guard parts[1].utf8.count == 32, parts[1].allSatisfy(\.isHexDigit) else { return nil }
                policy.salt = String(parts[1])
            default: return nil
            }
        }
        return policy.isAnonymous && policy.salt == nil ? nil : (application, policy)
    }
}

/// The reason why a policy file could not be used or changed.
public struct UsagePolicyError: Error, Hashable, CustomStringConvertible {
    /// A sentence that names the affected file.
    public var message: String

    public var description: String { message }
}
