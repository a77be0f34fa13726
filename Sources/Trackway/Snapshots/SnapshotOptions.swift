// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
public import TrackwayLifecycle
internal import TrackwayPlatform

/// The snapshots to take, and their frequency.
///
/// See ``Configuration/snapshots``. A snapshot is one or two events: `_device_properties` describes the device and its
/// system, and `_app_state` describes the state of the app and the device at that time. Unknown values are left out.
///
/// ```swift
/// var snapshots = SnapshotOptions()
/// snapshots.allowsMotion = true
/// configuration.snapshots = snapshots
/// ```
public struct SnapshotOptions: Sendable {
    /// The frequency of snapshots.
    ///
    /// By default, app use causes at most 30 snapshots a minute, and there is at least one every two minutes while the
    /// app is used.
    public var policy: SnapshotPolicy

    /// The sources of snapshots.
    ///
    /// nil (the default) uses the system's sources. Custom sources replace all of them, and a part that has no source
    /// is left out.
    ///
    /// Each source is called on its own thread, one call at a time. A source that takes longer than two seconds is
    /// reported as a `Diagnostic`, and snapshots continue without it until it responds.
    public var sources: SnapshotSources?

    /// Whether motion sensors may be read.
    ///
    /// False by default, because few apps need motion readings and the sensors use power.
    /// ``RuntimeOptions/allowsMotion`` changes this setting at run time.
    public var allowsMotion: Bool

    /// Whether a snapshot may contain the location.
    ///
    /// True by default: the location is read only if the system permits the app to access it, and no location service
    /// is started. ``RuntimeOptions/allowsLocation`` changes this setting at run time.
    public var allowsLocation: Bool

    /// Whether snapshots may contain values that identify the device.
    ///
    /// Such values are kernel ids, the device and host names, and network addresses. False by default: they are the
    /// same in every app, and the App Store forbids recognizing a device by them, even with consent. This setting has
    /// no effect on custom ``sources``.
    public var allowsDeviceRecognition: Bool

    /// Whether the snapshots are of devices that children use (``Configuration/Privacy/isChildDirected``).
    var isChildDirected = false

    /// The destinations that receive `_device_properties`; all by default.
    public var devicePropertiesRoute: Route

    /// The destinations that receive `_app_state`; all by default.
    public var appStateRoute: Route

    /// The time for which unchanged device properties are not recorded again.
    ///
    /// The properties are always recorded again for another user. 1 hour by default; zero records them every time.
    public var repeatsDevicePropertiesAfter: Duration

    /// Creates options.
    public init(
        policy: SnapshotPolicy = SnapshotPolicy(),
        sources: SnapshotSources? = nil,
        allowsMotion: Bool = false,
        allowsLocation: Bool = true,
        allowsDeviceRecognition: Bool = false,
        devicePropertiesRoute: Route = .all,
        appStateRoute: Route = .all,
        repeatsDevicePropertiesAfter: Duration = .seconds(3600)
    ) {
        self.policy = policy
        self.sources = sources
        self.allowsMotion = allowsMotion
        self.allowsLocation = allowsLocation
        self.allowsDeviceRecognition = allowsDeviceRecognition
        self.devicePropertiesRoute = devicePropertiesRoute
        self.appStateRoute = appStateRoute
        self.repeatsDevicePropertiesAfter = repeatsDevicePropertiesAfter
    }
}

extension SnapshotSources {
    /// Returns the system's own sources.
    ///
    /// These sources are used if `SnapshotOptions.sources` is nil. An app with better sources for some parts starts
    /// with these and replaces those parts.
    ///
    /// ```swift
    /// var sources = SnapshotSources.system(appID: "shopping")
    /// sources.location = myLocation
    /// configuration.snapshots = SnapshotOptions(sources: sources)
    /// ```
    /// No service is turned on, and the user is not asked for permission. Values that the system does not provide are
    /// missing; see `Documentation/DeviceSources.md` for each property. Sensors are read only while they are running.
    ///
    /// - Parameters:
    ///   - appID: The app's id, for which the device's identity is created.
    ///   - appVersion: The app's version; nil uses the main bundle's, which command-line programs do not have.
    ///   - root: The folder that represents `/` on Linux, such as a copy of another device's `/etc`, `/proc` and
    ///     `/sys`. Values that only the running system knows, such as network addresses, are missing unless the folder
    ///     is `/` itself. Other systems ignore this parameter.
    ///   - recognizesDevice: The value of ``SnapshotOptions/allowsDeviceRecognition`` for the system's own sources.
    public static func system(
        appID: String,
        appVersion: String? = nil,
        root: String = "/",
        recognizesDevice: Bool = false
    ) -> SnapshotSources {
        let app = AppFacts.read(id: appID, version: appVersion).attributes
        return .system(app: app, root: root, recognizesDevice: recognizesDevice)
    }
}
