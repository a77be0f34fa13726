// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import AdSupport
internal import AppTrackingTransparency
internal import CoreLocation
internal import CoreMotion
internal import Foundation
internal import MetricKit
internal import Trackway
internal import TrackwayAdvertisingID
internal import TrackwayCore
internal import TrackwayDestinations
internal import TrackwayLocation
internal import TrackwayMotion
internal import TrackwayPlatform
internal import UIKit

/// The day on which an iPhone app with every product is installed.
///
/// Names and values that the app itself chooses begin with `own`, so that all others are known to be the SDK's.
@MainActor
enum FirstDay {
    private static let advertisingID = UUID(uuidString: "6D92078A-8246-4BA4-AE5B-76104861E7DC")

    /// The settings that send as much as possible; the hosts exist only for a proxy.
    static func configuration(_ options: Options) -> Configuration {
        func url(_ text: String) -> URL { URL(string: text) ?? options.collector }
        var sensors = SensorsAnalyticsOptions()
        sensors.namesSession = true
        var configuration = Configuration(
            appID: "own-shop",
            destinations: [
                .collector(url("http://collector.test"), writeKey: "dev"),
                .clickstream(
                    appID: "own-shop",
                    endpoint: url("http://clickstream.test/collect"),
                    authCookie: "own=cookie"
                ),
                .sensorsAnalytics(serverURL: url("http://sensors.test/sa?project=own-project"), options: sensors),
                .sift(
                    accountID: "own-account",
                    beaconKey: "dev",
                    serverURLFormat: "http://sift.test/v3/accounts/%@/mobile_events"
                ),
                .sapMobileServices(url("http://sap.test"), applicationID: "own-shop"),
            ]
        )
        configuration.storage.folder = options.folder
        configuration.appVersion = options.version
        configuration.appBuild = "own-build"
        configuration.privacy.consent = .pending
        configuration.capture = [.standard, .crashes, .systemReports]
        configuration.snapshots = snapshots()
        configuration.delivery.policy.flushInterval = .seconds(86_400)
        configuration.delivery.policy.flushEvents = 1_000_000
        configuration.delivery.policy.retry = RetrySchedule(base: .milliseconds(5), cap: .milliseconds(40))
        configuration.onDiagnostic = { SimulatedAppScenario.printLine("diagnostic \($0.code) \($0.field) \($0.value)") }
        return configuration
    }

