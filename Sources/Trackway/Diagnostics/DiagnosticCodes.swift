// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

extension Diagnostic.Code {
    /// An event was recorded after shutdown.
    ///
    /// Cause: `record` was called after `shutdown`; the event is stored and is sent after the next start.
    ///
    /// Remedy: Record before calling `shutdown`.
    public static let recordedAfterShutdown = Diagnostic.Code(rawValue: "recorded_after_shutdown", severity: .warning)

    /// No destination has this id.
    ///
    /// Cause: An event, a rule or an upload names a destination that is neither configured nor added.
    ///
    /// Remedy: Add the destination, or correct the id.
    public static let unknownDestination = Diagnostic.Code(rawValue: "unknown_destination", severity: .error)

    /// A setting is out of range.
    ///
    /// Cause: A number in the configuration is outside its range and was replaced by the nearest valid one.
    ///
    /// Remedy: Use a value within the range, or leave the default.
    public static let settingOutOfRange = Diagnostic.Code(rawValue: "setting_out_of_range", severity: .warning)

    /// The storage folder was removed.
    ///
    /// Cause: The storage folder and the pending events in it were removed while the app was running; the folder was
    /// created again.
    ///
    /// Remedy: Do not remove the storage folder while the app runs.
    public static let storageRemoved = Diagnostic.Code(rawValue: "storage_removed", severity: .error)

    /// An event could not be stored.
    ///
    /// Cause: Neither the journal nor the memory buffer could hold the event, so it was dropped; the message names
    /// the drop reason.
    ///
    /// Remedy: Follow the remedy of the drop reason.
    public static let notKept = Diagnostic.Code(rawValue: "not_kept", severity: .error)

    /// Storage is failing.
    ///
    /// Cause: The storage folder cannot be read or written now; as many new events as fit are held in memory, and
    /// delivery waits.
    ///
    /// Remedy: Free some space, or make the storage folder readable and writable.
    public static let storageFailing = Diagnostic.Code(rawValue: "storage_failing", severity: .error)

    /// A user id is invalid.
    ///
    /// Cause: A user id or anonymous id is empty or longer than `EventLimits.stringBytes`; the user was not changed.
    ///
    /// Remedy: Use an id within the limit.
    public static let userInvalid = Diagnostic.Code(rawValue: "user_invalid", severity: .error)

    /// A group is invalid.
    ///
    /// Cause: A group's type or id is empty or longer than the limits; the user was not added to the group.
    ///
    /// Remedy: Use a type of 1 to `EventLimits.keyBytes` and an id of 1 to `EventLimits.stringBytes` bytes.
    public static let groupInvalid = Diagnostic.Code(rawValue: "group_invalid", severity: .error)

    /// A user belongs to too many groups.
    ///
    /// Cause: The user already belongs to the maximum number of groups, and was not added to this one.
    ///
    /// Remedy: Call `leaveGroup` for a group that is not needed.
    public static let tooManyGroups = Diagnostic.Code(rawValue: "too_many_groups", severity: .error)

    /// An identifier is invalid.
    ///
    /// Cause: An additional id of a user, or its type, is empty or too long; it was ignored.
    ///
    /// Remedy: Use an id and a type within the limits.
    public static let identityInvalid = Diagnostic.Code(rawValue: "identity_invalid", severity: .error)

    /// A user's attributes were ignored.
    ///
    /// Cause: The app is for children (`privacy.isChildDirected`), so attributes of users are not recorded.
    ///
    /// Remedy: Do not set attributes of users, or set `privacy.isChildDirected` to false.
    public static let childAttributesIgnored = Diagnostic.Code(rawValue: "child_attributes_ignored", severity: .warning)

    /// A known user was forgotten.
    ///
    /// Cause: More users signed in on the device than the SDK remembers; the user who has been absent longest gets
    /// another unique id at the next sign-in.
    ///
    /// Remedy: None.
    public static let userForgotten = Diagnostic.Code(rawValue: "user_forgotten", severity: .info)

    /// There are too many identifier types.
    ///
    /// Cause: The user has the maximum number of identifier types; the new one was not stored.
    ///
    /// Remedy: Call `removeIdentifier` for identifiers that are not needed.
    public static let tooManyIdentities = Diagnostic.Code(rawValue: "too_many_identities", severity: .error)

    /// Session state could not be stored.
    ///
    /// Cause: The state of sessions and launches cannot be read or written now; events are still recorded.
    ///
    /// Remedy: Free some space, or make the storage folder readable and writable.
    public static let behaviorNotKept = Diagnostic.Code(rawValue: "behavior_not_kept", severity: .warning)

