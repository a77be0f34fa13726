// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayTesting

@testable internal import Trackway

@Suite("The system's sources of snapshots")
struct LiveSourcesTests {
    /// The real environment for a configuration, as far as snapshots are concerned.
    private static func sources(_ snapshots: SnapshotOptions?) throws -> SnapshotSources {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trackway-\(WriterID.fresh())")
        // What cannot be removed is left to the system, which clears its temporary folder.
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.storage.folder = folder
        configuration.appVersion = "3.8.1"
        configuration.snapshots = snapshots
        return try Dependencies.live(configuration).snapshotSources
    }

    @Test("are there for an app that has snapshots taken, and know its version and the system")
    func there() throws {
        let sources = try Self.sources(SnapshotOptions())
        let properties = try #require(sources.deviceProperties?.deviceProperties())
        #expect(properties[.appVersionShort] == "3.8.1")
        #expect(properties[.osType] == "Linux")
        let appState = try #require(sources.appState?.appState())
        #expect(appState.applicationState == nil, "the SDK knows that itself")
        #expect(sources.location == nil)
    }

    @Test("are not made for any other app")
    func notThere() throws {
        let sources = try Self.sources(nil)
        #expect(sources.deviceProperties == nil && sources.appState == nil && sources.motion == nil)
    }

    @Test("are offered to the app, which may put its own in their place")
    func offered() throws {
        let properties = try #require(
            SnapshotSources.system(appID: "shop", appVersion: "1.2").deviceProperties?.deviceProperties()
        )
        #expect(properties[.appVersionShort] == "1.2")
        #expect(properties[.osType] == "Linux")
    }
}
