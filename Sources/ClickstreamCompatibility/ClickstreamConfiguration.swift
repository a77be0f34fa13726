// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayCore

/// The SDK's configuration; every `with` method changes and returns it.
///
/// The object that ``ClickstreamAnalytics/getClickstreamConfiguration()`` returns is the SDK's live configuration:
/// changes to it take effect immediately, except for the sending interval and the initial global attributes, which are
/// applied at the start. Thread-safe.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class ClickstreamConfiguration: NSObject, Sendable {
    private struct State: Sendable {
        var settings = ClickstreamSettings()
        var onChange: (@Sendable (ClickstreamSettings) -> Void)?
    }

    private let state = Locked(State())

    /// Creates a configuration without settings.
    public override init() {
        super.init()
    }

    /// The settings made so far.
    var settings: ClickstreamSettings { state.withLock { $0.settings } }

    /// Replaces the settings, and calls `onChange` after every later change.
    func bind(_ settings: ClickstreamSettings, onChange: @escaping @Sendable (ClickstreamSettings) -> Void) {
        state.withLock { $0 = State(settings: settings, onChange: onChange) }
    }

    private func update(_ change: (inout ClickstreamSettings) -> Void) -> ClickstreamConfiguration {
        let (settings, onChange) = state.withLock { state in
            change(&state.settings)
            return (state.settings, state.onChange)
        }
        onChange?(settings)
        return self
    }

    /// The app's ID in the pipeline.
    ///
    /// Required, here or in the file.
    @discardableResult
    public func withAppId(_ appId: String) -> ClickstreamConfiguration {
        update { $0.appID = appId }
    }

    /// The address that events are sent to.
    ///
    /// Required, here or in the file.
    @discardableResult
    public func withEndpoint(_ endpoint: String) -> ClickstreamConfiguration {
        update { $0.endpoint = endpoint }
    }

    /// Whether the JSON of every event is logged, as it is sent.
    ///
    /// False by default.
    public var isLogEvents: Bool {
        get { settings.isLoggingEvents ?? false }
        set { withLogEvents(newValue) }
    }

    /// Whether the JSON of every event is logged, as it is sent.
    ///
    /// False by default.
    @discardableResult
    public func withLogEvents(_ isLogEvents: Bool) -> ClickstreamConfiguration {
        update { $0.isLoggingEvents = isLogEvents }
    }

    /// Whether events are compressed for sending.
    ///
    /// True by default.
    @discardableResult
    public func withCompressEvents(_ isCompressEvents: Bool) -> ClickstreamConfiguration {
        update { $0.isCompressingEvents = isCompressEvents }
    }

    /// The sending interval, in milliseconds; 10,000 by default.
    ///
    /// A value of 0 or less means the file's interval or the default.
    @discardableResult
    public func withSendEventInterval(_ sendEventInterval: Int) -> ClickstreamConfiguration {
        update { $0.sendEventsInterval = sendEventInterval }
    }

    /// The same as ``withSendEventInterval(_:)``: both spellings are documented.
    @discardableResult
    public func withSendEventsInterval(_ sendEventsInterval: Int) -> ClickstreamConfiguration {
        withSendEventInterval(sendEventsInterval)
    }

    /// The milliseconds in the background after which a new session begins.
    ///
    /// 1,800,000 by default.
    @discardableResult
    public func withSessionTimeoutDuration(_ sessionTimeoutDuration: Int64) -> ClickstreamConfiguration {
        update { $0.sessionTimeout = sessionTimeoutDuration }
    }

    /// Whether screen views are recorded automatically.
    ///
    /// True by default. Screen views that the app records itself are recorded in any case.
    @discardableResult
    public func withTrackScreenViewEvents(_ isTrackScreenViewEvents: Bool) -> ClickstreamConfiguration {
        update { $0.isTrackingScreenViews = isTrackScreenViewEvents }
    }

    /// Whether the time spent on screens is recorded.
    ///
    /// True by default.
    @discardableResult
    public func withTrackUserEngagementEvents(_ isTrackUserEngagementEvents: Bool) -> ClickstreamConfiguration {
        update { $0.isTrackingUserEngagement = isTrackUserEngagementEvents }
    }

    /// Whether crashes are recorded.
    ///
    /// False by default.
    @discardableResult
    public func withTrackAppExceptionEvents(_ isTrackAppExceptionEvents: Bool) -> ClickstreamConfiguration {
        update { $0.isTrackingAppExceptions = isTrackAppExceptionEvents }
    }

    /// The cookie that the load balancer in front of the endpoint requires.
    @discardableResult
    public func withAuthCookie(_ authCookie: String) -> ClickstreamConfiguration {
        update { $0.authCookie = authCookie }
    }

    /// Attributes of every event, from the first one on.
    @discardableResult
    public func withInitialGlobalAttributes(_ globalAttributes: ClickstreamAttribute) -> ClickstreamConfiguration {
        update { $0.globalAttributes = globalAttributes }
    }
}
