// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
internal import TrackwayPlatform

extension SnapshotSources {
    /// What the system knows of itself: what `SnapshotOptions.sources` means when it is nil. An app that knows some things
    /// better begins with these and puts its own sources in their place.
    ///
    /// ```swift
    /// var sources = SnapshotSources.system(appID: "shopping")
    /// sources.location = myLocation
    /// configuration.snapshots = SnapshotOptions(sources: sources)
    /// ```
    /// Nothing is switched on and nobody is asked for leave. What the system does not tell is absent: see
    /// `Documentation/DeviceSources.md` for each property. Sensors are read while they run only.
    ///
    /// - Parameters:
    ///   - appID: which app asks; the device's identity is made for it.
    ///   - appVersion: the app's version; nil takes that of the main bundle, which command-line programs have none of.
    ///   - root: the folder that stands for `/` on Linux, such as a copy of another device's `/etc`, `/proc` and `/sys`. What
    ///     only the running system knows, network addresses among it, is absent unless it is `/` itself. Other systems
    ///     pay no regard to it.
    public static func system(appID: String, appVersion: String? = nil, root: String = "/") -> SnapshotSources {
        .system(app: AppFacts.read(id: appID, version: appVersion).attributes, root: root)
    }
}
