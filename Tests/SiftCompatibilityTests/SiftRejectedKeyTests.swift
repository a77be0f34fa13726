// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Temporarily rejected keys and accounts")
struct SiftRejectedKeyTests {
    private let app = SiftApp()

    /// A change or action that justifies another request.
    struct Reason: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var apply: @Sendable (Sift) -> Void

        init(_ testDescription: String, _ apply: @escaping @Sendable (Sift) -> Void) {
            self.testDescription = testDescription
            self.apply = apply
        }
    }

    static let reasons = [
        Reason("a forced upload") { _ = $0.upload(true) },
        Reason("another key") { $0.beaconKey = "another" },
        Reason("the same key again") { $0.beaconKey = "beacon123" },
        Reason("the same account again") { $0.setAccountId("acct_1") },
        Reason("a pause and its end") { sift in
            sift.pause()
            sift.resume()
        },
        Reason("new options") { $0.analytics?.options.logEvents = false },
    ]

    private func launchRejected(_ status: Int) async throws -> Sift {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig())
        app.network.always(.status(status))
        #expect(sift.append(SiftEvent(type: "first"), toQueue: "q"))
        try await Deadline.wait(while: !app.diagnostics.contains(where: { $0.code == .destinationParked }))
        app.network.always(.accept)
        return sift
    }

    @Test(arguments: reasons, [401, 403, 404])
    func `a suspended destination retries immediately if there is a reason`(reason: Reason, status: Int) async throws {
        let sift = try await launchRejected(status)
        app.clock.advance(by: .seconds(1))
        reason.apply(sift)
        await app.network.untilRequested(2)
        await sift.deliverAll()
        #expect(try app.types == ["first", "first"])
        #expect(sift.analytics?.ledger().destinations["sift.q"]?.delivered == 1)
    }

    @Test
    func `a long pause also ends in a retry, although no work runs when it starts`() async throws {
        let sift = try await launchRejected(401)
        sift.pause()
        await sift.analytics?.delivery.control.waitUntilIdle()
        app.clock.advance(by: .seconds(1))
        sift.resume()
        await app.network.untilRequested(2)
        await sift.deliverAll()
        #expect(sift.analytics?.ledger().destinations["sift.q"]?.delivered == 1)
    }

    @Test
    func `a suspended destination is tried at most once per second, however often an upload is forced`() async throws {
        let sift = try await launchRejected(401)
        app.network.always(.status(401))
        for _ in 0..<1_000 { sift.upload(true) }
        for _ in 0..<200 { await Task.yield() }
        #expect(app.network.requests.count == 1)
        app.clock.advance(by: .seconds(1))
        await app.network.untilRequested(2)
        for _ in 0..<200 { await Task.yield() }
        #expect(app.network.requests.count == 2)
    }

    @Test
    func `new events cause a retry after half a minute, before the scheduled one`() async throws {
        let sift = try await launchRejected(401)
        app.network.always(.status(401))
        // The delays grow: after the third response, the next retry is more than a minute away.
        for count in 2...4 {
            try await Deadline.wait(while: app.network.requests.count < count) {
                app.clock.advance(by: .seconds(16))
                for _ in 0..<100 { await Task.yield() }
            }
        }
        for _ in 0..<500 { await Task.yield() }
        app.network.always(.accept)
        #expect(sift.append(SiftEvent(type: "second"), toQueue: "q"))
        for _ in 0..<500 { await Task.yield() }
        app.clock.advance(by: .seconds(30))
        await app.network.untilRequested(5)
        await sift.deliverAll()
        #expect(try Set(app.types) == ["first", "second"])
    }

    @Test(arguments: [(401, ["accountId", "beaconKey", "resume"]), (404, ["accountId", "serverUrlFormat", "resume"])])
    func `the diagnostic names only calls that exist in this class`(status: Int, names: [String]) async throws {
        _ = try await launchRejected(status)
        let diagnostic = try #require(app.diagnostics.first { $0.code == .destinationParked })
        for name in names { #expect(diagnostic.value.contains(name)) }
    }

    @Test(arguments: [true, false])
    func `events without an account or a key are sent once when both are set again`(losesKey: Bool) async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig())
        if losesKey { sift.beaconKey = nil } else { sift.accountId = nil }
        #expect(sift.append(SiftEvent(type: "waits"), toQueue: "q"))
        #expect(!sift.upload(true))
        if losesKey { sift.beaconKey = "beacon123" } else { sift.accountId = "acct_1" }
        await app.network.untilRequested(1)
        await sift.deliverAll()
        #expect(try app.types == ["waits"])
    }
}
