// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// Reads the screen's size from the kernel's graphics subsystem (DRM).
package struct LinuxScreen: Sendable {
    private let tree: SystemTree

    /// Creates a reader for the given tree.
    package init(tree: SystemTree) {
        self.tree = tree
    }

    /// Returns the built-in screen's size in pixels.
    ///
    /// Without a built-in screen, returns the first external screen's size. The size is that of the first mode: the
    /// kernel lists the screen's preferred mode first, which is the panel's native size. Returns `nil` if no screen is
    /// connected.
    package func size() -> DeviceFacts.Screen? {
        let connected = tree.names(in: "/sys/class/drm").filter { connector in
            connector.contains("-") && tree.text("/sys/class/drm/\(connector)/status") == "connected"
        }
        let sized = connected.compactMap { connector in
            firstMode(of: connector).map { (isBuiltIn: Self.isBuiltIn(connector), size: $0) }
        }
        return (sized.first { $0.isBuiltIn } ?? sized.first)?.size
    }

    private func firstMode(of connector: String) -> DeviceFacts.Screen? {
        let modes = tree.text("/sys/class/drm/\(connector)/modes", limit: 256)
        guard let mode = modes?.split(whereSeparator: \.isNewline).first else { return nil }
        // The name of an interlaced mode ends in "i".
        let sides = (mode.last == "i" ? mode.dropLast() : mode).split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]), (1...65_535).contains(width),
            (1...65_535).contains(height)
        else { return nil }
        return DeviceFacts.Screen(width: width, height: height)
    }

    /// Whether a connector's screen is built in.
    ///
    /// Connectors are named after card and type, such as "card0-eDP-1".
    private static func isBuiltIn(_ connector: String) -> Bool {
        ["-eDP-", "-LVDS-", "-DSI-", "-DPI-"].contains { connector.contains($0) }
    }
}
#endif
