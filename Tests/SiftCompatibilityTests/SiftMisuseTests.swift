// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

@Suite("Bad input and misuse")
struct SiftMisuseTests {
    private let app = SiftApp()

    @Test
    func `queues beyond the limit are rejected with a diagnostic, and the others deliver all events`() async throws {
        let sift = try await app.launchWithAccount()
        let config = SiftQueueConfig(uploadWhenMoreThan: -1)
        let count = TestScale.count(270, full: 10_000)
        let added = (0..<count).filter { sift.addEventQueue("queue-\($0)", config: config) }
        #expect(added == Array(0..<254))
        #expect(app.diagnostics.count { $0.code == .queueInvalid } == count - 254)
        #expect(!sift.hasEventQueue("queue-9999"))
        for number in added { #expect(sift.append(SiftEvent(type: "\(number)"), toQueue: "queue-\(number)")) }
        #expect(!sift.append(SiftEvent(type: "lost"), toQueue: "queue-9999"))
        #expect(sift.removeEventQueue("queue-0"))
        #expect(sift.addEventQueue("queue-9999", config: config))
        #expect(sift.append(SiftEvent(type: "late"), toQueue: "queue-9999"))
        await sift.deliverAll()
        #expect(try Set(app.types) == Set(added.dropFirst().map(String.init) + ["late"]))
    }

    @Test(arguments: ["", "a/b", "../..", "Orders", "🛒", "\u{0}", String(repeating: "q", count: 1_000)])
    func `any text is a valid queue name, and each queue has its own events`(identifier: String) async throws {
        let sift = try await app.launchWithAccount()
        let config = SiftQueueConfig(uploadWhenMoreThan: -1)
        #expect(sift.addEventQueue(identifier, config: config))
        #expect(sift.hasEventQueue(identifier))
        #expect(sift.append(SiftEvent(type: "strange"), toQueue: identifier))
        #expect(sift.eventQueue(identifier)?.queue.map(\.type) == ["strange"])
        #expect(sift.eventQueue("sift-default")?.queue.isEmpty == true)
        #expect(sift.upload(true))
        await sift.deliverAll()
        #expect(try app.types == ["strange"])
    }

    @Test
    func `a queue with NaN times is not added, and its name stays available`() async throws {
        let sift = try await app.launchWithAccount()
        #expect(!sift.addEventQueue("q", config: SiftQueueConfig(acceptSameEventAfter: .nan)))
        #expect(!sift.hasEventQueue("q"))
        #expect(app.diagnostics.map(\.code) == [.queueInvalid])
        #expect(sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenOlderThan: .infinity)))
    }

    @Test
    func `readings that are not finite are omitted and reported`() async throws {
        let app = SiftApp(collects: true)
        let sift = try await app.launchWithAccount()
        sift.allowUsingMotionSensors = true
        // Starting the process also collects once.
        sift.collect()
        sift.updateGyroData(
            SensorReading(time: Timestamp(milliseconds: 5), values: Vector3(x: .nan, y: .infinity, z: 0.5))
        )
        sift.collect()
        await sift.deliverAll()
        let states = try app.received.compactMap { $0["ios_app_state"] }
        let gyros = states.compactMap { $0["raw_gyro"] }.flatMap { $0.array ?? [] }
        let gyro = try #require(gyros.first)
        #expect(gyro["rotation_rate_z"]?.double == 0.5)
        #expect(gyro["rotation_rate_x"] == nil)
        #expect(gyro["rotation_rate_y"] == nil)
        #expect(app.diagnostics.contains { $0.code == .readingInvalid })
    }

    @Test
    func `an unusable directory is reported once, every call fails, and calls work once it is usable`() {
        let reported = Locked<[Diagnostic]>([])
        let app = SiftApp { configuration in
            configuration.onDiagnostic = { diagnostic in reported.withLock { $0.append(diagnostic) } }
        }
        app.isDiskUnavailable.withLock { $0 = true }
        let sift = Sift(app.nextCore())
        sift.accountId = "acct_1"
        #expect(sift.accountId == "acct_1")
        #expect(!sift.append(SiftEvent(type: "lost")))
        #expect(!sift.upload(true))
        #expect(!sift.addEventQueue("q", config: SiftQueueConfig()))
        #expect(sift.analytics == nil)
        sift.collect()
        sift.userId = "user-42"
        #expect(sift.userId == "user-42")
        sift.disallowCollectingLocationData = true
        sift.pause()
        #expect(reported.withLock { $0 }.map(\.code) == [.notStarted])
        app.isDiskUnavailable.withLock { $0 = false }
        #expect(sift.append(SiftEvent(type: "paused")), "it is paused from the start and keeps recorded events")
        sift.resume()
        let event = SiftEvent(type: "kept")
        #expect(sift.append(event))
        #expect(event.userId == "user-42")
        #expect(sift.userId == "user-42")
        #expect(sift.accountId == "acct_1")
        #expect(sift.disallowCollectingLocationData)
    }

    @Test
    func `settings made while the directory was unusable are kept across restarts`() async throws {
        var sift = try await app.launch()
        sift.accountId = "acct_0"
        app.isDiskUnavailable.withLock { $0 = true }
        sift = Sift(app.nextCore())
        sift.accountId = "acct_1"
        sift.beaconKey = "beacon123"
        app.isDiskUnavailable.withLock { $0 = false }
        #expect(sift.append(SiftEvent(type: "kept")))
        sift = try await app.launch()
        #expect(sift.accountId == "acct_1")
        #expect(sift.beaconKey == "beacon123")
    }

    @Test
    func `diagnostics from creating the analytics are reported afterward, and the handler may call the module`() {
        let reported = Locked<[Diagnostic.Code]>([])
        let siftBox = Locked<Sift?>(nil)
        let app = SiftApp { configuration in
            configuration.onDiagnostic = { diagnostic in
                let account = siftBox.withLock { $0 }?.accountId
                reported.withLock { $0 += account == nil ? [] : [diagnostic.code] }
            }
        }
        app.isDiskUnavailable.withLock { $0 = true }
        let sift = Sift(app.nextCore())
        sift.accountId = "acct_1"
        sift.userId = String(repeating: "u", count: 200_000)
        siftBox.withLock { $0 = sift }
        app.isDiskUnavailable.withLock { $0 = false }
        #expect(sift.append(SiftEvent(type: "t")))
        #expect(sift.userId == nil)
        // Delivery may already have reported the missing key.
        #expect(reported.withLock { $0 }.filter { $0 != .destinationParked } == [.userInvalid])
        siftBox.withLock { $0 = nil }
    }

    @Test(arguments: [nil, ""])
    func `a user unset while the directory was unusable does not revert to the earlier user`(user: String?) async throws
    {
        let before = try await app.launch()
        before.userId = "user-41"
        app.isDiskUnavailable.withLock { $0 = true }
        let sift = Sift(app.nextCore())
        #expect(sift.analytics == nil)
        sift.userId = user
        #expect(sift.userId == nil)
        app.isDiskUnavailable.withLock { $0 = false }
        let event = SiftEvent(type: "kept")
        #expect(sift.append(event))
        #expect(event.userId == nil)
    }

    @Test
    func `the diagnostics handler may call the module, even while the analytics are created`() async throws {
        let answers = Locked<[Bool]>([])
        let siftBox = Locked<Sift?>(nil)
        let app = SiftApp { configuration in
            configuration.onDiagnostic = { _ in
                guard let sift = siftBox.withLock({ $0 }) else { return }
                let isThere = sift.hasEventQueue("sift-default")
                answers.withLock { $0.append(isThere) }
            }
        }
        let sift = try await app.launchWithAccount()
        siftBox.withLock { $0 = sift }
        #expect(!sift.append(SiftEvent(type: "t"), toQueue: "unknown"))
        #expect(answers.withLock { $0 } == [true])
        siftBox.withLock { $0 = nil }
    }

    @Test
    func `concurrent appends, queue changes and uploads lose no accepted event`() async throws {
        let sift = try await app.launchWithAccount()
        let config = SiftQueueConfig(uploadWhenMoreThan: 5)
        sift.addEventQueue("steady", config: config)
        let accepted = await withTaskGroup(of: [String].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var accepted: [String] = []
                    for round in 0..<50 {
                        let type = "\(worker)-\(round)"
                        if sift.append(SiftEvent(type: type), toQueue: "steady") { accepted.append(type) }
                        switch (worker + round) % 6 {
                        case 0: sift.addEventQueue("passing", config: config)
                        case 1: sift.removeEventQueue("passing")
                        case 2: sift.serverUrlFormat = "https://\(worker).test/%@"
                        case 3: sift.userId = "user-\(round % 3)"
                        case 4: sift.upload()
                        default: _ = sift.eventQueue("steady")?.lastEvent
                        }
                    }
                    return accepted
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(accepted.count == 400)
        await sift.deliverAll()
        #expect(try app.types.count == 400)
        #expect(try Set(app.types) == Set(accepted))
    }

    @Test
    func `instances with the same root share events, and another root is another installation`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "trackway-sift-\(ProcessInfo.processInfo.processIdentifier)"
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let network = app.network
        func open(_ name: String) -> Sift {
            Sift(rootDirPath: folder.appendingPathComponent(name).path) { configuration in
                configuration.delivery.transport = network
                configuration.lifecycle.isObserved = false
                configuration.onDiagnostic = { _ in }
            }
        }
        let (first, same, other) = (open("a"), open("b/../a"), open("b"))
        first.accountId = "acct_1"
        #expect(same.accountId == "acct_1")
        #expect(other.accountId == nil)
        #expect(first.analytics === same.analytics)
        #expect(first.analytics !== other.analytics)
        first.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        #expect(same.append(SiftEvent(type: "t"), toQueue: "q"))
        #expect(!other.append(SiftEvent(type: "t"), toQueue: "q"))
        await first.analytics?.shutdown(timeout: .zero)
        await other.analytics?.shutdown(timeout: .zero)
    }

    @Test(
        arguments: [Int.min, -1, 0, 1, .max],
        [
            -Double.infinity, -.greatestFiniteMagnitude, -1, 0, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            .infinity,
        ]
    )
    func `extreme queue rules work like others, and their events arrive once`(number: Int, time: Double) async throws {
        let sift = try await app.launchWithAccount()
        let config = SiftQueueConfig(
            acceptSameEventAfter: time,
            uploadWhenMoreThan: number,
            uploadWhenOlderThan: time
        )
        #expect(sift.addEventQueue("absurd", config: config))
        #expect(sift.append(SiftEvent(type: "one"), toQueue: "absurd"))
        #expect(sift.append(SiftEvent(type: "two"), toQueue: "absurd"))
        sift.upload(true)
        await sift.deliverAll()
        #expect(try app.types == ["one", "two"])
    }

    @Test
    func `pausing one of two directories does not affect the other, and each has its own events`() async throws {
        let environment = InMemoryEnvironment()
        let sifts = ["/one", "/two"].map { folder in Sift(rootDirPath: folder) { $0.run(in: environment) } }
        for (number, sift) in sifts.enumerated() {
            sift.accountId = "acct_\(number)"
            sift.beaconKey = "beacon123"
            sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        }
        sifts[0].pause()
        for (number, sift) in sifts.enumerated() {
            #expect(sift.append(SiftEvent(type: "of \(number)"), toQueue: "q"))
            #expect(sift.eventQueue("q")?.queue.map(\.type) == ["of \(number)"])
        }
        #expect(!sifts[0].upload(true))
        #expect(sifts[1].upload(true))
        await environment.transport.untilRequested(1)
        await sifts[1].deliverAll()
        #expect(environment.transport.requests.allSatisfy { $0.url.contains("acct_1") })
        sifts[0].resume()
        await sifts[0].deliverAll()
        #expect(environment.transport.requests.contains { $0.url.contains("acct_0") })
        #expect(Set(environment.recorded.map(\.event.name)).isSuperset(of: ["of 0", "of 1"]))
    }

    @Test
    func `two directories on a device have one installation ID, across restarts and erasures`() async throws {
        var environment = InMemoryEnvironment(device: ["platform": "Memory", "id": "0123456789abcdef0123456789abcdef"])
        let id = "01234567-89AB-CDEF-0123-456789ABCDEF"
        for _ in 0..<2 {
            for folder in ["/one", "/two"] {
                let sift = Sift(rootDirPath: folder) { $0.run(in: environment) }
                sift.accountId = "acct_1"
                sift.beaconKey = "beacon123"
                let event = SiftEvent(type: "a")
                #expect(sift.append(event))
                #expect(event.installationId == id)
                await sift.deliverAll()
                try await sift.analytics?.erase()
                #expect(sift.append(SiftEvent(type: "b")))
                await sift.deliverAll()
            }
            environment = environment.nextProcess()
        }
        let bodies = try environment.transport.requests.map {
            String(decoding: try Gzip.inflate($0.body), as: UTF8.self)
        }
        #expect(!bodies.isEmpty)
        #expect(bodies.allSatisfy { $0.contains("\"installation_id\":\"\(id)\"") })
    }
}
