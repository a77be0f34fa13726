// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
public import TrackwayEvents

extension Analytics {
    /// Sets the consent of the device, of a category of destinations, or of the signed-in user.
    ///
    /// ```swift
    /// analytics.setConsent(.granted)
    /// analytics.setConsent(.denied, category: "advertising", scope: .person)
    /// ```
    /// The most specific decision counts: the person's for the category, the person's, the device's for the category, the
    /// device's, ``Configuration/Privacy/consent``. It takes effect before this returns, holds for all processes of the installation, and
    /// survives restarts.
    ///
    /// `denied` stops sending, and drops and counts pending events, unless ``Configuration/Privacy/denialPolicy`` says otherwise. A
    /// request in flight may still arrive. Other processes follow before their next request at the latest.
    ///
    /// - Parameters:
    ///   - consent: the decision; nil removes an earlier one.
    ///   - category: the category that it is about (``DestinationConfiguration/consentCategory``); nil for all without a decision of
    ///     their own.
    ///   - scope: whether it holds for the device or for the person who uses the app now.
    public func setConsent(
        _ consent: Consent?,
        category: ConsentCategory? = nil,
        scope: ConsentScope = .device
    ) {
        guard !isInChild else { return }
        delivery.consents.carryOut(storage.settings.change { $0.consent.decided(consent, by: scope, for: category) })
        lifecycle.behavior.beginAfterLaunch()
    }

    /// The consent of the current user, as known to this process.
    public var consent: Consent { consent(for: .analytics) }

    /// The consent of the current user in a category.
    public func consent(for category: ConsentCategory) -> Consent {
        isInChild ? .denied : storage.settings.current.consent.consent(for: category)
    }

    /// The consent of the current user, and every change of it.
    ///
    /// ```swift
    /// for await consent in analytics.consentUpdates { log("consent: \(consent)") }
    /// ```
    /// The sequence begins with the current value. A slow consumer gets only the latest value. It ends when the task is canceled or the instance is
    /// released. Decisions of other processes arrive before this process's next request.
    public var consentUpdates: AsyncStream<Consent> { delivery.consents.updates.stream }

    // MARK: Collection policy

    /// Sets which events and attributes may be collected, independent of consent.
    ///
    /// A back end may send another policy. Both apply: neither allows what the other forbids. They survive restarts.
    ///
    /// ```swift
    /// analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["debug_ping"]))
    /// ```
    /// - Parameter policy: what may be collected; nil allows everything again.
    public func setCollectionPolicy(_ policy: CollectionPolicy?) {
        setCollectionPolicy(policy, from: .app)
    }

    /// Sets the collection policy of the app or of a back end.
    package func setCollectionPolicy(_ policy: CollectionPolicy?, from source: PolicySource) {
        guard !isInChild else { return }
        storage.settings.change { $0.policies[source] = policy }
        delivery.consents.follow()
        applyCapture()
        lifecycle.snapshots?.permissionChanged()
    }

    /// What may be collected now, by all policies together.
    public var collectionPolicy: CollectionPolicy { storage.settings.current.policy }

    /// Captures what the app wants and the policy allows.
    func applyCapture() {
        lifecycle.crashWatch.follow { wantedBehavior.capture.contains(.crashes) }
        lifecycle.systemReportWatch.follow { wantedBehavior.capture.contains(.systemReports) }
        lifecycle.behavior.settingsChanged(to: wantedBehavior)
    }

    var wantedBehavior: BehaviorSettings {
        BehaviorSettings(runtimeOptions.withLock { $0 }, storage.settings.current.policy)
    }
}

extension BehaviorSettings {
    /// What the app wants, as far as the policy allows it.
    init(_ options: RuntimeOptions, _ policy: CollectionPolicy) {
        self.init(
            sessionTimeout: options.sessions.timeout,
            idleTimeout: options.sessions.idleTimeout,
            maximumSessionLength: options.sessions.maximumLength,
            capture: options.capture.intersection(policy.capture)
        )
    }
}

/// Who made a collection policy.
package enum PolicySource: String, Sendable, Hashable, CaseIterable {
    /// The app.
    case app
    /// A back-end, by a configuration it sent.
    case backEnd = "back_end"
}
