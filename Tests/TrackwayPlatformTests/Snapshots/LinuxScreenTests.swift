// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("Screen size from DRM")
struct LinuxScreenTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var files: [String: String]
        var expected: DeviceFacts.Screen?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "no graphics", files: [:], expected: nil),
        Case(
            name: "a card without connectors",
            files: ["card0/status": "connected", "card0/modes": "1x1"],
            expected: nil
        ),
        Case(
            name: "nothing plugged in",
            files: ["card0-DP-1/status": "disconnected\n", "card0-DP-1/modes": "1920x1080\n"],
            expected: nil
        ),
        Case(
            name: "one screen",
            files: ["card0-DP-1/status": "connected\n", "card0-DP-1/modes": "2560x1440\n3840x2160\n"],
            expected: .init(width: 2_560, height: 1_440)
        ),
        Case(
            name: "the built-in screen of two",
            files: [
                "card0-DP-1/status": "connected\n", "card0-DP-1/modes": "2560x1440\n",
                "card1-LVDS-1/status": "connected\n", "card1-LVDS-1/modes": "1366x768\n",
            ],
            expected: .init(width: 1_366, height: 768)
        ),
        Case(
            name: "a built-in screen without modes is skipped",
            files: [
                "card0-DP-1/status": "connected\n", "card0-DP-1/modes": "2560x1440\n",
                "card1-eDP-1/status": "connected\n", "card1-eDP-1/modes": "",
            ],
            expected: .init(width: 2_560, height: 1_440)
        ),
        Case(
            name: "interlaced",
            files: ["card0-HDMI-A-1/status": "connected\n", "card0-HDMI-A-1/modes": "1920x1080i\n"],
            expected: .init(width: 1_920, height: 1_080)
        ),
    ]

    @Test(arguments: cases)
    func `the size is the first mode of the built-in screen, or else of the first screen`(_ sample: Case) throws {
        let files = Dictionary(uniqueKeysWithValues: sample.files.map { ("/sys/class/drm/\($0.key)", $0.value) })
        let size = try RecordedTree.with(files) { LinuxScreen(tree: $0).size() }
        #expect(size == sample.expected)
    }

    @Test(arguments: ["eDP", "LVDS", "DSI", "DPI"])
    func `a screen on a panel connector is built in`(_ kind: String) throws {
        let files = [
            "/sys/class/drm/card0-DP-1/status": "connected", "/sys/class/drm/card0-DP-1/modes": "2560x1440",
            "/sys/class/drm/card1-\(kind)-1/status": "connected", "/sys/class/drm/card1-\(kind)-1/modes": "800x480",
        ]
        let size = try RecordedTree.with(files) { LinuxScreen(tree: $0).size() }
        #expect(size == .init(width: 800, height: 480))
    }

    @Test(arguments: ["x", "1920", "1920x", "0x0", "-1x5", "1x2x3", "99999999x1", "i", "\u{0}"])
    func `an invalid mode yields no size`(_ mode: String) throws {
        let files = ["/sys/class/drm/card0-DP-1/status": "connected", "/sys/class/drm/card0-DP-1/modes": mode]
        let size = try RecordedTree.with(files) { LinuxScreen(tree: $0).size() }
        #expect(size == nil)
    }
}