    /// Session state is damaged.
    ///
    /// Cause: The stored state of sessions and launches cannot be decoded; session numbers restart at 1.
    ///
    /// Remedy: None.
    public static let behaviorDamaged = Diagnostic.Code(rawValue: "behavior_damaged", severity: .warning)

    /// An Objective-C class is defined twice.
    ///
    /// Cause: Both a compatibility module and the SDK that it replaces are linked, and both define the class.
    ///
    /// Remedy: Link only one of them.
    public static let classDefinedTwice = Diagnostic.Code(rawValue: "class_defined_twice", severity: .error)

    /// The SDK could not start.
    ///
    /// Cause: `Analytics.start` or a compatibility module could not create an `Analytics`, so nothing is recorded in
    /// this run.
    ///
    /// Remedy: Fix the problem that the message names, then start the SDK again.
    public static let notStarted = Diagnostic.Code(rawValue: "not_started", severity: .error)

    /// A screen's name is invalid.
    ///
    /// Cause: A screen was ignored because its name is empty, or its name was truncated because it is too long.
    ///
    /// Remedy: Give every screen a name within the limit.
    public static let screenInvalid = Diagnostic.Code(rawValue: "screen_invalid", severity: .warning)

    /// Screen capture has no source.
    ///
    /// Cause: `CaptureOptions.screens` is set, but nothing reports screens.
    ///
    /// Remedy: Add a `UIKitCapture`, `.trackScreen` or calls to `Analytics.screen`, or leave `.screens` out.
    public static let screenCaptureMissing = Diagnostic.Code(rawValue: "screens_unseen", severity: .error)

    /// An element has no name.
    ///
    /// Cause: A tap was reported for an element with an empty name; it was not recorded.
    ///
    /// Remedy: Name every element.
    public static let elementInvalid = Diagnostic.Code(rawValue: "element_invalid", severity: .error)

    /// A destination is misconfigured.
    ///
    /// Cause: The back end rejects the credentials, or the address is wrong; events stay pending.
    ///
    /// Remedy: Correct the address and credentials, for example with `Analytics.replaceDestination`.
    public static let destinationParked = Diagnostic.Code(rawValue: "destination_parked", severity: .error)

    /// A destination fails repeatedly.
    ///
    /// Cause: Several requests failed in a row; the destination is tried less often until it responds, and events stay
    /// pending.
    ///
    /// Remedy: Check that the back end is reachable.
    public static let destinationDown = Diagnostic.Code(rawValue: "destination_down", severity: .warning)

    /// A destination rejected an event.
    ///
    /// Cause: The back end rejected the event itself; it is kept as a dead letter and is not sent again.
    ///
    /// Remedy: Run `trackway journal inspect` on the storage folder to see the event, and correct the problem that the
    /// message names.
    public static let eventRefused = Diagnostic.Code(rawValue: "event_refused", severity: .error)

    /// An event was delivered incompletely.
    ///
    /// Cause: The destination's format does not allow an attribute, an item or part of a string; other destinations
    /// received that data.
    ///
    /// Remedy: Stay within the limits of the destination's format.
    public static let attributeTrimmed = Diagnostic.Code(rawValue: "attribute_trimmed", severity: .warning)

    /// The process's signals cannot be observed.
    ///
    /// Cause: The signal handlers could not be installed; pending events may be sent later.
    ///
    /// Remedy: None.
    public static let lifecycleObservationFailed = Diagnostic.Code(rawValue: "life_cycle_unseen", severity: .warning)

    /// Crashes cannot be captured.
    ///
    /// Cause: The crash handlers could not be installed, for example on watchOS; everything else is captured.
    ///
    /// Remedy: None.
    public static let crashCaptureUnavailable = Diagnostic.Code(rawValue: "crashes_unseen", severity: .warning)

    /// A system report was dropped.
    ///
    /// Cause: A crash or hang report from the system could not be stored, and the system does not send it again.
    ///
    /// Remedy: Free some space, or make the storage folder writable.
    public static let systemReportDropped = Diagnostic.Code(rawValue: "system_report_lost", severity: .error)

    /// A decision could not be saved.
    ///
    /// Cause: Consent, identity or another decision cannot be written; it applies to this process and is written with
    /// the next change.
    ///
    /// Remedy: Free some space, or make the storage folder writable.
    public static let settingsNotSaved = Diagnostic.Code(rawValue: "settings_not_saved", severity: .error)

    /// The stored settings are damaged.
    ///
    /// Cause: Consent and identity from earlier runs cannot be decoded; events are stored but not sent until consent is
    /// set.
    ///
    /// Remedy: Ask for consent again and call `Analytics.setConsent`.
    public static let settingsDamaged = Diagnostic.Code(rawValue: "settings_damaged", severity: .error)

