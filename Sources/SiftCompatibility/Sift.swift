// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import Trackway
public import TrackwayDestinations
internal import TrackwayEvents

/// The calls that apps written for Sift make, on Trackway's front door.
///
/// ```swift
/// let sift = Sift.sharedInstance
/// sift().accountId = "YOUR_ACCOUNT_ID"
/// sift().beaconKey = "YOUR_JAVASCRIPT_SNIPPET_KEY"
/// sift().append(SiftEvent(type: "checkout", path: "/cart/confirm", fields: ["cart_size": "3"]))
/// ```
/// Every call may come from any thread. An event that was appended is in the journal when the call returns, and stays there
/// until the back-end has taken it. A mistake is a `Diagnostic` and, where the call answers, `false`; nothing else is lost.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class Sift: NSObject, Sendable {
    let core: SiftCore

    package init(_ core: SiftCore) {
        self.core = core
        super.init()
    }

    /// A Sift that keeps what it holds below a directory; ``analytics`` are made at once. Two with the same directory, in
    /// whatever spelling, are about the same events.
    ///
    /// - Parameters:
    ///   - rootDirPath: the directory, made when missing; nil or empty for that of ``sharedInstance()``.
    ///   - configure: changes what this class has no word for: consent, diagnostics, sources of snapshots, further
    ///     destinations. Called once, at once. What it says counts for the first object of a directory that is in use.
    @nonobjc public convenience init(
        rootDirPath: String?,
        configure: (inout Configuration) -> Void = { _ in }
    ) {
        var configuration = SiftCore.configuration(rootDirPath: rootDirPath ?? "")
        configure(&configuration)
        self.init(SiftRoots.core(configuration))
        core.analytics()
    }

    // MARK: The one instance

    private static let only = Locked<Sift?>(nil)

    /// The instance that an app shares, made with the first call.
    public class func sharedInstance() -> Sift {
        let sift = only.withLock { only in
            let sift = only ?? Sift(SiftRoots.core(SiftCore.configuration(rootDirPath: "")))
            only = sift
            return sift
        }
        // No lock is held: what is made here may call the app, and the app may ask for the instance.
        sift.core.analytics()
        return sift
    }

    /// Makes another Sift the shared one: one with a configuration of its own at the app's start, or a test's.
    ///
    /// ```swift
    /// Sift.share(Sift(rootDirPath: nil) { $0.appBuild = "381" })
    /// ```
    /// Who holds the former one goes on with it.
    @nonobjc public static func share(_ sift: Sift) {
        only.withLock { $0 = sift }
    }

    /// The front door that everything goes through, for calls that this class has no word for; nil while its directory
    /// cannot be used, which is told.
    @nonobjc public var analytics: Analytics? { core.analytics() }

    /// The version that events are said to be made with: that of the client whose set of keys is sent; see ``edition``.
    public var sdkVersion: String { core.state.withLock { $0.settings.edition }.sdkVersion }

    /// Which client's set of keys is sent: everything the document describes, as 2.1.0 did, by default.
    @nonobjc public var edition: SiftDestination.Edition {
        get { core.state.withLock { $0.settings.edition } }
        set { core.choose { $0.edition = newValue } }
    }

    // MARK: Account

    /// Your account's id; kept over restarts. Without one nothing is sent, and everything waits.
    public var accountId: String? {
        get { core.settings.accountId }
        set { core.choose { $0.accountId = newValue } }
    }

    /// Your beacon key; kept over restarts. Without one nothing is sent, and everything waits. Setting it, the same one too,
    /// asks a back-end again that refused it.
    public var beaconKey: String? {
        get { core.settings.beaconKey }
        set { core.choose { $0.beaconKey = newValue } }
    }

    /// Where events go: an http or https address with `%@` where the account's id goes. Not kept over restarts. While it is
    /// none, nothing is sent, and everything waits.
    public var serverUrlFormat: String? {
        get { core.settings.serverUrlFormat }
        set { core.choose { $0.serverUrlFormat = newValue } }
    }

    /// Who uses the app; kept over restarts. Events that name nobody get it as they are appended; nil or empty names nobody.
    public var userId: String? {
        get { core.user }
        set { core.setUser(newValue) }
    }

    /// Says that nobody uses the app; see ``userId``.
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

    /// Uploads the queues that are worth it; see ``upload(_:)``.
    @discardableResult
    public func upload() -> Bool {
        core.upload(force: false)
    }

    /// Uploads.
    ///
    /// - Parameter force: whether every queue is uploaded, or only those that are worth it.
    /// - Returns: Whether events were handed over, or will be as soon as the SDK's start is done. False, with a diagnostic,
    ///   while account id, beacon key or address are missing or wrong, or in a pause; false also when there is nothing to
    ///   send. A forced upload also asks a back-end again that refused key or account, a second after its answer at the
    ///   earliest.
    @discardableResult
    public func upload(_ force: Bool) -> Bool {
        core.upload(force: force)
    }

    /// Whether a batch is given up once the back-end refused it three times in a row, or 120 requests in a row failed, as
    /// older clients did. False by default: events are kept until they are taken, or the journal's bounds are reached. What
    /// is given up is counted.
    ///
    /// Kept over restarts. It counts for queues that are added from now on, and for the SDK's own from the next start.
    @nonobjc public var dropsAfterThreeStrikes: Bool {
        get { core.settings.strikesOut }
        set { core.choose { $0.strikesOut = newValue } }
    }

    // MARK: Pause

    /// Collects and sends nothing until ``resume()`` or the end of the process. What is appended is kept and waits; a request
    /// that is on its way gets its answer. Calls that collect or upload do nothing meanwhile, and are told. Again in a pause
    /// changes nothing.
    public func pause() {
        core.pause()
    }

    /// Ends ``pause()``: what waits goes on, and a back-end that refused key or account is asked again. Without a pause it
    /// changes nothing.
    public func resume() {
        core.resume()
    }
}
