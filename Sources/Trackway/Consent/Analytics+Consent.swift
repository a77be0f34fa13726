// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayLifecycle

extension Analytics {
    /// Sets a consent decision for the device or the current user.
    ///
    /// The decision can be limited to a category of destinations.
    ///
    /// ```swift
    /// analytics.setConsent(.granted)
    /// analytics.setConsent(.denied, category: "advertising", scope: .person)
    /// ```
    /// The most specific decision applies, in this order: the person's for the category, the person's, the device's for
    /// the category, the device's, ``Configuration/Privacy/consent``. A decision takes effect before the call returns,
    /// applies to all processes of the installation, and survives restarts.
    ///
    /// `denied` stops sending, and drops and counts pending events, unless ``Configuration/Privacy/denialPolicy`` says
    /// otherwise. A request in flight may still arrive. Other processes apply the decision before their next request at
    /// the latest.
    ///
    /// - Parameters:
    ///   - consent: The decision; nil removes an earlier one.
    ///   - category: The category that the decision applies to (``DestinationConfiguration/consentCategory``); nil for
    ///     all categories that have no decision of their own.
    ///   - scope: Whether the decision applies to the device or to the current user.
    public func setConsent(
        _ consent: Consent?,
        category: ConsentCategory? = nil,
        scope: ConsentScope = .device
    ) {
        guard !isInChild else { return }
        delivery.consents.carryOut(storage.settings.change { $0.consent.decide(consent, by: scope, for: category) })
        lifecycle.controller.beginAfterLaunch()
    }

    /// The current user's consent, as known to this process.
    public var consent: Consent { consent(for: .analytics) }

    /// Returns the current user's consent in a category.
    public func consent(for category: ConsentCategory) -> Consent {
        isInChild ? .denied : storage.settings.current.consent.consent(for: category)
    }

    /// A sequence of the current user's consent and its changes.
    ///
    /// ```swift
    /// for await consent in analytics.consentUpdates { log("consent: \(consent)") }
    /// ```
    /// The sequence begins with the current value. A slow consumer receives only the latest value. The sequence ends
    /// when the task is canceled or the instance is released. Decisions made in other processes appear before this
    /// process's next request.
    public var consentUpdates: AsyncStream<Consent> { delivery.consents.updates.stream }

    // MARK: Collection policy

    /// Sets which events and attributes may be collected, independent of consent.
    ///
    /// A back end may send another policy. Both apply: neither allows what the other forbids. Policies survive
    /// restarts.
    ///
    /// ```swift
    /// analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["debug_ping"]))
    /// ```
    /// - Parameter policy: The policy; nil allows everything again.
    public func setCollectionPolicy(_ policy: CollectionPolicy?) {
        setCollectionPolicy(policy, from: .app)
    }

    /// Sets the collection policy of the app or of a back end.
    package func setCollectionPolicy(_ policy: CollectionPolicy?, from source: PolicySource) {
        guard !isInChild else { return }
        storage.settings.change { $0.policies[source] = policy }
        delivery.consents.applySettings()
        applyCapture()
        lifecycle.snapshots?.permissionChanged()
    }

    /// The combination of all collection policies.
    public var collectionPolicy: CollectionPolicy { storage.settings.current.policy }

    /// Applies the app's capture options to the extent that the policy allows.
    func applyCapture() {
        lifecycle.crashSubscription.update { requestedLifecycleSettings.capture.contains(.crashes) }
        lifecycle.systemReportSubscription.update { requestedLifecycleSettings.capture.contains(.systemReports) }
        lifecycle.controller.settingsChanged(to: requestedLifecycleSettings)
    }

    var requestedLifecycleSettings: LifecycleSettings {
        LifecycleSettings(runtimeOptions.withLock { $0 }, storage.settings.current.policy)
    }
}

extension LifecycleSettings {
    /// Creates the app's lifecycle settings to the extent that the policy allows.
    init(_ options: RuntimeOptions, _ policy: CollectionPolicy) {
        self.init(
            sessionTimeout: options.sessions.timeout,
            idleTimeout: options.sessions.idleTimeout,
            maximumSessionLength: options.sessions.maximumLength,
            capture: options.capture.intersection(policy.capture)
        )
    }
}

/// The source of a collection policy.
package enum PolicySource: String, Sendable, Hashable, CaseIterable {
    /// The app.
    case app
    /// A back end that sent the policy in a configuration.
    case backEnd = "back_end"
}
