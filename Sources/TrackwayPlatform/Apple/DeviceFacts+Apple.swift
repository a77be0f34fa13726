// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import CTrackway
internal import Dispatch
internal import Foundation
package import TrackwayEvents

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

extension DeviceFacts {
    /// Reads the facts of an Apple system. Any thread; nobody waits. What only the main thread may ask for (the vendor's id,
    /// the screen) is absent when another thread reads first, and comes with a later ``refreshed(now:)``. The network is absent until
    /// the system has told of it, see `AppleNetwork`.
    ///
    /// - Parameters:
    ///   - appID: The app's id; nothing is derived from it here.
    ///   - now: The moment whose distance from UTC is asked for.
    package static func read(appID: String, now: Timestamp = SystemClock().now().wall) -> DeviceFacts {
        let process = ProcessInfo.processInfo
        let version = process.operatingSystemVersion
        var facts = DeviceFacts()
        facts.platform = platformName
        facts.systemName = platformName
        facts.systemVersion = SystemVersion.text(
            major: version.majorVersion,
            minor: version.minorVersion,
            patch: version.patchVersion
        )
        facts.kernelVersion = SystemControl.text("kern.osrelease")
        facts.architecture = architectureName
        facts.make = "Apple"
        facts.variant = variant
        switch facts.variant {
        case .macCatalyst, .iOSAppOnMac:
            facts.platform = "macOS"
            facts.systemName = "macOS"
            facts.model = SystemControl.text("hw.model")
        case .simulator:
            // The system's own answer is the processor of the Mac that it runs on.
            facts.model = process.environment["SIMULATOR_MODEL_IDENTIFIER"]
        case nil:
            #if os(macOS)
            facts.model = SystemControl.text("hw.model")
            #else
            // The maker's code, such as "iPhone15,2": names for it are the shop's, not the device's.
            facts.model = SystemControl.text("hw.machine")
            #endif
        }
        facts.cores = process.activeProcessorCount
        facts.memoryBytes = Int64(clamping: process.physicalMemory)
        return facts.refreshed(now: now)
    }

    /// The offset of the system's time zone at a moment, in seconds; nil when it is not known.
    package static func zoneOffset(at moment: Timestamp) -> Int? {
        TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000))
    }

    /// The same facts, with those that change while a process runs read again: locale, time zone and network; and what only the
    /// main thread may ask for, which is not waited for elsewhere: it answers when it has time, and the next reading knows.
    package func refreshed(now: Timestamp = SystemClock().now().wall) -> DeviceFacts {
        var facts = self
        facts.locale = Locale.current.identifier
        facts.zone = TimeZone.current.identifier
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000)
        facts.zoneOffsetSeconds = TimeZone.current.secondsFromGMT(for: date)
        facts.network = AppleNetwork.process.facts() ?? facts.network
        facts.advertisingID = LinkedAdvertisingID.current()
        facts.thermalState = ThermalState(ProcessInfo.processInfo.thermalState)
        facts.savesPower = ProcessInfo.processInfo.isLowPowerModeEnabled
        #if canImport(UIKit) && !os(watchOS)
        if Thread.isMainThread {
            let (identity, screen) = MainActor.assumeIsolated { Self.mainThreadFacts() }
            facts.identity = identity ?? facts.identity
            facts.screen = screen ?? facts.screen
        } else {
            DispatchQueue.main.async {
                let answer = MainActor.assumeIsolated { Self.mainThreadFacts() }
                Self.lastAnswer.withLock { $0 = answer }
            }
            let (identity, screen) = Self.lastAnswer.withLock { $0 }
            facts.identity = identity ?? facts.identity
            facts.screen = screen ?? facts.screen
        }
        #endif
        return facts
    }

    #if canImport(UIKit) && !os(watchOS)
    /// What the main thread answered last to readings elsewhere.
    private static let lastAnswer = Locked<(identity: String?, screen: Screen?)>((nil, nil))

    /// The id that the system gives this device for all apps of one vendor, and the size of the screen that shows the app in its
    /// own pixels.
    @MainActor
    private static func mainThreadFacts() -> (identity: String?, screen: Screen?) {
        (UIDevice.current.identifierForVendor?.uuidString, ConnectedScreen.size())
    }
    #endif

    private static var variant: Variant? {
        #if targetEnvironment(simulator)
        .simulator
        #elseif targetEnvironment(macCatalyst)
        .macCatalyst
        #elseif os(iOS)
        ProcessInfo.processInfo.isiOSAppOnMac ? .iOSAppOnMac : nil
        #else
        nil
        #endif
    }

    private static var platformName: String? {
        #if os(iOS)
        "iOS"
        #elseif os(macOS)
        "macOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #else
        nil
        #endif
    }

    private static var architectureName: String? {
        #if arch(arm64)
        "arm64"
        #elseif arch(x86_64)
        "x86_64"
        #elseif arch(arm64_32)
        "arm64_32"
        #else
        nil
        #endif
    }
}

extension DeviceFacts.ThermalState {
    fileprivate init?(_ state: ProcessInfo.ThermalState) {
        switch state {
        case .nominal: self = .nominal
        case .fair: self = .fair
        case .serious: self = .serious
        case .critical: self = .critical
        @unknown default: return nil
        }
    }
}

extension AppFacts {
    /// Reads the facts of the running process from its bundle.
    ///
    /// - Parameters:
    ///   - id: The app's id.
    ///   - version: The app's version, when it says one; else the bundle's.
    package static func read(id: String, version: String? = nil) -> AppFacts {
        func value(_ key: String) -> String? {
            Bundle.main.object(forInfoDictionaryKey: key) as? String
        }
        return AppFacts(
            id: id,
            package: Bundle.main.bundleIdentifier,
            name: value("CFBundleName") ?? value("CFBundleDisplayName") ?? Bundle.main.executableURL?.lastPathComponent,
            version: version ?? value("CFBundleShortVersionString"),
            build: value("CFBundleVersion"),
            processID: ctrackway_process_id()
        )
    }
}
#endif
