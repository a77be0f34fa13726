// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayBehavior
package import TrackwayEvents

extension SnapshotSources {
    /// What Linux knows. It knows no place: there is no source of locations without a service that would have to look.
    ///
    /// - Parameters:
    ///   - app: The `app` section of the context.
    ///   - root: The folder that stands for "/"; empty, or "/" itself, for the running system.
    ///   - recognizes: Of no meaning here: it is for the rules of Apple's stores.
    package static func system(app: Attributes, root: String = "", recognizes: Bool = false) -> SnapshotSources {
        var folder = root[...]
        while folder.last == "/" { folder.removeLast() }
        let tree = SystemTree(root: String(folder))
        let sensors = IIOSensors(tree: tree)
        return SnapshotSources(
            deviceProperties: LinuxDeviceProperties(app: app, tree: tree),
            appState: LinuxAppState(tree: tree),
            heading: LinuxCompass(SensorPolling(sensors: sensors)),
            motion: LinuxMotion(SensorPolling(sensors: sensors))
        )
    }
}
#endif
