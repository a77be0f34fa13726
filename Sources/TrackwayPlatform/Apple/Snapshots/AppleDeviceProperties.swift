// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin
internal import Foundation
internal import TrackwayLifecycle
package import TrackwayCore

/// Reads device properties from the bundle, the kernel, and the main thread.
package struct AppleDeviceProperties: DevicePropertiesSource {
    private let app: Attributes
    private let screen: MainThreadFacts
    private let recognizesDevice: Bool

    /// Creates a source.
    ///
    /// The app's name and versions are taken from the `app` section of the context.
    ///
    /// - Parameter recognizesDevice: Whether to read properties that uniquely identify this device.
    init(app: Attributes, screen: MainThreadFacts, recognizesDevice: Bool) {
        self.app = app
        self.screen = screen
        self.recognizesDevice = recognizesDevice
    }

    package func deviceProperties() -> DeviceProperties {
        var properties = DeviceProperties()
        func text(_ name: String) -> String? {
            guard case .string(let text) = app[name] else { return nil }
            return text
        }
        properties[.appName] = text("name")
        properties[.appVersion] = text("build")
        properties[.appVersionShort] = text("version")
        for (key, name) in Self.strings + (recognizesDevice ? Self.identifyingStrings : []) {
            properties[key] = SystemControl.text(name)
        }
        for (key, name) in Self.numbers + (recognizesDevice ? Self.identifyingNumbers : []) {
            properties[key] = SystemControl.number(name).flatMap { $0 > 0 ? $0 : nil }
        }
        for (key, name) in Self.booleans { properties[key] = SystemControl.number(name).map { $0 != 0 } }
        properties[.cpuByteOrder] = SystemControl.number("hw.byteorder").map { String($0) }
        #if targetEnvironment(simulator)
        properties[.isSimulator] = true
        #else
        properties[.isSimulator] = false
        #endif
        properties[.advertisingID] = LinkedAdvertisingID.current()
        var facts = screen.facts().properties
        if !recognizesDevice { facts[.deviceName] = nil }
        return properties.merging(facts)
    }

    private static let strings: [(DeviceProperties.Key<String>, String)] = [
        (.hardwareMachine, "hw.machine"), (.hardwareModel, "hw.model"), (.kernelVersion, "kern.version"),
        (.osType, "kern.ostype"), (.osRelease, "kern.osrelease"),
    ]

    /// Properties that are useful only for fingerprinting.
    ///
    /// The App Store does not allow them even with the user's permission.
    private static let identifyingStrings: [(DeviceProperties.Key<String>, String)] = [
        (.kernelUUID, "kern.uuid"), (.kernelBootSession, "kern.bootsessionuuid"),
        (.kernelBootSignature, "kern.bootsignature"), (.hostName, "kern.hostname"),
    ]

    private static let identifyingNumbers: [(DeviceProperties.Key<Int64>, String)] = [(.hostID, "kern.hostid")]

    private static let numbers: [(DeviceProperties.Key<Int64>, String)] = [
        (.packageCount, "hw.packages"), (.memorySize, "hw.memsize"), (.pageSize, "hw.pagesize"),
        (.timeBaseFrequency, "hw.tbfrequency"), (.osRevision, "kern.osrevision"),
        (.posix1Version, "kern.posix1version"), (.posix2Version, "user.posix2_version"), (.cpuFamily, "hw.cpufamily"),
        (.cpuType, "hw.cputype"), (.cpuSubtype, "hw.cpusubtype"), (.cpuCount, "hw.ncpu"),
        (.physicalCPUCount, "hw.physicalcpu"), (.physicalCPUMaximum, "hw.physicalcpu_max"),
        (.logicalCPUCount, "hw.logicalcpu"), (.logicalCPUMaximum, "hw.logicalcpu_max"),
        (.activeCPUCount, "hw.activecpu"), (.cpuFrequency, "hw.cpufrequency"),
        (.cpuFrequencyMinimum, "hw.cpufrequency_min"), (.cpuFrequencyMaximum, "hw.cpufrequency_max"),
        (.cacheLineSize, "hw.cachelinesize"), (.l1DataCacheSize, "hw.l1dcachesize"),
        (.l1InstructionCacheSize, "hw.l1icachesize"), (.l2CacheSize, "hw.l2cachesize"),
        (.l3CacheSize, "hw.l3cachesize"), (.busFrequency, "hw.busfrequency"),
        (.busFrequencyMinimum, "hw.busfrequency_min"), (.busFrequencyMaximum, "hw.busfrequency_max"),
    ]

    private static let booleans: [(DeviceProperties.Key<Bool>, String)] = [
        (.isCPU64Bit, "hw.cpu64bit_capable"), (.hasFloatingPoint, "hw.optional.floatingpoint"),
    ]
}

/// Reads the kernel's values by name (sysctl).
enum SystemControl {
    /// Returns a string.
    ///
    /// Returns nil if the kernel does not provide it, for example inside a sandbox.
    static func text(_ name: String) -> String? {
        var length = 0
        guard sysctlbyname(name, nil, &length, nil, 0) == 0, length > 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        guard sysctlbyname(name, &bytes, &length, nil, 0) == 0 else { return nil }
        let text = String(decoding: bytes.prefix(length).prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    /// Returns a 32-bit or 64-bit integer.
    ///
    /// Returns nil if the kernel does not provide it.
    static func number(_ name: String) -> Int64? {
        var bytes = [UInt8](repeating: 0, count: 8)
        var length = bytes.count
        guard sysctlbyname(name, &bytes, &length, nil, 0) == 0 else { return nil }
        return bytes.withUnsafeBytes { memory in
            switch length {
            case 4: Int64(memory.loadUnaligned(as: Int32.self))
            case 8: memory.loadUnaligned(as: Int64.self)
            default: nil
            }
        }
    }
}
#endif
