// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayPlatform
import TrackwayTesting

/// An app and its extension that share a folder, in which a suspended process must not hold a lock.
@Suite("A shared container")
struct SharedContainerTests {
    private final class Container {
        let root: URL

        init() throws {
            root = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: root) }

        func start(
            _ name: String,
            _ environment: InMemoryEnvironment = InMemoryEnvironment(),
            process: Int32? = nil
        ) throws -> Analytics {
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            let container = try StorageLocation(path: root.path)
            let own = container.subfolder(forProcess: name)
            try own.prepare()
            dependencies.storage = SystemStorage.make()
            if let process {
                dependencies.lease(folder: own, in: container, process: process)
            } else {
                dependencies.lease(folder: own, in: container)
            }
            return try Analytics(configuration, in: dependencies)
        }

        /// Starts a process without locks in a folder of its own container.
        func startAlone(
            ownsContainer: Bool,
            _ environment: InMemoryEnvironment = InMemoryEnvironment(),
            process: Int32? = nil
        ) throws -> Analytics {
            try start(in: environment) { dependencies, folder in
                if let process {
                    dependencies.leaseOwn(folder: folder, ownsContainer: ownsContainer, process: process)
                } else {
                    dependencies.leaseOwn(folder: folder, ownsContainer: ownsContainer)
                }
            }
        }

        /// Starts the same process with locks, as on systems that do not suspend processes.
        func startLocking(_ environment: InMemoryEnvironment) throws -> Analytics {
            try start(in: environment) { _, _ in }
        }

        private func start(
            in environment: InMemoryEnvironment,
            _ change: (inout Dependencies, StorageLocation) -> Void
        ) throws -> Analytics {
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.capture = .launches
            configuration.run(in: environment)
            let folder = try StorageLocation(path: root.path + "/own")
            try folder.prepare()
            var dependencies = try environment.dependencies(for: configuration)
            dependencies.storage = SystemStorage.make()
            dependencies.folder = folder.path
            change(&dependencies, folder)
            return try Analytics(configuration, in: dependencies)
        }

