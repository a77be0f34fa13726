// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayJournal
import TrackwayTesting

@testable import Trackway

@Suite("Encryption at rest")
struct EncryptionAtRestTests {
    private static let key = EncryptionKey(0..<32)
    private static let other = EncryptionKey(50..<82)
    /// A word in every string that the app passes to the SDK.
    private static let word = "zq7secret"

    /// An installation's folder on a real disk.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "trackway-\(UUID().uuidString)").path

        deinit {
            // If this fails, the system clears its temporary folder.
            try? FileManager.default.removeItem(atPath: path)
        }

        /// The files, keyed by their paths within the folder.
        func files() -> [String: Data] {
            let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
            var files: [String: Data] = [:]
            for name in names { files[name] = FileManager.default.contents(atPath: path + "/" + name) }
            return files
        }

        /// Expects no file to contain plain text, and returns the names of the files.
        func expectNoPlainText(_ step: String) -> Set<String> {
            let files = files()
            let forbiddenTexts = [
                EncryptionAtRestTests.word, "_screen", "\"consent\"", "\"user\"", "installation ", "destination ",
            ]
            for (name, bytes) in files {
                for text in forbiddenTexts {
                    #expect(bytes.range(of: Data(text.utf8)) == nil, "\(step): \(name) contains \(text)")
                }
            }
            return Set(files.keys)
        }
    }

    private static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.storage.encryption = .key(key)
        change(&configuration)
        return configuration
    }

    private func open(
        _ folder: Folder,
        _ configuration: Configuration = configuration(),
        clock: ManualClock = ManualClock()
    ) throws -> InMemoryAnalytics {
        clock.advance(by: .milliseconds(5))
        return try InMemoryAnalytics(
            configuration,
            storage: FaultyStorage(DiskStorage()),
            clock: clock,
            folder: folder.path,
            segmentBytes: 8_192
        )
    }

    /// Runs an operation while the clock advances.
    private static func pass(_ memory: InMemoryAnalytics, _ body: @escaping @Sendable () async -> Void) async {
        let isDone = Locked(false)
        let task = Task {
            await body()
            isDone.withLock { $0 = true }
        }
        while !isDone.withLock({ $0 }) {
            for _ in 0..<100 { await Task.yield() }
            memory.clock.advance(by: .seconds(1))
        }
        await task.value
    }

    @Test
    func `after every kind of call, no file in the folder contains the app's data in plain text`() async throws {
        let folder = Folder()
        let word = Self.word
        var policy = DeliveryPolicy()
        policy.queue = QueuePolicy(
            acceptSameEventAfter: .seconds(3600),
            uploadWhenMoreThan: -1,
            uploadWhenOlderThan: .seconds(60)
        )
        let full = Self.configuration { configuration in
            configuration.capture = .standard
            configuration.destinations += [
                DestinationConfiguration(
                    CollectorDestination(id: "queue", url: "http://queue.test", writeKey: word),
                    delivery: policy,
                    consentCategory: .marketing
                ),
                .local("exports"),
            ]
            configuration.snapshots = SnapshotOptions()
            configuration.interceptors = [
                Interceptor("\(word)-interceptor") { $0.name == "\(word)-drop" ? .drop : .keep }
            ]
        }
        var names: Set<String> = []
        let memory = try open(folder, full)
        let analytics = memory.analytics
        analytics.identify("\(word)-user")
        analytics.setUserAttributes(["\(word)_age": 21, "name": .string("\(word)-carl")])
        analytics.setGlobalAttributes(["\(word)_channel": .string("\(word)-store")])
        analytics.screen("\(word)-home", path: "\(word)-1")
        _ = analytics.startTimer("\(word)-timer")
        analytics.record("\(word)-event", ["\(word)-key": .string("\(word)-value")], items: [Item(id: "\(word)-item")])
        analytics.record("\(word)-addressed", to: ["exports"])
        analytics.record("\(word)-queued", to: ["queue"])
        analytics.record("\(word)-drop")
        analytics.setConsent(.granted, category: .marketing, scope: .device)
        try analytics.addDestination(
            DestinationConfiguration(CollectorDestination(id: "added", url: "http://added.test", writeKey: word))
        )
        _ = try await analytics.recordDurably("\(word)-durable")
        names.formUnion(folder.expectNoPlainText("recorded"))
        // Refused events become dead letters, with the back end's response.
        memory.transport.script(.acceptAllBut([0: "\(word)-refused"]))
        await Self.pass(memory) { _ = await analytics.flush() }
        memory.transport.always(.respond(WireResponse(status: 503, headers: WireHeaders(), body: [])))
        for number in 0..<200 {
            analytics.record("\(word)-\(number)", ["text": .string(String(repeating: word, count: 20))])
        }
        await Self.pass(memory) { _ = await analytics.flush() }
        memory.transport.always(.accept)
        names.formUnion(folder.expectNoPlainText("delivered"))
        let snapshot = try analytics.pendingEvents(for: "exports")
        var seen = 0
        for try await event in snapshot.events {
            seen += 1
            #expect(event.name.hasPrefix(word) || event.name.hasPrefix("_"))
        }
        #expect(seen > 200)
        _ = try snapshot.remove()
        analytics.endTimer("\(word)-timer", ["\(word)-steps": 3])
        analytics.signOut()
        names.formUnion(folder.expectNoPlainText("removed"))
        await Self.pass(memory) {
            do {
                try await analytics.erase()
            } catch {
                Issue.record(error)
            }
        }
        analytics.record("\(word)-after")
        names.formUnion(folder.expectNoPlainText("erased"))
        await Self.pass(memory) { await analytics.shutdown() }
        names.formUnion(folder.expectNoPlainText("shut down"))
        // Every kind of file existed and was checked.
        for name in ["settings", "behavior", "streams", "intercepted", "installation", "erased", "settled"] {
            #expect(names.contains(name), "\(names.filter { !$0.contains("/") })")
        }
        for part in [".segment", "cursor.", "set-aside/", "taken/"] {
            #expect(names.contains { $0.contains(part) }, "\(part)")
        }
    }

    @Test
    func `a later process reads back identity, decisions and events, and the ledger balances`() async throws {
        let folder = Folder()
        let clock = ManualClock()
        let installation: InstallationID
        do {
            let memory = try open(folder, clock: clock)
            memory.analytics.identify("carl")
            memory.analytics.setGlobalAttributes(["channel": "store"])
            memory.analytics.setConsent(.pending)
            for number in 0..<100 { memory.analytics.record("event", ["n": .integer(Int64(number))]) }
            installation = memory.analytics.storage.journal.installation
            #expect(memory.events(named: "event").count == 100)
            await memory.analytics.shutdown()
        }
        let memory = try open(folder, clock: clock)
        #expect(memory.analytics.storage.journal.installation == installation)
        _ = await memory.analytics.flush()
        #expect(memory.transport.delivered.isEmpty)
        memory.analytics.setConsent(.granted)
        memory.analytics.record("last")
        _ = await memory.analytics.flush()
        #expect(memory.transport.delivered(named: "event").count == 100)
        #expect(memory.events(named: "last").first?.global("channel")?.string == "store")
        let account = try #require(memory.analytics.ledger().destinations["collector"])
        // The sign-in and the two decisions are events, too.
        #expect((account.recorded, account.delivered, account.pending) == (104, 104, 0))
    }

    @Test
    func `a wrong, missing or short key is an error that names the cause, and no byte changes`() async throws {
        let folder = Folder()
        let first = try open(folder)
        first.analytics.identify("carl")
        first.analytics.record("event")
        await first.analytics.shutdown()
        let before = folder.files()
        for encryption in [Encryption.key(Self.other), nil] {
            let error = #expect(throws: TrackwayError.self) {
                _ = try open(folder, Self.configuration { $0.storage.encryption = encryption })
            }
            #expect(error?.code == .encryptionKeyMissing)
            let text = error?.description ?? ""
            #expect(text.contains("Configuration.storage.encryption") && text.contains(Self.key.id), "\(text)")
        }
        #expect(folder.files() == before)
        let short = #expect(throws: TrackwayError.self) {
            _ = try open(
                folder,
                Self.configuration { $0.storage.encryption = .key(Self.key, previous: [EncryptionKey(0..<31)]) }
            )
        }
        #expect(short?.code == .invalidEncryptionKey)
        #expect(short?.message.contains("encryption.previous") == true)
        #expect(folder.files() == before)
    }

    @Test
    func `adding a key to a plain folder and then changing it loses nothing and encrypts state files at once`()
        async throws
    {
        let folder = Folder()
        let clock = ManualClock()
        for (number, encryption) in [nil, Encryption.key(Self.key), .key(Self.other, previous: [Self.key])].enumerated()
        {
            let memory = try open(folder, Self.configuration { $0.storage.encryption = encryption }, clock: clock)
            if number == 0 { memory.analytics.identify("\(Self.word)-carl") }
            memory.analytics.setConsent(.pending)
            memory.analytics.record("event \(number)")
            await memory.analytics.shutdown()
            guard number > 0 else { continue }
            for (name, bytes) in folder.files() where !name.hasSuffix("segment") {
                #expect(bytes.range(of: Data(Self.word.utf8)) == nil, "\(name)")
            }
        }
        let memory = try open(
            folder,
            Self.configuration { $0.storage.encryption = .key(Self.other, previous: [Self.key]) },
            clock: clock
        )
        memory.analytics.setConsent(.granted)
        _ = await memory.analytics.flush()
        #expect(
            memory.transport.delivered.map(\.event.name).filter { $0.hasPrefix("event") }
                == (0..<3).map { "event \($0)" }
        )
        #expect(memory.analytics.ledger().isBalanced)
        await memory.analytics.shutdown()
        // All data that needed the first key has been delivered.
        _ = try open(folder, Self.configuration { $0.storage.encryption = .key(Self.other) }, clock: clock)
    }

    @Test
    func `a state file that was replaced with a different one counts as damaged`() async throws {
        let folder = Folder()
        let first = try open(folder, Self.configuration { $0.capture = .standard })
        first.analytics.identify("carl")
        first.analytics.screen("Home")
        await first.analytics.shutdown()
        let bytes = try #require(FileManager.default.contents(atPath: folder.path + "/behavior"))
        try bytes.write(to: URL(filePath: folder.path + "/settings"))
        let memory = try open(folder)
        #expect(
            memory.diagnostics.contains { $0.value.contains("settings") || $0.field.contains("settings") },
            "\(memory.diagnostics)"
        )
        // The consent decision is unknown, so nothing is sent.
        memory.analytics.record("event")
        _ = await memory.analytics.flush()
        #expect(memory.transport.delivered.isEmpty)
    }
}
