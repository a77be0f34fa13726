// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SensorsAnalyticsCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayPlatform
internal import TrackwayTesting

@Suite("The original SDK linked next to the module")
struct DuplicateSDKTests {
    /// An environment in which several images define the same classes.
    private final class Process: DependencySource {
        let environment = InMemoryEnvironment()
        let images: [LoadedImage]
        let requestedNames = Locked<[Set<String>]>([])

        init(_ images: [LoadedImage]) {
            self.images = images
        }

        func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies {
            var dependencies = try environment.dependencies(for: configuration)
            dependencies.loadedImages = { [images, requestedNames] names in
                requestedNames.withLock { $0.append(names) }
                return images
            }
            return dependencies
        }

        /// Returns the diagnostics after a start.
        func diagnosticsOfAStart() async throws -> [Diagnostic] {
            let options = SAConfigOptions(serverURL: SensorsFixture.serverURL, launchOptions: nil)
            options.enableRemoteConfig = false
            var configuration = options.configuration(debugMode: .off)
            configuration.run(in: environment)
            configuration.dependencySource = self
            let sdk = SensorsAnalyticsSDK(try Analytics(configuration), options)
            await sdk.analytics.storage.queue.run {}
            return environment.diagnostics
        }
    }

    @Test
    func `duplicate classes are reported with the class, the files and a remedy`() async throws {
        let classes = ["SAConfigOptions", "SensorsAnalyticsSDK"]
        let process = Process([
            LoadedImage(path: "/Shop.app/Shop", classes: classes),
            LoadedImage(
                path: "/Shop.app/Frameworks/SensorsAnalyticsSDK.framework/SensorsAnalyticsSDK",
                classes: classes
            ),
        ])
        let diagnostics = try await process.diagnosticsOfAStart()
        #expect(diagnostics.map(\.code) == [.classDefinedTwice, .classDefinedTwice])
        #expect(diagnostics.map(\.field) == classes)
        let diagnostic = try #require(diagnostics.first)
        #expect(diagnostic.value == "Shop.app/Shop and SensorsAnalyticsSDK.framework/SensorsAnalyticsSDK")
        #expect(diagnostic.recoverySuggestion?.contains("Link one of them") == true)
        #expect(process.requestedNames.withLock { $0 } == [SensorsAnalyticsSDK.objectiveCNames])
    }

    @Test
    func `nothing is reported if only the module defines the classes`() async throws {
        let process = Process([
            LoadedImage(path: "/Shop.app/Shop", classes: ["SAConfigOptions", "SensorsAnalyticsSDK"])
        ])
        #expect(try await process.diagnosticsOfAStart().isEmpty)
        #expect(process.requestedNames.withLock { $0.count } == 1)
    }

    /// A class can be duplicated unless its runtime name contains its module.
    ///
    /// SAP's documented calls are Swift only, so the Objective-C names in that module are ours.
    @Test(
        arguments: [
            ("ClickstreamCompatibility", []), ("SAPUsageCompatibility", ["SAPUsage", "SAPUsageReporter"]),
            ("SensorsAnalyticsCompatibility", SensorsAnalyticsSDK.objectiveCNames), ("SiftCompatibility", []),
            ("SparkChamberCompatibility", []),
        ] as [(String, Set<String>)]
    )
    func `all classes with explicit Objective-C names are checked`(_ module: String, _ expected: Set<String>) throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let header = repository.appendingPathComponent("Scripts/apple/golden/\(module)-Swift.h")
        let lines = try String(contentsOf: header, encoding: .utf8).split(separator: "\n")
        var named: Set<String> = []
        for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("SWIFT_") && line.contains("CLASS") {
            guard next.hasPrefix("@interface ") else { continue }
            // The runtime names of the other classes are mangled and contain the module.
            guard !line.contains("\"_Tt") else { continue }
            named.insert(String(next.split(separator: " ")[1]))
        }
        #expect(named == expected)
    }
}
