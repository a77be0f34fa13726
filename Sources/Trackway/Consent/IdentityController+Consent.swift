// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayLifecycle

/// Consent decisions of the app, which are made one at a time with changes of the user.
extension IdentityController {
    /// The time after a last delivery at which its decision applies automatically.
    private static let scheduleMargin = Duration.seconds(60)

    /// Stores a decision, applies it, and records its event.
    func decide(_ request: ConsentRecord) {
        store { settings, moment in settings.decide(request.at(moment.wall)) }
    }

    /// Stores a decision that applies after a last delivery, and records its event.
    ///
    /// The event is recorded first, because recording follows the decision immediately.
    func schedule(_ request: ConsentRecord, id: String, within timeout: Duration) {
        store(recordsFirst: true) { settings, moment in
            settings.decide(request.at(moment.wall), (id, moment.wall.advanced(by: timeout + Self.scheduleMargin)))
        }
    }

    /// Applies a scheduled decision, unless another decision has replaced it.
    func applyScheduledConsent(_ id: String) {
        store { settings, _ in settings.applyScheduledConsents { $0.id == id } }
    }

    /// - Parameter recordsFirst: Whether the event is recorded under the previous decisions.
    private func store(
        recordsFirst: Bool = false,
        _ change: @escaping @Sendable (inout Settings, DualTimestamp) -> Settings.ConsentChange
    ) {
        let (made, sideEffects, failure) = changeLock.withLock { _ in
            let moment = clock.now()
            let save = { [settings] in
                settings.changeWithoutReporting { settings in
                    change(&settings, moment)
                }
            }
            let recordEvent = { [contextStore, recordsConsent] (made: Settings.ConsentChange) in
                contextStore.performUnreported { transaction in
                    let user = transaction.context.user
                    transaction.context.user.consentEpoch = max(user.consentEpoch, made.epoch)
                    if recordsConsent, let record = made.record {
                        transaction.record(CapturedName.consent, record.attributes, at: moment)
                    }
                }.1
            }
            guard recordsFirst else {
                let (made, failure) = save()
                consents.applySettings()
                return (made, recordEvent(made), failure)
            }
            let (made, sideEffects, failure) = consents.whileIgnoringScheduledDecisions {
                let (made, failure) = save()
                return (made, recordEvent(made), failure)
            }
            consents.applySettings()
            return (made, sideEffects, failure)
        }
        // No lock is held from here on, because the app's code may run.
        if let failure { settings.report(failure) }
        contextStore.report(sideEffects)
        if made.record != nil { lifecycle.eventsRecorded() }
        consents.carryOut(made.actions)
        lifecycle.beginAfterLaunch()
    }
}

extension ConsentRecord {
    fileprivate func at(_ time: Timestamp) -> ConsentRecord {
        var record = self
        record.time = time
        return record
    }
}