    /// A consent decision was ignored.
    ///
    /// Cause: The maximum number of categories already have decisions.
    ///
    /// Remedy: Use fewer categories.
    public static let consentNotTaken = Diagnostic.Code(rawValue: "consent_not_taken", severity: .error)

    /// No consent was chosen.
    ///
    /// Cause: A destination sends events, but no consent was chosen with `Configuration(appID:destinations:consent:)`
    /// or `setConsent`; events are kept on the device and not sent.
    ///
    /// Remedy: Ask the user and call `setConsent`, or pass `consent: .granted` if the app needs no consent;
    /// `consent: .pending` confirms that the app will ask.
    public static let consentNotChosen = Diagnostic.Code(rawValue: "consent_not_chosen", severity: .warning)

    /// A text about a consent decision was truncated.
    ///
    /// Cause: The source or text version of a decision is longer than 256 bytes; the decision applies.
    ///
    /// Remedy: Use a shorter text.
    public static let consentTextTruncated = Diagnostic.Code(rawValue: "consent_text_truncated", severity: .warning)

    /// Pending events could not be discarded.
    ///
    /// Cause: The journal could not be changed after consent was withdrawn or `deleteAll` was called.
    ///
    /// Remedy: Make the storage folder readable and writable.
    public static let notDiscarded = Diagnostic.Code(rawValue: "not_discarded", severity: .error)

    /// Queue state could not be stored.
    ///
    /// Cause: The state of queues cannot be read or written now; events are still recorded and sent.
    ///
    /// Remedy: Free some space, or make the storage folder readable and writable.
    public static let streamsNotKept = Diagnostic.Code(rawValue: "streams_not_kept", severity: .warning)

    /// Queue state is damaged.
    ///
    /// Cause: The stored state of queues cannot be decoded; queues start without a last upload or last event.
    ///
    /// Remedy: Call `addDestination` again for destinations that were added at run time.
    public static let streamsDamaged = Diagnostic.Code(rawValue: "streams_damaged", severity: .warning)

    /// Snapshots are switched off.
    ///
    /// Cause: A snapshot was requested or a reading was added, but `Configuration.snapshots` is nil.
    ///
    /// Remedy: Set `Configuration.snapshots`.
    public static let snapshotsOff = Diagnostic.Code(rawValue: "snapshots_off", severity: .error)

    /// A snapshot source does not respond.
    ///
    /// Cause: A source did not return within the timeout; snapshots are taken without it until it returns.
    ///
    /// Remedy: Make the source return known values immediately.
    public static let snapshotSourceSilent = Diagnostic.Code(rawValue: "snapshot_source_silent", severity: .warning)

    /// A reading is not finite.
    ///
    /// Cause: A source or sensor returned an infinite number or NaN; the number was left out.
    ///
    /// Remedy: Return finite numbers, or nil for unknown values.
    public static let readingInvalid = Diagnostic.Code(rawValue: "reading_invalid", severity: .warning)

    /// Snapshot state could not be stored.
    ///
    /// Cause: The times of snapshots cannot be read or written now; snapshots are still taken.
    ///
    /// Remedy: Free some space, or make the storage folder readable and writable.
    public static let snapshotsNotKept = Diagnostic.Code(rawValue: "snapshots_not_kept", severity: .warning)

    /// Snapshot state is damaged.
    ///
    /// Cause: The stored state of snapshots cannot be decoded; limits start again from zero, and device properties are
    /// recorded once more.
    ///
    /// Remedy: None.
    public static let snapshotsDamaged = Diagnostic.Code(rawValue: "snapshots_damaged", severity: .warning)

    /// A pending event cannot be decoded.
    ///
    /// Cause: A pending event of an app-managed destination cannot be decoded, so reading skipped it.
    ///
    /// Remedy: Read it with `batches(of:)` to get its bytes.
    public static let eventNotReadable = Diagnostic.Code(rawValue: "event_not_readable", severity: .error)

    /// The timer does not exist.
    ///
    /// Cause: The timer was never started, or was already ended or removed.
    ///
    /// Remedy: Start the timer first, and end it only once.
    public static let timerUnknown = Diagnostic.Code(rawValue: "timer_unknown", severity: .warning)

    /// There are too many timers.
    ///
    /// Cause: The maximum number of timers is running, so one was discarded.
    ///
    /// Remedy: End or remove timers that are not needed.
    public static let tooManyTimers = Diagnostic.Code(rawValue: "too_many_timers", severity: .error)

