// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayLifecycle
internal import TrackwayTesting

@testable internal import Trackway

@Suite("System snapshot sources")
struct SystemSnapshotSourceTests {
    /// The snapshot sources of the real environment for a configuration.
    private static func sources(_ snapshots: SnapshotOptions?) throws -> SnapshotSources {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trackway-\(WriterID.fresh())")
        // If this fails, the system clears its temporary folder.
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.storage.folder = folder
        configuration.appVersion = "3.8.1"
        configuration.snapshots = snapshots
        return try Dependencies.live(configuration).snapshotSources
    }

    @Test
    func `snapshot sources exist if snapshots are enabled, and provide the app version and the system`() throws {
        let sources = try Self.sources(SnapshotOptions())
        let properties = try #require(sources.deviceProperties?.deviceProperties())
        #expect(properties[.appVersionShort] == "3.8.1")
        #expect(properties[.osType] == "Linux")
        let appState = try #require(sources.appState?.appState())
        #expect(appState.applicationState == nil, "the SDK adds the application state itself")
        #expect(sources.location == nil)
    }

    @Test
    func `without snapshots, no snapshot sources are created`() throws {
        let sources = try Self.sources(nil)
        #expect(sources.deviceProperties == nil && sources.appState == nil && sources.motion == nil)
    }

    @Test
    func `system sources are available to the app, which may replace them`() throws {
        let properties = try #require(
            SnapshotSources.system(appID: "shop", appVersion: "1.2").deviceProperties?.deviceProperties()
        )
        #expect(properties[.appVersionShort] == "1.2")
        #expect(properties[.osType] == "Linux")
    }
}