    /// The sources of the products that the app links, and the properties that a phone has.
    private static func snapshots() -> SnapshotOptions {
        SimulatedMotionSensors.current.reset()
        SimulatedLocation.current.simulate(authorization: .authorizedWhenInUse)
        SimulatedLocation.current.simulate(
            location: CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: 48.2, longitude: 16.37),
                altitude: 171,
                horizontalAccuracy: 12,
                verticalAccuracy: 3,
                course: 90,
                speed: 1.5,
                timestamp: Date(timeIntervalSince1970: 1_700_000_000)
            )
        )
        LocationSnapshots.register()
        MotionSnapshots.register()
        var sources = SnapshotSources(deviceProperties: PhoneProperties())
        SnapshotProducts.add(to: &sources)
        return SnapshotOptions(sources: sources, allowsMotion: true, allowsDeviceRecognition: true)
    }

    /// Replaces the facts about the machine with those of an iPhone, in the form in which the SDK reads them there.
    static func describePhone(to dependencies: inout Dependencies) {
        AdvertisingID.register()
        SimulatedAdvertising.current.simulate(identifier: advertisingID)
        SimulatedTracking.current.simulate(.authorized)
        var facts = DeviceFacts()
        facts.platform = "iOS"
        facts.systemName = "iOS"
        facts.systemVersion = "17.5.1"
        facts.kernelVersion = "23.5.0"
        facts.architecture = "arm64"
        facts.identity = "7350BBAF-EF5D-4240-912B-0C054A6EA375"
        facts.make = "Apple"
        facts.model = "iPhone15,2"
        facts.variant = .simulator
        facts.advertisingID = LinkedAdvertisingID.current()
        facts.cores = 6
        facts.memoryBytes = 5_977_473_024
        facts.locale = "de_CH"
        facts.zone = "Europe/Zurich"
        facts.zoneOffsetSeconds = 3_600
        facts.screen = DeviceFacts.Screen(width: 1_179, height: 2_556)
        facts.thermalState = .nominal
        facts.isInLowPowerMode = false
        facts.network = NetworkFacts(kind: .wifi, interfaces: ["en0"])
        let boot = dependencies.facts.boot
        let phone = ContextFacts(app: dependencies.facts.app, device: facts.attributes, boot: boot)
        dependencies.facts = phone
        dependencies.readDeviceFacts = nil
        dependencies.refreshFacts = { phone }
    }

    // MARK: Steps

    /// Executes a step of the day.
    static func execute(_ step: String, _ analytics: Analytics) async throws {
        switch step {
        case "decide": analytics.setConsent(.granted, source: "own_banner", version: "own-2026-05")
        case "describe": describeUser(analytics)
        case "snapshot": await takeSnapshot(analytics)
        case "report-crash": reportCrash()
        case "sign-out": analytics.signOut()
        default: try await analytics.erase()
        }
    }

    private static func describeUser(_ analytics: Analytics) {
        analytics.setGlobalAttributes(["own_channel": "own store"])
        analytics.identify("own-user-1", traits: ["own_plan": "pro"])
        analytics.addIdentifier("own-555", type: "own_mobile")
        analytics.group("own_company", id: "own-acme", traits: ["own_seats": 12])
        analytics.record(
            "own_view",
            ["own_value": 1],
            items: [Item(id: "own-1", name: "own name", ["own_color": "own"])]
        )
    }

    private static func takeSnapshot(_ analytics: Analytics) async {
        analytics.addHeading(
            Heading(
                time: Timestamp(milliseconds: 1_700_000_000_000),
                magnetic: 10,
                geographic: 12,
                accuracy: 3,
                field: Vector3(x: 1, y: 2, z: 3)
            )
        )
        analytics.collectSnapshot(title: "own_Home")
        for roll in [0.5, 0.6] {
            SimulatedMotionSensors.current.simulate(
                .simulated(at: ProcessInfo.processInfo.systemUptime, roll: roll)
            )
            // The source passes readings on from the main queue.
            await Task.yield()
        }
        analytics.collectSnapshot(title: "own_Home")
    }

    /// MetricKit reports a crash of an earlier process.
    private static func reportCrash() {
        let stacks = """
            {"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{"binaryUUID":"AAAA0000-0000-0000-0000-000000000000",
            "binaryName":"Shop","address":4352,"offsetIntoBinaryTextSegment":256,"sampleCount":1}]}],"callStackPerThread":true}
            """
        let crash = MXCrashDiagnostic.simulated(
            signal: 11,
            exceptionType: 1,
            terminationReason: "Namespace SIGNAL, Code 11",
            callStack: stacks
        )
        MXMetricManager.shared.simulate([
            .simulated(
                crashes: [crash],
                hangs: [],
                from: Date(timeIntervalSince1970: 1_700_000_000),
                to: Date(timeIntervalSince1970: 1_700_000_060)
            )
        ])
    }
}

/// A list with a title, whose rows can be tapped.
final class ListController: UITableViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        title = "own list"
    }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 3 }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = UITableViewCell(style: .default, reuseIdentifier: nil)
        cell.accessibilityIdentifier = "own_row\(indexPath.row)"
        return cell
    }
}

/// The properties that Apple's systems provide, under the names that the SDK gives them there.
private struct PhoneProperties: DevicePropertiesSource {
    func deviceProperties() -> DeviceProperties {
        var properties = DeviceProperties()
        properties[.appName] = "own shop"
        properties[.appVersionShort] = "1.0"
        properties[.deviceName] = "Ada's iPhone"
        properties[.deviceModel] = "iPhone"
        properties[.deviceLocalizedModel] = "iPhone"
        properties[.systemName] = "iOS"
        properties[.systemVersion] = "17.5.1"
        properties[.vendorID] = "7350BBAF-EF5D-4240-912B-0C054A6EA375"
        properties[.advertisingID] = LinkedAdvertisingID.current()
        properties[.isSimulator] = true
        properties[.hardwareMachine] = "iPhone15,2"
        properties[.kernelUUID] = "6C1D7A52-0F5B-3A0E-9C41-4D0E3D1B7A11"
        properties[.kernelBootSignature] = "5B1D7A52"
        properties[.hostName] = "adas-iphone"
        properties[.hostID] = 42
        properties[.cpuFamily] = 1
        properties[.cpuType] = 2
        properties[.cpuSubtype] = 3
        properties[.timeBaseFrequency] = 24_000_000
        properties[.osRevision] = 199_506
        properties[.busFrequency] = 1
        properties[.busFrequencyMinimum] = 1
        properties[.busFrequencyMaximum] = 1
        properties[.screenWidth] = 1_179
        properties[.screenHeight] = 2_556
        return properties
    }
}
