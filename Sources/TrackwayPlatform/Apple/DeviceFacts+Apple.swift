// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
package import TrackwayEvents

extension DeviceFacts {
    /// Reads the facts of an Apple system. Any thread. Facts that only the main actor may ask for are absent.
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
        facts.systemVersion = "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        facts.kernelVersion = SystemControl.text("kern.osrelease")
        facts.architecture = architectureName
        facts.make = "Apple"
        #if os(macOS)
        facts.model = SystemControl.text("hw.model")
        #else
        facts.model = SystemControl.text("hw.machine")
        #endif
        facts.cores = process.activeProcessorCount
        facts.memoryBytes = Int64(clamping: process.physicalMemory)
        return facts.refreshed(now: now)
    }

    /// The same facts, with those that change while a process runs read again: locale and time zone.
    package func refreshed(now: Timestamp = SystemClock().now().wall) -> DeviceFacts {
        var facts = self
        facts.locale = Locale.current.identifier
        facts.zone = TimeZone.current.identifier
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000)
        facts.zoneOffsetSeconds = TimeZone.current.secondsFromGMT(for: date)
        return facts
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
#endif
