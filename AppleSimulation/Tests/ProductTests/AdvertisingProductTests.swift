// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import AdSupport
import AppTrackingTransparency
import Testing
import TrackwayAdvertisingID
import TrackwayPlatform

@Suite("Advertising identifier product", .serialized)
struct AdvertisingProductTests {
    @Test
    func `the identifier is reported only while the user permits tracking, and never as all zeros`() throws {
        // The identifier is nil until the product is registered.
        #expect(LinkedAdvertisingID.current() == nil)
        AdvertisingID.register()
        let id = try #require(UUID(uuidString: "6D92078A-8246-4BA4-AE5B-76104861E7DC"))
        SimulatedAdvertising.current.simulate(identifier: id)
        for status in [ATTrackingManager.AuthorizationStatus.notDetermined, .restricted, .denied] {
            SimulatedTracking.current.simulate(status)
            #expect(LinkedAdvertisingID.current() == nil)
        }
        SimulatedTracking.current.simulate(.authorized)
        #expect(LinkedAdvertisingID.current() == id.uuidString)
        SimulatedAdvertising.current.simulate(identifier: nil)
        #expect(LinkedAdvertisingID.current() == nil)
        SimulatedAdvertising.current.simulate(identifier: id)
        SimulatedTracking.current.simulate(.denied)
        #expect(LinkedAdvertisingID.current() == nil)
    }
}
