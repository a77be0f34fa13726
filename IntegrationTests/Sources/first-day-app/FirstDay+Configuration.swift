// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayDestinations

extension FirstDay {
    /// The settings that send as much as possible, except those that are switched off.
    static func configuration(_ options: Options) throws -> Configuration {
        let without = options.without
        var configuration = Configuration(appID: options.app, destinations: try destinations(options))
        configuration.storage.folder = URL(fileURLWithPath: options.folder, isDirectory: true)
        configuration.appVersion = options.version
        configuration.appBuild = "own-\(options.version)-7"
        configuration.privacy.consent = [.quiet, .copied].contains(options.part) ? .granted : .pending
        configuration.privacy.anonymousEventPolicy =
            without.contains("privacy.anonymousEventPolicy") ? .mergeIntoUser : .keepSeparate
        if without.contains("privacy.omittedContext") {
            configuration.privacy.omittedContext = Set(ContextField.allCases)
        }
        configuration.capture = capture(without)
        configuration.snapshots = try without.contains("snapshots") ? nil : snapshots(options)
        // Only the app's own requests, so that each batch has the same events in every run.
        configuration.delivery.policy.flushInterval = .seconds(86_400)
        configuration.delivery.policy.flushEvents = 1_000_000
        configuration.delivery.policy.retry = RetrySchedule(base: .milliseconds(5), cap: .milliseconds(40))
        configuration.onDiagnostic = { print("diagnostic \($0.code) \($0.field) \($0.value)") }
        return configuration
    }

    private static func capture(_ without: Set<String>) -> CaptureOptions {
        let kinds: [(String, CaptureOptions)] = [
            ("launches", .launches), ("sessions", .sessions), ("screens", .screens), ("engagement", .engagement),
            ("updates", .updates), ("crashes", .crashes),
        ]
        return CaptureOptions(kinds.filter { !without.contains("capture.\($0.0)") }.map(\.1))
    }

    private static func snapshots(_ options: Options) throws -> SnapshotOptions {
        let without = options.without
        let recognizesDevice = !without.contains("snapshots.allowsDeviceRecognition")
        var sources = SnapshotSources.system(
            appID: options.app,
            appVersion: options.version,
            recognizesDevice: recognizesDevice
        )
        sources.location = Sensors.FixedLocation()
        if let system = sources.deviceProperties { sources.deviceProperties = Sensors.OwnProperties(system: system) }
        return SnapshotOptions(
            sources: sources,
            allowsMotion: !without.contains("snapshots.allowsMotion"),
            allowsLocation: !without.contains("snapshots.allowsLocation")
        )
    }

    // MARK: Destinations

    /// One destination per format; the hosts exist only for the proxy.
    private static func destinations(_ options: Options) throws -> [DestinationConfiguration] {
        let without = options.without
        let isCompressed = !without.contains("isCompressed")
        var sensors = SensorsAnalyticsOptions()
        sensors.namesSession = !without.contains("namesSession")
        if !without.contains("cookie") { sensors.cookie = "own=cookie" }
        // A copy of a folder with pending events is the same installation, and the app reads none.
        let local: [DestinationConfiguration] = [.quiet, .copied].contains(options.part) ? [] : [.local("own-local")]
        return local + [
            DestinationConfiguration(
                CollectorDestination(url: "http://collector.test", writeKey: "dev", isCompressed: isCompressed)
            ),
            .clickstream(
                appID: options.app,
                endpoint: try url("http://clickstream.test/collect"),
                isCompressed: isCompressed,
                authCookie: without.contains("cookie") ? nil : "own=cookie",
                userAttributes: without.contains("userAttributes") ? .profileSetOnly : .everyEvent
            ),
            .sensorsAnalytics(serverURL: try url("http://sensors.test/sa?project=own-project"), options: sensors),
            .sift(
                accountID: "own-account",
                beaconKey: "dev",
                serverURLFormat: "http://sift.test/v3/accounts/%@/mobile_events",
                edition: without.contains("edition") ? .current : .legacy
            ),
            .sapMobileServices(
                try url("http://sap.test"),
                applicationID: options.app,
                namesDevice: !without.contains("namesDevice"),
                headers: without.contains("headers") ? [:] : ["x-own": "own"]
            ),
        ]
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw Failure(description: "\(text) is not an address") }
        return url
    }
}
