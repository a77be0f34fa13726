// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Settings file format")
struct SettingsFormatTests {
    private func settings(_ memory: InMemoryAnalytics) throws -> JSONValue {
        let disk = try #require(memory.storage.base as? MemoryStorage)
        return try JSONValue.parse(try #require(disk.contents(of: memory.folder + "/settings")))
    }

    @Test
    func `settings contain identity and decisions as documented, and nothing derived from the installation`() throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        analytics.setConsent(.granted)
        analytics.setConsent(.denied, category: .marketing, scope: .person)
        analytics.identify("ann")
        analytics.setUserAttributes(["age": 21])
        analytics.setAnonymousID("visitor")
        analytics.addIdentifier("138", type: "mobile")
        let now = memory.clock.now().wall.milliseconds
        let expected = """
            {"version":1,"consent":"granted","people":{"device":{"consent":"granted"},"subject":"user-ann","stretches":1,\
            "turn":1,"people":[{"subject":"anonymous-1","left":1,"joined":"user-ann"},\
            {"subject":"user-ann","categories":{"marketing":"denied"}}],"epoch":1,\
            "withdrawn":[{"subject":"anonymous-1","category":"marketing","epoch":1}]},\
            "consent_log":[{"time":\(now),"decision":"granted"},\
            {"time":\(now),"decision":"denied","scope":"person","category":"marketing","subject":"anonymous-1"}],\
            "identity":{"user":"ann","signed_in":\(now),"anonymous_id":"visitor","identities":{"mobile":"138"},\
            "attributes":{"age":{"value":21,"set":\(now)}},"known":[{"user":"ann"}]}}
            """
        #expect(String(decoding: try settings(memory).json(), as: UTF8.self) == expected)
    }

    @Test(arguments: 0..<400)
    func `with a truncated file no user gets another user's id, and nothing is sent until consent is decided again`(
        length: Int
    ) throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setConsent(.denied)
        memory.analytics.identify("ann")
        let disk = memory.storageAfterKill()
        let base = try #require(disk.base as? MemoryStorage)
        let whole = try #require(base.contents(of: memory.folder + "/settings"))
        guard length < whole.count else { return }
        try base.replace(memory.folder + "/settings", with: Array(whole.prefix(length)), durably: true)
        let next = try InMemoryAnalytics(storage: disk)
        #expect(next.analytics.consent == .pending)
        #expect(next.analytics.personID == memory.analytics.personID)
        #expect(next.diagnostics.map(\.code) == [.settingsDamaged])
    }
}
