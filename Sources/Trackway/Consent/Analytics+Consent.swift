// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
public import TrackwayEvents

extension Analytics {
    /// Tells what was decided for everybody who uses the app on this device and did not decide otherwise. It takes effect
    /// before this returns, holds for all processes of the installation, and survives restarts.
    ///
    /// `denied` stops sending, and drops and counts what waits, unless ``Configuration/consentOnDenial`` says otherwise. A request that is on its way when consent ends may still arrive. Other processes follow before their
    /// next request at the latest.
    public func setConsent(_ consent: Consent) {
        decide(consent, for: nil, by: .device)
    }

    /// Tells what was decided for a category of destinations (``Configuration/consentCategories``), or by the person who
    /// uses the app now alone. The closest decision counts: the person's for the category, the person's, the device's for
    /// the category, the device's, the configured one.
    ///
    /// - Parameters:
    ///   - consent: the decision; nil takes an earlier one back.
    ///   - category: what it is about; everything without a decision of its own when nil.
    ///   - scope: for whom it holds.
    public func setConsent(_ consent: Consent?, for category: ConsentCategory?, by scope: ConsentScope = .device) {
        decide(consent, for: category, by: scope)
    }

    /// What counts for the person who uses the app now, as far as this process knows.
    public var consent: Consent { consent(for: .analytics) }

    /// What counts for the person who uses the app now in a category, as far as this process knows.
    public func consent(for category: ConsentCategory) -> Consent {
        isInChild ? .denied : settings.current.consent.consent(for: category)
    }

    private func decide(_ consent: Consent?, for category: ConsentCategory?, by scope: ConsentScope) {
        guard !isInChild else { return }
        consents.carryOut(settings.change { $0.consent.decided(consent, by: scope, for: category) })
        behavior.beginAfterLaunch()
    }

    // MARK: Collection policy

    /// Tells what may be collected at all, apart from what people agreed to. The app has one policy, a back-end may send
    /// another, and both hold: neither allows what the other forbids. They survive restarts.
    ///
    /// ```swift
    /// analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["debug_ping"]))
    /// ```
    /// - Parameters:
    ///   - policy: what may be collected; nil allows everything again.
    ///   - source: whose policy it is.
    public func setCollectionPolicy(_ policy: CollectionPolicy?, from source: PolicySource = .app) {
        guard !isInChild else { return }
        settings.change { $0.policies[source] = policy }
        consents.follow()
        applyCapture()
        snapshots?.permissionChanged()
    }

    /// What may be collected now, by all policies together.
    public var collectionPolicy: CollectionPolicy { settings.current.policy }

    /// Captures what the app wants and the policy allows.
    func applyCapture() {
        crashWatch.follow { wantedBehavior.capture.contains(.crashes) }
        systemReportWatch.follow { wantedBehavior.capture.contains(.systemReports) }
        behavior.settingsChanged(to: wantedBehavior)
    }

    var wantedBehavior: BehaviorSettings {
        BehaviorSettings(options.withLock { $0 }, settings.current.policy)
    }
}

extension BehaviorSettings {
    /// What the app wants, as far as the policy allows it.
    init(_ options: RuntimeOptions, _ policy: CollectionPolicy) {
        self.init(
            sessionTimeout: options.sessionTimeout,
            idleTimeout: options.sessionIdleTimeout,
            maximumSessionLength: options.maximumSessionLength,
            capture: options.capture.intersection(policy.capture)
        )
    }
}

/// Who made a collection policy.
public enum PolicySource: String, Sendable, Hashable, CaseIterable {
    /// The app.
    case app
    /// A back-end, by a configuration it sent.
    case backEnd = "back_end"
}
