// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayEvents

/// How the SDK works, made step by step: every call changes this object and gives it back.
///
/// The object that ``ClickstreamAnalytics/getClickstreamConfiguration()`` gives is the SDK's own: what is changed on it
/// counts from then on; the sending interval and the initial global attributes are chosen at the start. Any thread.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class ClickstreamConfiguration: NSObject, Sendable {
    private struct State: Sendable {
        var settings = ClickstreamSettings()
        var changed: (@Sendable (ClickstreamSettings) -> Void)?
    }

    private let state = Locked(State())

    /// A configuration in which nothing is chosen.
    public override init() {
        super.init()
    }

    /// What was chosen so far.
    var settings: ClickstreamSettings { state.withLock { $0.settings } }

    /// Takes settings over, and tells of every later change.
    func follow(_ settings: ClickstreamSettings, _ changed: @escaping @Sendable (ClickstreamSettings) -> Void) {
        state.withLock { $0 = State(settings: settings, changed: changed) }
    }

    private func choose(_ choice: (inout ClickstreamSettings) -> Void) -> ClickstreamConfiguration {
        let (settings, changed) = state.withLock { state in
            choice(&state.settings)
            return (state.settings, state.changed)
        }
        changed?(settings)
        return self
    }

    /// The app's id in the pipeline. Required, here or in the file.
    @discardableResult
    public func withAppId(_ appId: String) -> ClickstreamConfiguration {
        choose { $0.appID = appId }
    }

    /// The address events are sent to. Required, here or in the file.
    @discardableResult
    public func withEndpoint(_ endpoint: String) -> ClickstreamConfiguration {
        choose { $0.endpoint = endpoint }
    }

    /// Whether the JSON of every event is written to the log, as it is sent. False by default.
    public var isLogEvents: Bool {
        get { settings.isLoggingEvents ?? false }
        set { withLogEvents(newValue) }
    }

    /// Whether the JSON of every event is written to the log, as it is sent. False by default.
    @discardableResult
    public func withLogEvents(_ isLogEvents: Bool) -> ClickstreamConfiguration {
        choose { $0.isLoggingEvents = isLogEvents }
    }

    /// Whether events are compressed on their way. True by default.
    @discardableResult
    public func withCompressEvents(_ isCompressEvents: Bool) -> ClickstreamConfiguration {
        choose { $0.isCompressingEvents = isCompressEvents }
    }

    /// How often events are sent, in milliseconds. 10,000 by default; 0 or less means the same.
    @discardableResult
    public func withSendEventInterval(_ sendEventInterval: Int) -> ClickstreamConfiguration {
        choose { $0.sendEventsInterval = sendEventInterval }
    }

    /// The same as ``withSendEventInterval(_:)``: the document has both spellings.
    @discardableResult
    public func withSendEventsInterval(_ sendEventsInterval: Int) -> ClickstreamConfiguration {
        withSendEventInterval(sendEventsInterval)
    }

    /// How long the app may be in the background before the next use of it is another session, in milliseconds.
    /// 1,800,000 by default.
    @discardableResult
    public func withSessionTimeoutDuration(_ sessionTimeoutDuration: Int64) -> ClickstreamConfiguration {
        choose { $0.sessionTimeout = sessionTimeoutDuration }
    }

    /// Whether screen views are recorded by themselves. True by default; an app's own are recorded in any case.
    @discardableResult
    public func withTrackScreenViewEvents(_ isTrackScreenViewEvents: Bool) -> ClickstreamConfiguration {
        choose { $0.isTrackingScreenViews = isTrackScreenViewEvents }
    }

    /// Whether it is recorded how long screens are used. True by default.
    @discardableResult
    public func withTrackUserEngagementEvents(_ isTrackUserEngagementEvents: Bool) -> ClickstreamConfiguration {
        choose { $0.isTrackingUserEngagement = isTrackUserEngagementEvents }
    }

    /// Whether crashes are recorded. False by default.
    @discardableResult
    public func withTrackAppExceptionEvents(_ isTrackAppExceptionEvents: Bool) -> ClickstreamConfiguration {
        choose { $0.isTrackingAppExceptions = isTrackAppExceptionEvents }
    }

    /// The cookie that the load balancer in front of the endpoint wants to see.
    @discardableResult
    public func withAuthCookie(_ authCookie: String) -> ClickstreamConfiguration {
        choose { $0.authCookie = authCookie }
    }

    /// Attributes of every event from the first one on.
    @discardableResult
    public func withInitialGlobalAttributes(_ globalAttributes: ClickstreamAttribute) -> ClickstreamConfiguration {
        choose { $0.globalAttributes = globalAttributes }
    }
}
