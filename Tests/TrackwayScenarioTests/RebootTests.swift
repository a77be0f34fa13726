// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Reboots")
struct RebootTests {
    @Test
    func `an exit lost to a reboot is recorded under its own boot, and only later events under the new one`()
        async throws
    {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(60))
        let before = try #require(device.events.last?.context["boot"]?.string)
        device.reboot()
        try await device.open()
        device.analytics?.record("used")
        let exit = try #require(device.events.firstIndex { $0.name == CapturedName.appEnd })
        let boots = device.events.map { $0.context["boot"]?.string }
        #expect(Set(boots[...exit]) == [before])
        #expect(Set(boots[(exit + 1)...]).count == 1)
        #expect(boots.last != before)
        #expect(device.events[exit].context["session"] == device.events[0].context["session"])
    }
}