    /// An interceptor dropped an event.
    ///
    /// Cause: One of the app's interceptors dropped an event, for the first time in this process; the ledger counts
    /// every dropped event.
    ///
    /// Remedy: None.
    public static let intercepted = Diagnostic.Code(rawValue: "intercepted", severity: .info)

    /// An interceptor set an invalid name.
    ///
    /// Cause: An interceptor gave an event a name that is empty or reserved; the event kept its own.
    ///
    /// Remedy: Use another name, or drop the event.
    public static let interceptorNameRefused = Diagnostic.Code(rawValue: "interceptor_name_refused", severity: .warning)

    /// An interceptor is slow.
    ///
    /// Cause: An interceptor delayed the recording thread, for the first time in this process.
    ///
    /// Remedy: Prepare the data in advance, and do the work on another thread.
    public static let interceptorSlow = Diagnostic.Code(rawValue: "interceptor_slow", severity: .warning)

    /// A destination's rule is invalid.
    ///
    /// Cause: The pattern, the attribute or the new name of a rule is invalid; other rules are not affected.
    ///
    /// Remedy: Correct the rule as the message says.
    public static let ruleInvalid = Diagnostic.Code(rawValue: "rule_invalid", severity: .error)

    /// The storage folder is not available yet.
    ///
    /// Cause: The device has not been unlocked since it started; events are held in memory until it is unlocked.
    ///
    /// Remedy: None.
    public static let storageAwaited = Diagnostic.Code(rawValue: "storage_awaited", severity: .info)

    /// Events were lost before the first unlock.
    ///
    /// Cause: Processes ended before the device was unlocked and lost the events that they held in memory; these are
    /// counted as `storage_awaited`.
    ///
    /// Remedy: None.
    public static let lostBeforeStorage = Diagnostic.Code(rawValue: "lost_before_storage", severity: .error)

    /// The app runs in an Xcode preview.
    ///
    /// Cause: In a preview, calls are accepted, but nothing is stored or sent.
    ///
    /// Remedy: Run the app to see its events.
    public static let previewed = Diagnostic.Code(rawValue: "previewed", severity: .info)

    /// The state of an older SDK was migrated.
    ///
    /// Cause: The first start found the state of the app's older SDK and migrated it.
    ///
    /// Remedy: None.
    public static let takenOver = Diagnostic.Code(rawValue: "taken_over", severity: .info)

    /// Some state of an older SDK was not migrated.
    ///
    /// Cause: A value or event of an older SDK cannot be used; everything else was migrated.
    ///
    /// Remedy: Set the value again, as the message says.
    public static let takeOverIncomplete = Diagnostic.Code(rawValue: "take_over_incomplete", severity: .warning)

    /// The migration from an older SDK is postponed.
    ///
    /// Cause: The older SDK's files cannot be read now; the next start tries again, and nothing is lost.
    ///
    /// Remedy: Make the app's folders readable and writable.
    public static let takeOverDelayed = Diagnostic.Code(rawValue: "take_over_delayed", severity: .warning)
}

extension DropReason {
    /// The event repeats the previous one.
    ///
    /// Cause: The event equals the last one in its queue and was recorded within `QueuePolicy.acceptSameEventAfter`.
    ///
    /// Remedy: None.
    public static let duplicate = DropReason(rawValue: "duplicate")

    /// The event was recorded in a forked child.
    ///
    /// Cause: A forked child process used the `Analytics` of its parent.
    ///
    /// Remedy: Call `exec` first, or create an `Analytics` in the child.
    public static var forked: DropReason {
        // Computed, because the lock that guards a constant's first use might never be released in a forked child.
        DropReason(rawValue: "forked")
    }

    /// The collection policy excludes the event.
    ///
    /// Cause: The collection policy in force does not allow events of this name.
    ///
    /// Remedy: None.
    public static let notCollected = DropReason(rawValue: "not_collected")

    /// The event is addressed to an unknown destination.
    ///
    /// Cause: The event names a destination that is neither configured nor added.
    ///
    /// Remedy: Add the destination, or correct the id.
    public static let unknownDestination = DropReason(rawValue: "unknown_destination")

    /// An interceptor dropped the event.
    ///
    /// Cause: One of the app's interceptors dropped the event before it was recorded.
    ///
    /// Remedy: None.
    public static let intercepted = DropReason(rawValue: "intercepted")
}

extension TrackwayError.Code {
    /// The app id is invalid.
    ///
    /// Cause: `Configuration.appID` is empty or too long.
    ///
    /// Remedy: Use the app's bundle identifier.
    public static let invalidAppID = TrackwayError.Code(rawValue: "invalid_app_id")

