// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayEvents
internal import TrackwayTesting

@Suite("A pause")
struct SiftRestTests {
    private let app = SiftApp()

    @Test("stops recording, collecting and uploading, keeps what waits, and says so")
    func pauses() async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        #expect(sift.append(SiftEvent(type: "before"), toQueue: "q"))
        sift.pause()
        #expect(!sift.append(SiftEvent(type: "lost"), toQueue: "q"))
        #expect(!sift.upload())
        #expect(!sift.upload(true))
        #expect(sift.eventQueue("q")?.transfer().isEmpty == true)
        sift.collect()
        sift.updateAccelerometerData(
            SensorReading(time: Timestamp(milliseconds: 1), values: Vector3(x: 1, y: 2, z: 3))
        )
        await sift.settle()
        #expect(app.network.requests.isEmpty)
        #expect(app.diagnostics.filter { $0.code == .calledWhilePaused }.count == 6)
        #expect(sift.addEventQueue("another", config: SiftQueueConfig()))
        sift.resume()
        #expect(sift.append(SiftEvent(type: "after"), toQueue: "q"))
        #expect(sift.upload(true))
        await sift.settle()
        #expect(try app.types == ["before", "after"])
    }

    @Test("holds what time would send, until it is over")
    func holdsTime() async throws {
        let sift = try await app.launchWithAccount()
        sift.append(SiftEvent(type: "first"))
        await app.network.untilRequested(1)
        sift.append(SiftEvent(type: "second"))
        sift.pause()
        await sift.analytics?.control.untilSettled()
        app.clock.advance(by: .seconds(600))
        #expect(app.network.requests.count == 1)
        sift.resume()
        await app.network.untilRequested(2)
        await sift.settle()
        #expect(try app.types == ["first", "second"])
    }

    @Test("is the same when it is said twice, and over when the process is")
    func idempotent() async throws {
        var sift = try await app.launchWithAccount()
        sift.resume()
        #expect(sift.append(SiftEvent(type: "one")))
        sift.pause()
        sift.pause()
        #expect(!sift.append(SiftEvent(type: "lost")))
        sift.resume()
        #expect(sift.append(SiftEvent(type: "two")))
        sift.resume()
        sift.pause()
        sift = try await app.launch()
        #expect(sift.append(SiftEvent(type: "three")))
        await sift.settle()
        #expect(try app.distinctTypes == ["one", "two", "three"])
    }
}
