// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("Network interfaces in sysfs")
struct LinuxNetworkTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var files: [String: String]
        var expected: NetworkFacts?
        var testDescription: String { name }
    }

    static let header = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
    static let loopback = [
        "/sys/class/net/lo/type": "772\n", "/sys/class/net/lo/operstate": "unknown\n",
        "/sys/class/net/lo/uevent": "INTERFACE=lo\nIFINDEX=1\n",
    ]

    static func interface(
        _ name: String,
        type: Int = 1,
        state: String = "up",
        kind: String? = nil,
        isDevice: Bool = true
    ) -> [String: String] {
        var files = [
            "/sys/class/net/\(name)/type": "\(type)\n", "/sys/class/net/\(name)/operstate": "\(state)\n",
            "/sys/class/net/\(name)/uevent": (kind.map { "DEVTYPE=\($0)\n" } ?? "") + "INTERFACE=\(name)\n",
        ]
        if isDevice { files["/sys/class/net/\(name)/device/"] = "" }
        return files
    }

    static func route(_ interface: String, metric: Int = 0) -> String {
        "\(interface)\t00000000\t010200C0\t0003\t0\t0\t\(metric)\t00000000\t0\t0\t0\n"
    }

    static func files(_ parts: [String: String]...) -> [String: String] {
        parts.reduce(into: [:]) { all, part in all.merge(part) { $1 } }
    }

    static let cases = [
        Case(name: "nothing readable", files: [:], expected: nil),
        Case(name: "loopback only", files: loopback, expected: nil),
        Case(
            name: "a cable",
            files: files(loopback, interface("eth0"), ["/proc/net/route": header + route("eth0")]),
            expected: NetworkFacts(kind: .ethernet, interfaces: ["eth0"])
        ),
        Case(
            name: "Wi-Fi preferred over a cable by its metric, an unplugged port omitted",
            files: files(
                interface("wlp3s0", kind: "wlan"),
                interface("enp1s0"),
                interface("enp2s0", state: "down"),
                ["/proc/net/route": header + route("enp1s0", metric: 700) + route("wlp3s0", metric: 600)]
            ),
            expected: NetworkFacts(kind: .wifi, interfaces: ["enp1s0", "wlp3s0"])
        ),
        Case(
            name: "adapters named after their hardware address, without it",
            files: files(
                interface("enx0a1b2c3d4e5f"),
                interface("wlx0a1b2c3d4e5f", kind: "wlan"),
                interface("enxbridge"),
                ["/proc/net/route": header + route("enx0a1b2c3d4e5f")]
            ),
            expected: NetworkFacts(kind: .ethernet, interfaces: ["enx", "enxbridge", "wlx"])
        ),
        Case(
            name: "a modem",
            files: files(
                interface("wwan0", type: 65_534, state: "unknown", kind: "wwan"),
                ["/proc/net/route": header + route("wwan0")]
            ),
            expected: NetworkFacts(kind: .cellular, interfaces: ["wwan0"])
        ),
        Case(
            name: "a tunnel over Wi-Fi, a container's virtual cables omitted",
            files: files(
                interface("tun0", type: 65_534, state: "unknown", isDevice: false),
                interface("wlan0", kind: "wlan"),
                interface("veth12ab", isDevice: false),
                ["/proc/net/route": header + route("tun0") + route("wlan0", metric: 600)]
            ),
            expected: NetworkFacts(kind: .virtual, interfaces: ["tun0", "wlan0"])
        ),
        Case(
            name: "IPv6 only",
            files: files(
                interface("eth0"),
                [
                    "/proc/net/route": header,
                    "/proc/net/ipv6_route": """
                    fd000000000000000000000000000000 40 00000000000000000000000000000000 00 \
                    00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
                    00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
                    00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
                    00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
                    fd000000000000000000000000000001 00000400 00000002 00000000 00000003     eth0
                    """,
                ]
            ),
            expected: NetworkFacts(kind: .ethernet, interfaces: ["eth0"])
        ),
        Case(
            name: "up without a default route",
            files: files(interface("eth0"), ["/proc/net/route": header]),
            expected: NetworkFacts(kind: nil, interfaces: ["eth0"])
        ),
        Case(
            name: "an invalid route table",
            files: files(interface("eth0"), ["/proc/net/route": "eth0 00000000\n\n\t\tx"]),
            expected: NetworkFacts(kind: nil, interfaces: ["eth0"])
        ),
    ]

    @Test(arguments: cases)
    func `interfaces are reported by kind, without addresses`(_ sample: Case) throws {
        let recorded = try RecordedTree(sample.files)
        #expect(LinuxNetwork(tree: recorded.tree).facts() == sample.expected)
    }
}