    /// No destination is configured.
    ///
    /// Cause: `Configuration.destinations` is empty, so no event could be delivered.
    ///
    /// Remedy: Add a destination.
    public static let noDestinations = TrackwayError.Code(rawValue: "no_destinations")

    /// Two destinations have the same id.
    ///
    /// Cause: The id of a destination is already in use, so the positions of the two destinations in the journal could
    /// not be distinguished.
    ///
    /// Remedy: Give one of them another id.
    public static let duplicateDestination = TrackwayError.Code(rawValue: "duplicate_destination")

    /// No destination has this id.
    ///
    /// Cause: A call or a setting names a destination that is neither configured nor added.
    ///
    /// Remedy: Add the destination, or correct the id.
    public static let unknownDestination = TrackwayError.Code(rawValue: "unknown_destination")

    /// There are too many destinations.
    ///
    /// Cause: The maximum number of destinations already exists.
    ///
    /// Remedy: Remove destinations that are not needed.
    public static let tooManyDestinations = TrackwayError.Code(rawValue: "too_many_destinations")

    /// A limit is invalid.
    ///
    /// Cause: A limit in the configuration is too small for any event.
    ///
    /// Remedy: Use at least the minimum that the message names.
    public static let invalidLimit = TrackwayError.Code(rawValue: "invalid_limit")

    /// The storage folder cannot be used.
    ///
    /// Cause: The folder cannot be created, read or written.
    ///
    /// Remedy: Make the folder accessible, or configure another one.
    public static let storageUnavailable = TrackwayError.Code(rawValue: "storage_unavailable")

    /// An encryption key is too short.
    ///
    /// Cause: The key has fewer bytes than required.
    ///
    /// Remedy: Generate a key with `EncryptionKey.generate`.
    public static let invalidEncryptionKey = TrackwayError.Code(rawValue: "invalid_encryption_key")

    /// The key of an encrypted folder is missing.
    ///
    /// Cause: The storage folder is encrypted with a key that the configuration does not have; nothing was changed.
    ///
    /// Remedy: Set the key in `Configuration.storage.encryption`; if it is lost, remove the folder or configure another
    /// one.
    public static let encryptionKeyMissing = TrackwayError.Code(rawValue: "encryption_key_missing")

    /// The event was not recorded.
    ///
    /// Cause: The SDK is disabled, consent is denied, an interceptor dropped the event, the destination is unknown,
    /// or storage is full.
    ///
    /// Remedy: Remove the cause that the message names, and record the event again.
    public static let notRecorded = TrackwayError.Code(rawValue: "not_recorded")

    /// The call was made in a forked child.
    ///
    /// Cause: A forked child process used the `Analytics` of its parent.
    ///
    /// Remedy: Call `exec` first, or create an `Analytics` in the child.
    public static let inForkedChild = TrackwayError.Code(rawValue: "in_forked_child")

    /// Stable storage did not confirm the event.
    ///
    /// Cause: The event is recorded, but the flush failed; it is delivered unless the power fails first.
    ///
    /// Remedy: Do not record the event again.
    public static let notDurable = TrackwayError.Code(rawValue: "not_durable")

    /// The installation was not erased completely.
    ///
    /// Cause: A file could not be removed, or another process uses the folder.
    ///
    /// Remedy: Make the storage folder writable, stop other processes that use it, and call `Analytics.erase` again.
    public static let notErased = TrackwayError.Code(rawValue: "not_erased")

    /// The destination is of the wrong kind.
    ///
    /// Cause: A call for app-managed destinations names a destination that the SDK delivers to, or the other way
    /// around.
    ///
    /// Remedy: Remove the destination before you add one of the other kind.
    public static let destinationKindMismatch = TrackwayError.Code(rawValue: "destination_kind_mismatch")

    /// The snapshot is outdated.
    ///
    /// Cause: Events of the snapshot were removed, dropped or erased after it was taken.
    ///
    /// Remedy: Take another snapshot.
    public static let snapshotOutdated = TrackwayError.Code(rawValue: "snapshot_outdated")

    /// The snapshot's `Analytics` was released.
    ///
    /// Cause: The `Analytics` that created the snapshot no longer exists.
    ///
    /// Remedy: Keep the `Analytics` alive while its snapshots are used.
    public static let snapshotEnded = TrackwayError.Code(rawValue: "snapshot_ended")

    /// Another process delivers.
    ///
    /// Cause: Only the process that delivers for the installation can do this.
    ///
    /// Remedy: Make the call in that process, or stop it first.
    public static let deliveredElsewhere = TrackwayError.Code(rawValue: "delivered_elsewhere")
}
