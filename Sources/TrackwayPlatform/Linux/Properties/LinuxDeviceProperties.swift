// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayLifecycle
package import TrackwayCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Reads device properties from Linux's files and from system calls.
///
/// Unavailable properties are left out. Volatile values such as current frequency and load are excluded, so two
/// snapshots of an unchanged device are equal.
package struct LinuxDeviceProperties: DevicePropertiesSource {
    private let app: Attributes
    private let tree: SystemTree
    private let recognizesDevice: Bool

    /// Creates a reader for the given tree.
    ///
    /// - Parameters:
    ///   - app: The `app` section of the context, the source of the app's name and versions.
    ///   - tree: The location of the system's files. Properties from system calls are left out unless this is the
    ///     running system's tree.
    ///   - recognizesDevice: Whether to read properties that distinguish this device from others.
    package init(app: Attributes, tree: SystemTree = .live, recognizesDevice: Bool) {
        self.app = app
        self.tree = tree
        self.recognizesDevice = recognizesDevice
    }

    /// Reads the properties, from about a hundred files on a typical machine.
    package func deviceProperties() -> DeviceProperties {
        var properties = DeviceProperties()
        report(app: &properties)
        report(system: &properties)
        report(kernel: &properties)
        LinuxProcessor(tree: tree).report(&properties)
        if let screen = LinuxScreen(tree: tree).size() {
            properties[.screenWidth] = Int64(screen.width)
            properties[.screenHeight] = Int64(screen.height)
        }
        if tree.isLive { Self.report(process: &properties) }
        return properties
    }

    private func report(app properties: inout DeviceProperties) {
        func text(_ name: String) -> String? {
            guard case .string(let text) = app[name], !text.isEmpty else { return nil }
            return text
        }
        properties[.appName] = text("name")
        properties[.appVersion] = text("build")
        properties[.appVersionShort] = text("version")
    }

    private func report(system properties: inout DeviceProperties) {
        let facts = DeviceFacts.lasting(appID: appID, tree: tree)
        properties[.vendorID] = facts.identity
        properties[.systemName] = facts.systemName
        properties[.systemVersion] = facts.systemVersion
        properties[.deviceModel] = facts.model
        properties[.memorySize] = facts.memoryBytes
        properties[.hardwareMachine] =
            tree.line("/proc/sys/kernel/arch") ?? (tree.isLive ? facts.architecture : nil)
        properties[.hardwareModel] =
            DeviceFacts.description(tree.line("/sys/class/dmi/id/board_name")) ?? compatibleBoard
    }

    private func report(kernel properties: inout DeviceProperties) {
        properties[.osType] = tree.line("/proc/sys/kernel/ostype")
        properties[.osRelease] = tree.line("/proc/sys/kernel/osrelease")
        properties[.kernelVersion] = tree.line("/proc/version", limit: 1_024)
        guard recognizesDevice else { return }
        properties[.deviceName] = tree.text("/etc/machine-info").flatMap { OSRelease($0).prettyHostName }
        properties[.kernelUUID] = KernelNotes(tree.bytes("/sys/kernel/notes")).buildID
        // The raw boot id is the same in every app and would identify the device until it reboots, so it is hashed per
        // app.
        properties[.kernelBootSession] = tree.line("/proc/sys/kernel/random/boot_id").map {
            BootIdentity.obfuscated($0, for: appID)
        }
        // The kernel reports this text if no host name is set.
        properties[.hostName] = tree.line("/proc/sys/kernel/hostname").flatMap { $0 == "(none)" ? nil : $0 }
    }

    /// Adds the values of `sysconf`, which no file contains.
    private static func report(process properties: inout DeviceProperties) {
        func setting(_ name: Int32) -> Int64? {
            let value = sysconf(name)
            return value > 0 ? Int64(value) : nil
        }
        properties[.pageSize] = setting(Int32(_SC_PAGESIZE))
        properties[.posix1Version] = setting(Int32(_SC_VERSION))
        properties[.posix2Version] = setting(Int32(_SC_2_VERSION))
    }

    private var appID: String {
        guard case .string(let id) = app["id"] else { return "" }
        return id
    }

    /// The board's name in the device tree.
    ///
    /// If there are several names, the first is the most specific.
    private var compatibleBoard: String? {
        let names = tree.bytes("/proc/device-tree/compatible", limit: 1_024).split(separator: 0)
        guard let first = names.first, first.count <= 128, first.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        return String(decoding: first, as: UTF8.self)
    }
}

/// The notes in the kernel's image, from `/sys/kernel/notes` in ELF format.
package struct KernelNotes: Sendable, Equatable {
    /// The linker's hash of the kernel build, in hexadecimal digits.
    ///
    /// The value is `nil` if the hash is missing.
    package let buildID: String?

    /// The type of the "GNU" note that holds the build id.
    private static let buildIDType: UInt32 = 3

    /// Parses notes.
    ///
    /// Parsing stops at the first damaged note.
    package init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let note = Self.takeNote(&rest) {
            // Accept 8 to 32 bytes, the lengths of the shortest and the longest hash that linkers produce.
            guard note.type == Self.buildIDType, note.owner == Array("GNU\0".utf8),
                (8...32).contains(note.content.count)
            else { continue }
            buildID = note.content.hexadecimal
            return
        }
        buildID = nil
    }

    private static func takeNote(
        _ bytes: inout ArraySlice<UInt8>
    ) -> (owner: [UInt8], type: UInt32, content: [UInt8])? {
        guard let ownerLength = takeWord(&bytes), let contentLength = takeWord(&bytes), let type = takeWord(&bytes),
            let owner = takePadded(&bytes, Int(ownerLength)), let content = takePadded(&bytes, Int(contentLength))
        else { return nil }
        return (owner, type, content)
    }

    /// Removes the next four bytes and returns them as an integer.
    ///
    /// The integer is in native byte order.
    private static func takeWord(_ bytes: inout ArraySlice<UInt8>) -> UInt32? {
        guard bytes.count >= 4 else { return nil }
        let word = bytes.prefix(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        bytes = bytes.dropFirst(4)
        return word
    }

    /// Removes and returns the next bytes.
    ///
    /// The padding to a multiple of four bytes is removed, too.
    private static func takePadded(_ bytes: inout ArraySlice<UInt8>, _ length: Int) -> [UInt8]? {
        guard length <= bytes.count else { return nil }
        let taken = Array(bytes.prefix(length))
        bytes = bytes.dropFirst((length + 3) & ~3)
        return taken
    }
}
#endif
