// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayPlatform

/// Which snapshots are taken, and how often; see ``Configuration/snapshots``.
///
/// A snapshot is one or two events: `_device_properties` describes the device and its system, `_app_state` the state of the app and the device at
/// that moment. Unknown values are left out.
///
/// ```swift
/// var snapshots = SnapshotOptions()
/// snapshots.allowsMotion = true
/// configuration.snapshots = snapshots
/// ```
public struct SnapshotOptions: Sendable {
    /// How often snapshots are taken.
    ///
    /// By default, use of the app causes at most thirty a minute, and there is at least one every two minutes while the app is used.
    public var policy: SnapshotPolicy

    /// The sources of snapshots.
    ///
    /// nil (the default) asks the system. Sources of the app's own replace all of the system's, and a part without a source is left out.
    ///
    /// Each source is called on a thread of its own, one call at a time. One that takes longer than two seconds is reported as a `Diagnostic`, and
    /// snapshots continue without it until it answers.
    public var sources: SnapshotSources?

    /// Whether motion sensors may be read.
    ///
    /// False by default, because few apps need it and it costs power. ``RuntimeOptions/allowsMotion`` changes it later.
    public var allowsMotion: Bool

    /// Whether a snapshot may contain the location.
    ///
    /// True by default: it is read only if the system permits the app to know it, and no location service is started.
    /// ``RuntimeOptions/allowsLocation`` changes it later.
    public var allowsLocation: Bool

    /// Whether snapshots on Apple's systems may contain values that identify the device.
    ///
    /// These are the kernel's ids, the names of device and host, and network addresses. False by default: the App Store forbids recognizing a
    /// device by them, even with consent. It has no effect on other systems and on ``sources`` of the app's own.
    public var allowsDeviceRecognition: Bool

    /// The destinations that receive `_device_properties`; all by default.
    public var devicePropertiesRoute: Route

    /// The destinations that receive `_app_state`; all by default.
    public var appStateRoute: Route

    /// How long unchanged device properties are not recorded again.
    ///
    /// They are recorded again for another user. An hour by default; zero records them every time.
    public var repeatsDevicePropertiesAfter: Duration

    /// Options of these parts.
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
    ///   - recognizesDevice: what ``SnapshotOptions/allowsDeviceRecognition`` means for the system's own sources.
    public static func system(
        appID: String,
        appVersion: String? = nil,
        root: String = "/",
        recognizesDevice: Bool = false
    ) -> SnapshotSources {
        let app = AppFacts.read(id: appID, version: appVersion).attributes
        return .system(app: app, root: root, recognizes: recognizesDevice)
    }
}
