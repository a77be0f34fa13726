// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDelivery
public import TrackwayLifecycle

extension Analytics {
    /// Sets a consent decision for the device or the current user.
    ///
    /// The decision can be limited to a category of destinations.
    ///
    /// ```swift
    /// analytics.setConsent(.granted, source: "banner", version: "privacy-2026-05")
    /// analytics.setConsent(.denied, category: "advertising", scope: .person)
    /// ```
    /// The most specific decision applies, in this order: the person's for the category, the person's, the device's for
    /// the category, the device's, ``Configuration/Privacy/consent``. A decision takes effect before the call returns,
    /// applies to all processes of the installation, and survives restarts.
    ///
    /// `denied` stops sending, and drops and counts pending events, unless ``Configuration/Privacy/denialPolicy`` says
    /// otherwise. A request in flight may still arrive. Other processes apply the decision before their next request at
    /// the latest. ``setConsent(_:category:scope:source:version:after:)`` sends pending events first.
    ///
    /// The decision is added to ``consentLog`` and, if the decision permits it, recorded as the event `_consent`.
    /// Repeating a decision with the same source and version adds and records nothing.
    ///
    /// - Parameters:
    ///   - consent: The decision; nil removes an earlier one.
    ///   - category: The category that the decision applies to (``DestinationConfiguration/consentCategory``); nil for
    ///     all categories that have no decision of their own.
    ///   - scope: Whether the decision applies to the device or to the current user.
    ///   - source: Where the decision was made, in the app's words, such as `settings`. At most 256 bytes.
    ///   - version: The version of the text that was agreed to or refused. At most 256 bytes.
    public func setConsent(
        _ consent: Consent?,
        category: ConsentCategory? = nil,
        scope: ConsentScope = .device,
        source: String? = nil,
        version: String? = nil
    ) {
        guard !isInChild else { return }
        lifecycle.identity.decide(consentRecord(consent, category, scope, source, version))
    }

    /// Sets a consent decision after a last delivery.
    ///
    /// ```swift
    /// analytics.record("opted_out")
    /// await analytics.setConsent(.denied, source: "settings", after: .flush(timeout: .seconds(5)))
    /// ```
    /// From this call on, recording follows the decision; sending follows it when the delivery ends. After a refusal,
    /// nothing more is recorded, pending events are sent under the earlier consent, and events that could not be sent
    /// are dropped and counted. The event `_consent` is part of the delivery.
    ///
    /// The decision is stored before anything is sent. If the process ends during the delivery, the decision applies at
    /// the next start of any process of the installation. Another decision for the same people and category replaces
    /// it. If the task is canceled, the delivery ends and the decision applies.
    ///
    /// - Parameters:
    ///   - consent: The decision; nil removes an earlier one.
    ///   - category: The category that the decision applies to; nil for all without a decision of their own.
    ///   - scope: Whether the decision applies to the device or to the current user.
    ///   - source: Where the decision was made, in the app's words. At most 256 bytes.
    ///   - version: The version of the text that was agreed to or refused. At most 256 bytes.
    ///   - delivery: The last delivery.
    /// - Returns: The result of the delivery. After a refusal, the events that it reports as pending are dropped.
    @discardableResult
    public func setConsent(
        _ consent: Consent?,
        category: ConsentCategory? = nil,
        scope: ConsentScope = .device,
        source: String? = nil,
        version: String? = nil,
        after delivery: LastDelivery
    ) async -> FlushReport {
        guard !isInChild else { return FlushReport() }
        let record = consentRecord(consent, category, scope, source, version)
        let id = recording.ids.next(at: recording.clock.now().wall).description
        lifecycle.identity.schedule(record, id: id, within: delivery.timeout)
        let report = await flush(timeout: delivery.timeout)
        lifecycle.identity.applyScheduledConsent(id)
        return report
    }

    /// The consent decisions of this device and the current user, latest last.
    ///
    /// The log also contains refusals, which are not sent. It survives restarts, and contains at most the 100 latest
    /// decisions. ``erase()`` removes the decisions of users.
    public var consentLog: [ConsentRecord] {
        isInChild ? [] : storage.settings.current.visibleConsentRecords
    }

    private func consentRecord(
        _ consent: Consent?,
        _ category: ConsentCategory?,
        _ scope: ConsentScope,
        _ source: String?,
        _ version: String?
    ) -> ConsentRecord {
        ConsentRecord(
            time: recording.clock.now().wall,
            decision: consent,
            scope: scope,
            category: category,
            source: consentText(source, "source"),
            version: consentText(version, "version")
        )
    }

    /// Returns a text about a decision, within the limit.
    ///
    /// A decision must not be lost because of a long text, so the text is truncated.
    private func consentText(_ text: String?, _ field: String) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let limit = ConsentRecord.maximumTextBytes
        guard text.utf8.count > limit else { return text }
        reporter.report(
            Diagnostic(
                code: .consentTextTruncated,
                field: field,
                value: text,
                message: "The \(field) of a consent decision, \(text.quoted), has \(text.utf8.count) bytes and was "
                    + "truncated to \(limit). The decision applies.",
                recoverySuggestion: "Use at most \(limit) bytes."
            )
        )
        return text.truncated(toUTF8Count: limit)
    }

    /// The current user's consent, as known to this process.
    public var consent: Consent { consent(for: .analytics) }

    /// Returns the current user's consent in a category.
    public func consent(for category: ConsentCategory) -> Consent {
        isInChild ? .denied : storage.settings.current.consentForRecording.consent(for: category)
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