        /// The files that any process has locked.
        func locked() throws -> [String] {
            let disk = DiskStorage()
            let files = FileManager.default.enumerator(atPath: root.path)
            var locked: [String] = []
            while let name = files?.nextObject() as? String {
                let path = root.path + "/" + name
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                    continue
                }
                if let lock = try disk.lock(path) { lock.release() } else { locked.append(name) }
            }
            return locked
        }

        func names(_ folder: String) throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: root.path + "/" + folder))
        }
    }

    @Test
    func `a shared container is one installation with a folder for each process, and each delivers its own events`()
        async throws
    {
        let container = try Container()
        let (phone, share) = (InMemoryEnvironment(), InMemoryEnvironment())
        let app = try container.start("shop", phone)
        let sheet = try container.start("shop.share", share)
        #expect(app.installationID == sheet.installationID)
        #expect(try container.names("") == ["shop", "shop.share", "shared"])
        app.record("app")
        sheet.record("share")
        _ = await app.flush()
        _ = await sheet.flush()
        #expect(phone.transport.delivered(named: "app").count == 1)
        #expect(phone.transport.delivered(named: "share").isEmpty)
        #expect(share.transport.delivered(named: "share").count == 1)
        #expect(app.ledger().isBalanced && sheet.ledger().isBalanced)
    }

    @Test
    func `no process holds a lock in a shared container`() async throws {
        let container = try Container()
        let app = try container.start("shop")
        app.record("seen")
        _ = await app.flush()
        #expect(try container.locked() == [])
        withExtendedLifetime(app) {}
    }

    @Test(arguments: [true, false])
    func `a process that may be suspended holds no lock in its own container, in the foreground and in the background`(
        ownsContainer: Bool
    ) async throws {
        let container = try Container()
        let app = try container.startAlone(ownsContainer: ownsContainer)
        app.record("seen")
        _ = await app.flush()
        #expect(try container.locked() == [])
        app.lifecycleChanged(to: .didBecomeActive)
        app.record("seen")
        #expect(try container.locked() == [])
        for change in [LifecycleChange.willResignActive, .didEnterBackground, .willSuspend] {
            app.lifecycleChanged(to: change)
        }
        await app.lifecycle.dispatcher.waitUntilSettled()
        app.record("seen in the background")
        #expect(try container.locked() == [])
        // The folder is the same as with locks, so existing files are found.
        #expect(try container.names("own").isSuperset(of: ["installation", "writers"]))
        withExtendedLifetime(app) {}
    }

    @Test
    func `in its own container, the next process continues immediately, no matter which process id the former one had`()
        async throws
    {
        let container = try Container()
        // Its leases are never released, and its process id is that of a live process. A request without a response
        // simulates its end: from then on it neither delivers nor takes a lease.
        let ended = InMemoryEnvironment()
        ended.transport.hold()
        let killed = try container.startAlone(ownsContainer: true, ended, process: 1)
        killed.record("before")
        let request = Task { await killed.flush() }
        await ended.transport.untilRequested(1)
        let environment = InMemoryEnvironment()
        let next = try container.startAlone(ownsContainer: true, environment)
        #expect(next.installationID == killed.installationID)
        _ = await next.flush()
        #expect(environment.transport.delivered(named: "before").count == 1)
        ended.transport.release()
        _ = await request.value
    }

    @Test
    func `an installation created with locks continues with leases, and vice versa`() async throws {
        let container = try Container()
        for (number, isLeasing) in [false, true, false, true].enumerated() {
            let environment = InMemoryEnvironment()
            let app =
                try isLeasing
                ? container.startAlone(ownsContainer: true, environment) : container.startLocking(environment)
            app.record("event \(number)")
            _ = await app.flush()
            #expect(environment.transport.delivered(named: "event \(number)").count == 1)
            #expect(try container.locked().isEmpty == isLeasing)
            await app.shutdown(timeout: .seconds(5))
        }
        #expect(try container.names("own/writers").isEmpty == false)
    }

    @Test
    func `the next process with the same name continues, and delivers the events of the previous one`() async throws {
        let container = try Container()
        var first: Analytics? = try container.start("shop")
        first?.record("before")
        let installation = first?.installationID
        await first?.shutdown(timeout: .zero)
        first = nil
        let environment = InMemoryEnvironment()
        let second = try container.start("shop", environment)
        #expect(second.installationID == installation)
        _ = await second.flush()
        #expect(environment.transport.delivered(named: "before").count == 1)
    }

    @Test
    func `an erased installation is also erased for the next process`() async throws {
        let container = try Container()
        let app = try container.start("shop")
        let before = app.installationID
        try await app.erase()
        #expect(app.installationID != before)
        #expect(try container.start("shop.share").installationID == app.installationID)
    }

    @Test
    func `other processes delete their data of an erased installation at their next start, and none restores it`()
        async throws
    {
        let container = try Container()
        let app = try container.start("shop")
        let before = app.installationID
        let first = try container.start("shop.share")
        first.identify("ann")
        first.record("mine")
        await first.shutdown(timeout: .zero)
        try await app.erase()
        let environment = InMemoryEnvironment()
        let second = try container.start("shop.share", environment)
        try await Deadline.wait(while: second.installationID == before)
        #expect(second.installationID == app.installationID)
        second.record("new")
        // Nothing is sent until the erasure has ended.
        while environment.transport.delivered(named: "new").isEmpty { _ = await second.flush() }
        #expect(environment.transport.delivered(named: "new").count == 1)
        #expect(environment.transport.delivered(named: "mine").isEmpty)
        await second.shutdown(timeout: .zero)
        await app.shutdown(timeout: .zero)
        for process in ["shop", "shop.share", "shop.widget"] {
            #expect(try container.start(process).installationID == app.installationID, "\(process)")
        }
    }

    @Test
    func `a damaged identity is restored by a process that knows it`() async throws {
        let container = try Container()
        let app = try container.start("shop")
        await app.shutdown(timeout: .zero)
        let file = container.root.appendingPathComponent("shared/installation")
        try Data("nonsense".utf8).write(to: file)
        #expect(try container.start("shop").installationID == app.installationID)
        #expect(try container.start("shop.share").installationID == app.installationID)
    }

    @Test
    func `two processes with one name share a folder: one delivers for both, and nothing is lost or sent twice`()
        async throws
    {
        let container = try Container()
        let (first, second) = (InMemoryEnvironment(), InMemoryEnvironment())
        let one = try container.start("shop.share", first)
        // Represents another live process on the device. Process 1 always exists.
        let other = try container.start("shop.share", second, process: 1)
        #expect(one.installationID == other.installationID)
        for number in 0..<50 {
            one.record("one", ["n": .integer(Int64(number))])
            other.record("other", ["n": .integer(Int64(number))])
        }
        func sent(_ name: String) -> [Event] {
            first.transport.delivered(named: name) + second.transport.delivered(named: name)
        }
        while sent("one").count + sent("other").count < 100 {
            _ = await one.flush()
            _ = await other.flush()
        }
        for name in ["one", "other"] {
            #expect(sent(name).map { $0.attributes["n"] } == (0..<50).map { .integer($0) }, "\(name)")
        }
    }
}
