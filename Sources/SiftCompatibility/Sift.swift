// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import Trackway
internal import TrackwayCore
public import TrackwayDestinations

/// The API of the Sift SDK, implemented with Trackway's public API.
///
/// ```swift
/// let sift = Sift.sharedInstance
/// sift().accountId = "YOUR_ACCOUNT_ID"
/// sift().beaconKey = "YOUR_JAVASCRIPT_SNIPPET_KEY"
/// sift().append(SiftEvent(type: "checkout", path: "/cart/confirm", fields: ["cart_size": "3"]))
/// ```
/// Thread-safe. An appended event is in the journal when the call returns, and stays there until the back end has
/// accepted it. An invalid call reports a `Diagnostic` and, if it returns a result, returns `false`; no other data is
/// lost.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class Sift: NSObject, Sendable {
    let core: SiftCore

    package init(_ core: SiftCore) {
        self.core = core
        super.init()
    }

    /// Creates an instance that stores its data below a directory.
    ///
    /// ``analytics`` are created immediately. Instances with the same directory, however it is spelled, share the same
    /// events.
    ///
    /// - Parameters:
    ///   - rootDirPath: The directory, created if missing; nil or empty for that of ``sharedInstance()``.
    ///   - configure: A closure that changes settings that this class lacks: consent, diagnostics, snapshot sources,
    ///     further destinations. It is called once, before the initializer returns. If the directory is already in use,
    ///     its first instance's settings apply.
    @nonobjc public convenience init(
        rootDirPath: String?,
        configure: (inout Configuration) -> Void = { _ in }
    ) {
        var configuration = SiftCore.configuration(rootDirPath: rootDirPath ?? "")
        configure(&configuration)
        self.init(SiftCoreRegistry.core(configuration))
        core.analytics()
    }

    // MARK: Shared instance

    private static let only = Locked<Sift?>(nil)

    /// The instance that an app shares, created on the first call.
    public class func sharedInstance() -> Sift {
        let sift = only.withLock { only in
            let sift = only ?? Sift(SiftCoreRegistry.core(SiftCore.configuration(rootDirPath: "")))
            only = sift
            return sift
        }
        // No lock is held: creating the analytics may call the app, and the app may request the instance.
        sift.core.analytics()
        return sift
    }

    /// Replaces the shared instance.
    ///
    /// Use this function at app launch for an instance with its own configuration, or in tests.
    ///
    /// ```swift
    /// Sift.share(Sift(rootDirPath: nil) { $0.appBuild = "381" })
    /// ```
    /// References to the previous instance remain usable.
    @nonobjc public static func share(_ sift: Sift) {
        only.withLock { $0 = sift }
    }

    /// The underlying analytics, for features that this class lacks.
    ///
    /// Nil while the directory cannot be used, which is reported.
    @nonobjc public var analytics: Analytics? { core.analytics() }

    /// The SDK version in events.
    ///
    /// The version is that of the client whose set of keys is sent; see ``edition``.
    public var sdkVersion: String { core.state.withLock { $0.settings.edition }.sdkVersion }

    /// The client whose set of keys is sent.
    ///
    /// By default, everything documented is sent, as version 2.1.0 did.
    @nonobjc public var edition: SiftDestination.Edition {
        get { core.state.withLock { $0.settings.edition } }
        set { core.changeSettings { $0.edition = newValue } }
    }

    // MARK: Account

    /// Your account ID, which persists across restarts.
    ///
    /// Without an account ID, nothing is sent and all events stay pending.
    public var accountId: String? {
        get { core.settings.accountId }
        set { core.changeSettings { $0.accountId = newValue } }
    }

    /// Your beacon key, which persists across restarts.
    ///
    /// Without a beacon key, nothing is sent and all events stay pending. Setting the key, even to the same value,
    /// retries a back end that rejected it.
    public var beaconKey: String? {
        get { core.settings.beaconKey }
        set { core.changeSettings { $0.beaconKey = newValue } }
    }

    /// The http or https address that events are sent to.
    ///
    /// The address contains `%@` in place of the account ID, and does not persist across restarts. While it is invalid,
    /// nothing is sent and all events stay pending.
    public var serverUrlFormat: String? {
        get { core.settings.serverUrlFormat }
        set { core.changeSettings { $0.serverUrlFormat = newValue } }
    }

    /// The ID of the current user, which persists across restarts.
    ///
    /// Events without a user get this ID when they are appended. Nil or empty means no user.
    public var userId: String? {
        get { core.user }
        set { core.setUser(newValue) }
    }

    /// Removes the current user; see ``userId``.
    public func unsetUserId() {
        core.setUser(nil)
    }

    /// The same as setting ``accountId``.
    @nonobjc public func setAccountId(_ accountId: String?) {
        self.accountId = accountId
    }

    /// The same as setting ``beaconKey``.
    @nonobjc public func setBeaconKey(_ beaconKey: String?) {
        self.beaconKey = beaconKey
    }

    /// The same as setting ``userId``.
    @nonobjc public func setUserId(_ userId: String?) {
        self.userId = userId
    }

    // MARK: Delivery

    /// Uploads the queues that are ready; see ``upload(_:)``.
    @discardableResult
    public func upload() -> Bool {
        core.upload(force: false)
    }

    /// Uploads queues.
    ///
    /// - Parameter force: Whether all queues are uploaded, or only those that are ready.
    /// - Returns: Whether events were handed over, or will be once the SDK has started. False, with a diagnostic, while
    ///   the account ID, beacon key or address is missing or invalid, or during a pause. Also false if there is nothing
    ///   to send. A forced upload also retries a back end that rejected the key or account, at the earliest a second
    ///   after its response.
    @discardableResult
    public func upload(_ force: Bool) -> Bool {
        core.upload(force: force)
    }

    /// Whether a batch is dropped after repeated failures, as in older clients.
    ///
    /// A batch is dropped once the back end has rejected it three times in a row, or 120 requests in a row have failed.
    /// False by default: events are kept until they are accepted, or until the journal's limits are reached. Dropped
    /// events are counted.
    ///
    /// The setting persists across restarts. It applies to queues that are added from now on, and to the SDK's own
    /// queues from the next launch.
    @nonobjc public var dropsAfterThreeStrikes: Bool {
        get { core.settings.dropsAfterThreeStrikes }
        set { core.changeSettings { $0.dropsAfterThreeStrikes = newValue } }
    }

    // MARK: Pause

    /// Pauses collecting and sending until ``resume()`` or the end of the process.
    ///
    /// Appended events are stored and stay pending. A request in flight still receives its response. Calls that collect
    /// or upload do nothing during a pause, which is reported. Pausing again has no effect.
    public func pause() {
        core.pause()
    }

    /// Ends a pause that ``pause()`` started.
    ///
    /// Pending events are sent, and a back end that rejected the key or account is retried. Without a pause, this has
    /// no effect.
    public func resume() {
        core.resume()
    }
}
