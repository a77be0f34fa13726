// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayLifecycle
package import TrackwayCore

extension SnapshotSources {
    /// Returns the sources that Linux provides.
    ///
    /// They include no location source, because Linux locates a device only through a service that would have to be
    /// queried.
    ///
    /// - Parameters:
    ///   - app: The `app` section of the context.
    ///   - root: The folder used in place of "/"; empty, or "/" itself, for the running system.
    ///   - recognizesDevice: Whether to read facts that distinguish this device from others: the kernel's ids, the
    ///     host's and the device's names, and network addresses.
    package static func system(app: Attributes, root: String = "", recognizesDevice: Bool = false) -> SnapshotSources {
        var folder = root[...]
        while folder.last == "/" { folder.removeLast() }
        let tree = SystemTree(root: String(folder))
        let sensors = IIOSensors(tree: tree)
        return SnapshotSources(
            deviceProperties: LinuxDeviceProperties(app: app, tree: tree, recognizesDevice: recognizesDevice),
            appState: recognizesDevice ? LinuxAppState(tree: tree) : LinuxAppState(tree: tree, addresses: { nil }),
            heading: LinuxCompass(SensorPolling(sensors: sensors)),
            motion: LinuxMotion(SensorPolling(sensors: sensors))
        )
    }
}
#endif
