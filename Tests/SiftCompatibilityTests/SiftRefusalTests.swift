// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayEvents
internal import TrackwayTesting

@Suite("A back-end that refuses the key or the account for a while")
struct SiftRefusalTests {
    private let app = SiftApp()

    /// What makes it worth asking again.
    struct Reason: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var give: @Sendable (Sift) -> Void

        init(_ testDescription: String, _ give: @escaping @Sendable (Sift) -> Void) {
            self.testDescription = testDescription
            self.give = give
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

    private func refused(_ status: Int) async throws -> Sift {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig())
        app.network.always(.status(status))
        #expect(sift.append(SiftEvent(type: "first"), toQueue: "q"))
        try await Deadline.wait(while: !app.diagnostics.contains(where: { $0.code == .destinationParked }))
        app.network.always(.accept)
        return sift
    }

    @Test("is asked again at once when there is a reason to", arguments: reasons, [401, 403, 404])
    func woken(reason: Reason, status: Int) async throws {
        let sift = try await refused(status)
        app.clock.advance(by: .seconds(1))
        reason.give(sift)
        await app.network.untilRequested(2)
        await sift.settle()
        #expect(try app.types == ["first", "first"])
        #expect(sift.analytics?.ledger().destinations["sift.q"]?.delivered == 1)
    }

    @Test("is asked again once the pause was long, too: nothing is under way when it stops")
    func wokenByResume() async throws {
        let sift = try await refused(401)
        sift.pause()
        await sift.analytics?.delivery.control.untilAtRest()
        app.clock.advance(by: .seconds(1))
        sift.resume()
        await app.network.untilRequested(2)
        await sift.settle()
        #expect(sift.analytics?.ledger().destinations["sift.q"]?.delivered == 1)
    }

    @Test("is asked no more than once a second, however often an upload is forced")
    func bounded() async throws {
        let sift = try await refused(401)
        app.network.always(.status(401))
        for _ in 0..<1_000 { sift.upload(true) }
        for _ in 0..<200 { await Task.yield() }
        #expect(app.network.requests.count == 1)
        app.clock.advance(by: .seconds(1))
        await app.network.untilRequested(2)
        for _ in 0..<200 { await Task.yield() }
        #expect(app.network.requests.count == 2)
    }

    @Test("is asked again half a minute later when events come, though it would not be by itself")
    func newEvents() async throws {
        let sift = try await refused(401)
        app.network.always(.status(401))
        // The pauses grow: after the third answer the next is more than a minute away.
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
        await sift.settle()
        #expect(try Set(app.types) == ["first", "second"])
    }

    @Test(
        "its diagnostic names calls that this class has",
        arguments: [(401, ["accountId", "beaconKey", "resume"]), (404, ["accountId", "serverUrlFormat", "resume"])]
    )
    func remedy(status: Int, names: [String]) async throws {
        _ = try await refused(status)
        let diagnostic = try #require(app.diagnostics.first { $0.code == .destinationParked })
        for name in names { #expect(diagnostic.value.contains(name)) }
    }

    @Test("without account or key, and with them again, everything is sent once", arguments: [true, false])
    func settingsGone(losesKey: Bool) async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig())
        if losesKey { sift.beaconKey = nil } else { sift.accountId = nil }
        #expect(sift.append(SiftEvent(type: "waits"), toQueue: "q"))
        #expect(!sift.upload(true))
        if losesKey { sift.beaconKey = "beacon123" } else { sift.accountId = "acct_1" }
        await app.network.untilRequested(1)
        await sift.settle()
        #expect(try app.types == ["waits"])
    }
}
