// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import CTrackway
internal import Dispatch
internal import Foundation
package import TrackwayCore

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

extension DeviceFacts {
    /// Reads the facts of an Apple system.
    ///
    /// This function can be called from any thread, and does not block. Facts that only the main thread can read (the
    /// vendor id, the screen) are absent if another thread makes the first call, and are added by a later
    /// ``refreshed(now:)``. The network is absent until the system has reported it, see `AppleNetwork`.
    ///
    /// - Parameters:
    ///   - appID: The app's id, which Apple systems do not need.
    ///   - now: The time for which the zone's UTC offset is read.
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
            // On a simulator, the kernel would report the processor of the Mac.
            facts.model = process.environment["SIMULATOR_MODEL_IDENTIFIER"]
        case nil:
            #if os(macOS)
            facts.model = SystemControl.text("hw.model")
            #else
            // This is the model identifier, such as "iPhone15,2". The device does not provide its marketing name.
            facts.model = SystemControl.text("hw.machine")
            #endif
        }
        facts.cores = process.activeProcessorCount
        facts.memoryBytes = Int64(clamping: process.physicalMemory)
        return facts.refreshed(now: now)
    }

    /// Returns the system time zone's UTC offset at a time, in seconds.
    ///
    /// Returns nil if it is unknown.
    package static func zoneOffset(at moment: Timestamp) -> Int? {
        TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000))
    }

    /// Returns the facts after rereading those that may have changed.
    ///
    /// The reread facts are locale, time zone, network, advertising id, thermal state, and Low Power Mode. Facts that
    /// only the main thread can read are refreshed, too. Other threads do not wait for them: the main thread reads them
    /// later, and the next call returns them.
    package func refreshed(now: Timestamp = SystemClock().now().wall) -> DeviceFacts {
        var facts = self
        facts.locale = Locale.current.identifier
        facts.zone = TimeZone.current.identifier
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000)
        facts.zoneOffsetSeconds = TimeZone.current.secondsFromGMT(for: date)
        facts.network = AppleNetwork.process.facts() ?? facts.network
        facts.advertisingID = LinkedAdvertisingID.current()
        facts.thermalState = ThermalState(ProcessInfo.processInfo.thermalState)
        facts.isInLowPowerMode = ProcessInfo.processInfo.isLowPowerModeEnabled
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
    /// The facts that the main thread last read for other threads.
    private static let lastAnswer = Locked<(identity: String?, screen: Screen?)>((nil, nil))

    /// Returns the system's id of this device and the app's screen size.
    ///
    /// The id is specific to the vendor: it is the same for all apps of one vendor. The size is in native pixels.
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
    ///   - version: The app's version, if the app specifies one; otherwise the bundle's.
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
