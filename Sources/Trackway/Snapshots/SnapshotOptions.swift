// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayPlatform

/// Whether and how snapshots are taken; see ``Configuration/snapshots``.
///
/// A snapshot is one or two events: `_device_properties` says what the device and its system are, `_app_state` what the app
/// and its device are about at that moment. What is not known is left out.
///
/// ```swift
/// var snapshots = SnapshotOptions()
/// snapshots.allowsMotion = true
/// configuration.snapshots = snapshots
/// ```
public struct SnapshotOptions: Sendable {
    /// How often. Thirty a minute at most that the app's use brings about, and one in two minutes at least while it is
    /// used, by default.
    public var policy: SnapshotPolicy

    /// Where snapshots come from. nil (the default) asks the system; sources of the app's own replace all of the system's,
    /// and a part without a source is left out.
    ///
    /// Each source is asked on a thread of its own, one thing at a time. One that takes longer than two seconds is told as a
    /// `Diagnostic`, and snapshots go on without it until it answers.
    public var sources: SnapshotSources?

    /// Whether sensors of motion may be read. False by default: few apps need that, and it costs power. May change later,
    /// see ``RuntimeOptions/allowsMotion``.
    public var allowsMotion: Bool

    /// Whether a snapshot may say where the device is. True by default: it is asked for only when the person allows the
    /// app to know, and nothing is ever started to find out. May change later, see ``RuntimeOptions/allowsLocation``.
    public var allowsLocation: Bool

    /// Whether snapshots may say on Apple's systems what tells one device from all others: the kernel's ids, the names of device and
    /// host, addresses of networks. False by default: the App Store forbids to know a device again by such things, whether the
    /// person agrees or not. Other systems pay no regard to it, and neither do ``sources`` of the app's own.
    public var allowsDeviceRecognition: Bool

    /// The destinations that `_device_properties` is for; all of them (the default) when empty.
    public var devicePropertiesRoute: Route

    /// The destinations that `_app_state` is for; all of them (the default) when empty.
    public var appStateRoute: Route

    /// For how long properties of the device that did not change are not told again, as long as the same person is signed
    /// in. An hour by default; zero tells them with every occasion.
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
