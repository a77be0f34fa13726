// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayLifecycle

extension Settings {
    /// The maximum number of decisions that wait for a last delivery.
    ///
    /// Beyond this limit, the oldest applies immediately.
    private static let maxScheduledConsents = 16

    /// The effects of a decision.
    struct ConsentChange: Sendable {
        var actions: [ConsentMachine.Action] = []
        /// The decision, if it is not a repetition.
        var record: ConsentRecord?
        /// The number of withdrawals after the change.
        var epoch: Int64 = 0
    }

    /// The decisions that apply to recording.
    ///
    /// Decisions that wait for a last delivery apply to recording at once.
    var consentForRecording: ConsentMachine {
        guard !scheduledConsents.isEmpty else { return consent }
        var machine = consent
        for scheduled in scheduledConsents {
            let record = scheduled.record
            _ = machine.decide(record.decision, by: record.scope, for: record.category, of: record.subject)
        }
        return machine
    }

    /// The decisions of the device and the current person, latest last.
    var visibleConsentRecords: [ConsentRecord] {
        consentLog.records.filter { record in
            record.subject.map { consent.currentSubject(of: $0) == consent.subject } ?? true
        }
    }

    /// Stores a decision.
    ///
    /// - Parameters:
    ///   - request: The decision; its subject is ignored.
    ///   - schedule: Whether the decision waits for a last delivery; nil applies it now.
    mutating func decide(_ request: ConsentRecord, _ schedule: (id: String, deadline: Timestamp)? = nil)
        -> ConsentChange
    {
        var record = request
        record.subject = record.scope == .person ? consent.subject : nil
        var change = ConsentChange()
        removeScheduled(replacedBy: record)
        if let schedule {
            scheduledConsents.append(ScheduledConsent(id: schedule.id, record: record, deadline: schedule.deadline))
            if scheduledConsents.count > Self.maxScheduledConsents {
                change.actions += apply(scheduledConsents.removeFirst())
            }
        } else {
            let actions = consent.decide(record.decision, by: record.scope, for: record.category)
            change.actions += actions
            change.epoch = consent.epoch
            for case .reportTooManyCategories in actions { return change }
        }
        change.epoch = consent.epoch
        // The app may repeat a decision at every start. Only a change is a new decision.
        guard change.actions.contains(.save) || !consentLog.isRepetition(record) else { return change }
        consentLog.add(record)
        change.record = record
        return change
    }

    /// Applies the scheduled decisions that meet a condition.
    mutating func applyScheduledConsents(where isDue: (ScheduledConsent) -> Bool) -> ConsentChange {
        let due = scheduledConsents.filter(isDue)
        scheduledConsents.removeAll(where: isDue)
        var change = ConsentChange()
        for scheduled in due { change.actions += apply(scheduled) }
        change.epoch = consent.epoch
        return change
    }

    /// Removes everything about people; decisions for the device remain.
    mutating func forgetConsentOfPeople() {
        consentLog.removePeople()
        scheduledConsents.removeAll { $0.record.subject != nil }
    }

    private mutating func apply(_ scheduled: ScheduledConsent) -> [ConsentMachine.Action] {
        let record = scheduled.record
        return consent.decide(record.decision, by: record.scope, for: record.category, of: record.subject)
    }

    /// Removes the scheduled decisions that a later decision replaces.
    private mutating func removeScheduled(replacedBy record: ConsentRecord) {
        scheduledConsents.removeAll { scheduled in
            scheduled.record.scope == record.scope && scheduled.record.subject == record.subject
                && (record.category == nil || scheduled.record.category == record.category)
        }
    }
}
