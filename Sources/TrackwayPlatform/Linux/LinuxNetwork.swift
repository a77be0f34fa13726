// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// Reads the device's network connection from sysfs and procfs.
package struct LinuxNetwork: Sendable {
    private static let loopbackType: Int64 = 772
    private static let ethernetType: Int64 = 1

    private let tree: SystemTree

    /// Creates a reader for the given tree.
    package init(tree: SystemTree) {
        self.tree = tree
    }

    /// Returns the active interfaces and the default route's interface type.
    ///
    /// Returns `nil` if no interface is up.
    package func facts() -> NetworkFacts? {
        let defaultInterface = defaultRoute()
        let interfaces = tree.names(in: "/sys/class/net").filter { name in
            isUp(name) && (isDevice(name) || name == defaultInterface)
        }
        guard !interfaces.isEmpty else { return nil }
        return NetworkFacts(kind: defaultInterface.flatMap(kind), interfaces: interfaces.map(Self.withoutAddress))
    }

    /// Returns a name without the hardware address that it may contain.
    ///
    /// systemd names an adapter that can be plugged in after its address, such as `enx001122334455`. The address is the
    /// same in every app.
    private static func withoutAddress(_ name: String) -> String {
        let isNamedAfterAddress =
            name.utf8.count == 15 && ["enx", "wlx", "wwx"].contains(name.prefix(3))
            && name.utf8.dropFirst(3).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isNamedAfterAddress ? String(name.prefix(3)) : name
    }

    private func isUp(_ name: String) -> Bool {
        // Drivers that do not track the state report "unknown" even for a working interface.
        let state = tree.text("/sys/class/net/\(name)/operstate")
        return (state == "up" || state == "unknown") && tree.number("/sys/class/net/\(name)/type") != Self.loopbackType
    }

    private func isDevice(_ name: String) -> Bool {
        tree.names(in: "/sys/class/net/\(name)").contains("device")
    }

    private func kind(_ name: String) -> NetworkFacts.Kind? {
        let entries = tree.names(in: "/sys/class/net/\(name)")
        let lines = tree.text("/sys/class/net/\(name)/uevent")?.split(whereSeparator: \.isNewline) ?? []
        let deviceType = lines.first { $0.hasPrefix("DEVTYPE=") }?.dropFirst("DEVTYPE=".count)
        if entries.contains("wireless") || entries.contains("phy80211") || deviceType == "wlan" { return .wifi }
        if deviceType == "wwan" || name.hasPrefix("wwan") { return .cellular }
        guard tree.number("/sys/class/net/\(name)/type") == Self.ethernetType else { return .virtual }
        return entries.contains("device") ? .ethernet : .virtual
    }

    /// Returns the interface of the preferred default route, IPv4 first.
    private func defaultRoute() -> String? {
        let version4 = routes("/proc/net/route").compactMap { fields -> (String, Int)? in
            guard fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000" else { return nil }
            return (String(fields[0]), Int(fields[6]) ?? .max)
        }
        if let best = version4.min(by: { $0.1 < $1.1 }) { return best.0 }
        let version6 = routes("/proc/net/ipv6_route").compactMap { fields -> (String, UInt32)? in
            guard fields.count >= 10, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }), fields[9] != "lo" else {
                return nil
            }
            return (String(fields[9]), UInt32(fields[5], radix: 16) ?? .max)
        }
        return version6.min { $0.1 < $1.1 }?.0
    }

    private func routes(_ path: String) -> [[Substring]] {
        let lines = tree.text(path)?.split(whereSeparator: \.isNewline) ?? []
        return lines.map { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }) }
    }
}
#endif
