// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore

@testable import TrackwayPlatform

/// The data map contains exactly the facts in a batch.
@Suite("Facts in the data map")
struct PrivacyListTests {
    private func listed(_ section: String) throws -> Set<String> {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let map = try String(
            contentsOf: folder.appendingPathComponent("Scripts/data-map/collector.txt"),
            encoding: .utf8
        )
        let prefix = "context.\(section)."
        let names = map.split(separator: "\n").filter { $0.hasPrefix(prefix) }.flatMap { line -> [Substring] in
            let name = line.dropFirst(prefix.count).prefix { $0 != " " }
            return name.split(whereSeparator: { "{,}".contains($0) })
        }
        return Set(names.map(String.init))
    }

    @Test
    func `every fact about a device is listed`() throws {
        var facts = DeviceFacts()
        (facts.platform, facts.systemID, facts.systemName, facts.systemVersion) = ("a", "b", "c", "d")
        (facts.kernelVersion, facts.architecture, facts.identity) = ("a", "b", "c")
        (facts.make, facts.model, facts.variant, facts.advertisingID) = ("a", "b", .iOSAppOnMac, "d")
        (facts.thermalState, facts.isInLowPowerMode, facts.cores, facts.memoryBytes) = (.fair, true, 1, 2)
        (facts.locale, facts.zone, facts.zoneOffsetSeconds) = ("a", "b", 0)
        facts.screen = DeviceFacts.Screen(width: 1, height: 2)
        facts.battery = BatteryFacts(level: 1, state: .full)
        facts.network = NetworkFacts(kind: .wifi, interfaces: ["eth0"])
        // A new fact has no value above, so this check fails for it.
        for (name, value) in Mirror(reflecting: facts).children {
            #expect(!"\(value)".elementsEqual("nil"), "\(name ?? "")")
        }
        // Events of a former SDK may contain the carrier.
        #expect(Set(facts.attributes.map(\.key) + ["carrier"]) == (try listed("device")))
    }

    @Test
    func `every fact about an app is listed`() throws {
        let facts = AppFacts(id: "a", package: "b", name: "c", version: "d", build: "e", processID: 1)
        #expect(facts.attributes.count == Mirror(reflecting: facts).children.count)
        // Migrations add the first day.
        #expect(Set(facts.attributes.map(\.key) + ["first_day"]) == (try listed("app")))
    }
}
