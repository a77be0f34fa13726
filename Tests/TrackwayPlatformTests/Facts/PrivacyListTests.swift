// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore

@testable import TrackwayPlatform

/// The list for privacy officers contains every fact in a batch.
@Suite("Documented contents of each batch")
struct PrivacyListTests {
    private func listed() throws -> Set<String> {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = try String(
            contentsOf: folder.appendingPathComponent("Documentation/Privacy.md"),
            encoding: .utf8
        )
        let lists = try #require(document.components(separatedBy: "## What each batch says about app and device").last)
        let list = try #require(lists.components(separatedBy: "\n## ").first)
        return Set(list.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
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
        #expect(Set(facts.attributes.map(\.key)).subtracting(try listed()) == [])
    }

    @Test
    func `every fact about an app is listed`() throws {
        let facts = AppFacts(id: "a", package: "b", name: "c", version: "d", build: "e", processID: 1)
        #expect(facts.attributes.count == Mirror(reflecting: facts).children.count)
        #expect(Set(facts.attributes.map(\.key)).subtracting(try listed()) == [])
    }
}
