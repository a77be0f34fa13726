// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Users and unique ids")
struct UserProfileTests {
    private func contexts(_ memory: InMemoryAnalytics) throws -> [RecordedContext] {
        memory.recorded.map { RecordedContext($0.context) }
    }

    @Test
    func `visitor, A, sign-out, B, sign-out, A, C have the unique ids 1, 1, 2, 2, 3, 1, 4, even with kills in between`()
        throws
    {
        var memory = try InMemoryAnalytics()
        var ids: [String] = []
        for (round, user) in ["", "A", nil, "B", nil, "A", "C"].enumerated() {
            if let user { if !user.isEmpty { memory.analytics.identify(user) } } else { memory.analytics.signOut() }
            memory.analytics.record("seen-\(round)")
            let seen = try #require(memory.events(named: "seen-\(round)").first)
            ids.append(try #require(RecordedContext(seen.context).user.uniqueID))
            #expect(memory.analytics.personID == ids.last)
            memory = try InMemoryAnalytics(storage: memory.storageAfterKill(), clock: memory.clock)
            #expect(memory.analytics.personID == ids.last)
        }
        let first = memory.analytics.installationID.description.uppercased()
        #expect(ids.map { id in ids.firstIndex(of: id) } == [0, 0, 2, 2, 4, 0, 6])
        #expect(ids[0] == first)
        #expect(ids.allSatisfy { $0 == $0.uppercased() && $0.count == 36 })
    }

    @Test
    func `the event of a user change already has the changed context`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("ann")
        memory.analytics.setUserAttributes(["age": 21])
        memory.analytics.removeUserAttributes(["age"])
        memory.analytics.signOut()
        let recorded = memory.recorded
        #expect(recorded.map(\.name) == ["_profile_set", "_profile_set", "_profile_unset", "_profile_set"])
        #expect(
            recorded.map(\.attributes) == [["_signed_in": true], [:], ["age": true], ["_signed_in": false]]
        )
        let users = try contexts(memory).map(\.user)
        #expect(users.map(\.id) == ["ann", "ann", "ann", nil])
        #expect(users.map { $0.attributes.map(\.name) } == [[], ["age"], [], []])
        #expect(users[1].attributes.first?.setAt == recorded[1].time)
    }

    @Test
    func `user attributes are added to later events only, and survive a kill`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("before")
        memory.analytics.setUserAttributes(["_user_age": 21, "name": "carl", "vip": true, "score": 0.5])
        memory.clock.advance(by: .seconds(1))
        memory.analytics.setUserAttributes(["_user_age": 22])
        memory.analytics.record("after")
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill(), clock: memory.clock)
        next.analytics.record("later")
        func user(_ name: String, _ memory: InMemoryAnalytics) throws -> RecordedContext.User {
            RecordedContext(try #require(memory.events(named: name).first).context).user
        }
        #expect(try user("before", memory).attributes == [])
        let after = try user("after", memory)
        #expect(after.attributes.map(\.name) == ["_user_age", "name", "vip", "score"])
        #expect(after.attributes.first?.value == 22)
        #expect(after.attributes[0].setAt.duration(to: after.attributes[1].setAt) == .seconds(-1))
        #expect(try user("later", next) == after)
    }

    @Test
    func `no event carries an attribute that was set after it`() async throws {
        let memory = try InMemoryAnalytics()
        let (analytics, clock) = (memory.analytics, memory.clock)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for round in 0..<50 {
                        clock.advance(by: .milliseconds(1))
                        analytics.setUserAttributes(["a\(thread)": .integer(Int64(round))])
                    }
                }
            }
        }
        for event in memory.recorded {
            let user = RecordedContext(event.context).user
            #expect(user.attributes.allSatisfy { $0.setAt <= event.time || event.name != "_profile_set" })
        }
        #expect(memory.events(named: "_profile_set").count == 200)
    }

    @Test
    func `repeating identify for the signed-in user neither records an event nor writes a file`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("ann")
        memory.storage.fail(.replace, with: .noSpace, paths: "/settings")
        memory.storage.fail(.contents, with: .denied, paths: "/settings")
        for _ in 0..<10_000 { memory.analytics.identify("ann") }
        memory.analytics.signOut()
        memory.storage.clearFaults()
        #expect(memory.recorded.count == 2)
        #expect(memory.diagnostics.map(\.code) == [.settingsNotSaved])
    }

    @Test
    func `the file size stays bounded with more users than are remembered`() throws {
        let memory = try InMemoryAnalytics()
        for number in 0..<250 { memory.analytics.identify("user-\(number)") }
        let disk = try #require(memory.storage.base as? MemoryStorage)
        let settings = try #require(disk.contents(of: memory.folder + "/settings"))
        #expect(settings.count < 65_536)
        #expect(memory.diagnostics.isEmpty)
    }

    @Test
    func `damaged settings reset the ids to the installation's, never to another user's`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("before")
        let disk = memory.storageAfterKill()
        let base = try #require(disk.base as? MemoryStorage)
        try base.replace(memory.folder + "/settings", with: Array("{\"identity\":7}".utf8), durably: true)
        let next = try InMemoryAnalytics(storage: disk)
        #expect(next.diagnostics.map(\.code) == [.settingsDamaged])
        #expect(next.analytics.personID == memory.analytics.personID)
        #expect(next.analytics.anonymousID == memory.analytics.anonymousID)
        #expect(next.analytics.installationID == memory.analytics.installationID)
    }

    @Test
    func `settings of an earlier version still contain the signed-in user`() throws {
        let memory = try InMemoryAnalytics()
        let disk = memory.storageAfterKill()
        let base = try #require(disk.base as? MemoryStorage)
        let text = #"{"version":1,"consent":"granted","user":"ann"}"#
        try base.replace(memory.folder + "/settings", with: Array(text.utf8), durably: true)
        let next = try InMemoryAnalytics(storage: disk)
        #expect(next.analytics.userID == "ann")
        #expect(next.analytics.personID == memory.analytics.personID)
        next.analytics.record("seen")
        #expect(RecordedContext(try #require(next.recorded.last).context).user.subject == "user-ann")
        next.analytics.identify("bob")
        #expect(next.analytics.personID != memory.analytics.personID)
        next.analytics.identify("ann")
        #expect(next.analytics.personID == memory.analytics.personID)
    }

    @Test
    func `two processes of one installation know the same users`() throws {
        let clock = ManualClock()
        let one = try InMemoryAnalytics(clock: clock)
        let two = try InMemoryAnalytics(storage: one.storage, clock: clock)
        one.analytics.identify("A")
        one.analytics.identify("B")
        let id = one.analytics.personID
        // The other process was not notified, and still gives B its existing id.
        two.analytics.identify("B")
        #expect(two.analytics.personID == id)
        two.analytics.identify("A")
        #expect(two.analytics.personID == two.analytics.installationID.description.uppercased())
        two.analytics.setUserAttributes(["age": 1])
        one.analytics.setUserAttributes(["name": "x"])
        let next = try InMemoryAnalytics(storage: one.storageAfterKill())
        next.analytics.record("seen")
        let user = RecordedContext(try #require(next.events(named: "seen").first).context).user
        #expect(user.id == "A")
        #expect(user.attributes.map(\.name) == ["age", "name"])
    }

    @Test
    func `the anonymous id is the installation's until the app sets another one, and again after a reset`() throws {
        let memory = try InMemoryAnalytics()
        let own = memory.analytics.installationID.description.uppercased()
        #expect(memory.analytics.anonymousID == own)
        memory.analytics.setAnonymousID("visitor")
        memory.analytics.identify("ann")
        memory.analytics.record("seen")
        let user = RecordedContext(try #require(memory.events(named: "seen").first).context).user
        #expect(user.anonymousID == "visitor" && user.uniqueID == own)
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        #expect(next.analytics.anonymousID == "visitor")
        next.analytics.resetAnonymousID()
        #expect(next.analytics.anonymousID == own)
        next.analytics.setAnonymousID("")
        #expect(next.analytics.anonymousID == own)
        #expect(next.diagnostics.map(\.code) == [.userInvalid])
    }

    @Test
    func `events carry added identifiers up to and including the event of the next sign-in`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.addIdentifier("138", type: "mobile")
        memory.analytics.identify("ann")
        memory.analytics.record("seen")
        memory.analytics.removeIdentifier("138", type: "mobile")
        memory.analytics.addIdentifier("", type: "mobile")
        memory.analytics.addIdentifier("1", type: "")
        let recorded = memory.recorded
        #expect(recorded.map(\.name) == ["_identity_bound", "_profile_set", "seen", "_identity_unbound"])
        #expect(recorded[0].attributes == ["_identity_key": "mobile", "_identity_value": "138"])
        let carried = try contexts(memory).map(\.user.identities)
        #expect(carried == [["mobile": "138"], ["mobile": "138"], [:], [:]])
        #expect(memory.diagnostics.map(\.code) == [.identityInvalid, .identityInvalid])
    }

    @Test
    func `erasing removes all users, and the new installation has its own ids`() async throws {
        let memory = try InMemoryAnalytics()
        let previousID = memory.analytics.personID
        memory.analytics.identify("ann")
        memory.analytics.setUserAttributes(["age": 1])
        memory.analytics.setAnonymousID("visitor")
        try await memory.analytics.erase()
        let own = memory.analytics.installationID.description.uppercased()
        #expect(own != previousID)
        #expect(memory.analytics.personID == own && memory.analytics.anonymousID == own)
        memory.analytics.record("seen")
        let user = RecordedContext(try #require(memory.events(named: "seen").first).context).user
        #expect(user.id == nil && user.attributes.isEmpty && user.uniqueID == own)
        // The first user of the new installation keeps its unique id, even if that user signed in before the erasure.
        memory.analytics.identify("ann")
        #expect(memory.analytics.personID == own)
    }

    @Test
    func `while the SDK is disabled, the user changes but nothing is recorded`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.isEnabled = false
        memory.analytics.identify("ann")
        memory.analytics.setUserAttributes(["age": 1])
        memory.analytics.isEnabled = true
        memory.analytics.record("seen")
        #expect(memory.recorded.map(\.name) == ["seen"])
        let user = RecordedContext(try #require(memory.recorded.first).context).user
        #expect(user.id == "ann" && user.attributes.map(\.name) == ["age"])
    }

    @Test
    func `events of a user who denies consent are not recorded, and those of the next user are`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("ann")
        memory.analytics.setConsent(.denied, category: nil, scope: .person)
        memory.analytics.record("as_ann")
        memory.analytics.identify("bob")
        memory.analytics.record("as_bob")
        memory.analytics.identify("ann")
        memory.analytics.record("as_ann")
        #expect(memory.recorded.map(\.name) == ["_profile_set", "_profile_set", "as_bob"])
        #expect(memory.recorded.map(\.user) == ["ann", "bob", "bob"])
    }

    @Test
    func `invalid user attributes are dropped and reported, and valid ones are kept`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setUserAttributes(["bad": .double(.nan), "good": 1, "": 2])
        memory.analytics.setUserAttributes([:])
        memory.analytics.removeUserAttributes([])
        memory.analytics.removeUserAttributes([""])
        let user = RecordedContext(try #require(memory.recorded.last).context).user
        #expect(memory.recorded.count == 1)
        #expect(user.attributes.map(\.name) == ["good"])
        #expect(
            memory.diagnostics.map(\.code).sorted { $0.rawValue < $1.rawValue } == [
                .keyEmpty, .keyEmpty, .numberNotFinite,
            ]
        )
    }

    @Test
    func `neither many small additions nor one large addition exceeds the limit on user attributes`() throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.limits.attributes = 10
        let memory = try InMemoryAnalytics(configuration)
        for number in 0..<12 { memory.analytics.setUserAttributes(["key-\(number)": 1]) }
        let many = Attributes((0..<500).map { (key: "more-\($0)", value: AttributeValue.integer(1)) })
        memory.analytics.setUserAttributes(many)
        memory.analytics.setUserAttributes(["key-0": 2])
        memory.analytics.removeUserAttributes((0..<10_000).map { "name-\($0)" })
        memory.analytics.record("seen")
        let user = RecordedContext(try #require(memory.events(named: "seen").first).context).user
        #expect(user.attributes.count == 10)
        #expect(user.attributes.first { $0.name == "key-0" }?.value == 2)
        #expect(memory.diagnostics.map(\.code).contains(.tooManyAttributes))
    }

    @Test
    func `a diagnostics handler may change the user, no matter which call reported the diagnostic`() throws {
        let holder = Locked<[Analytics]>([])
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.onDiagnostic = { diagnostic in
            guard let analytics = holder.withLock({ $0.popLast() }) else { return }
            analytics.identify("handler-\(diagnostic.code)")
        }
        let memory = try InMemoryAnalytics(configuration)
        holder.withLock { $0 = [memory.analytics] }
        memory.analytics.setUserAttributes(["bad": .double(.infinity), "good": 1])
        #expect(memory.analytics.userID == "handler-number_not_finite")
        holder.withLock { $0 = [memory.analytics] }
        memory.storage.fail(.replace, with: .noSpace, paths: "/settings")
        memory.analytics.identify("ann")
        #expect(memory.analytics.userID == "handler-settings_not_saved")
    }
}
