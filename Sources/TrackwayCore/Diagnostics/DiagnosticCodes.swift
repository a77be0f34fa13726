// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Diagnostic.Code {
    /// The event has no name.
    ///
    /// Cause: An event was recorded with an empty name; it was stored as `_unnamed`.
    ///
    /// Remedy: Give the event a name.
    public static let nameEmpty = Diagnostic.Code(rawValue: "name_empty", severity: .warning)

    /// The event's name was truncated.
    ///
    /// Cause: The name of an event is longer than `EventLimits.nameBytes`.
    ///
    /// Remedy: Use a shorter name, or raise the limit.
    public static let nameTooLong = Diagnostic.Code(rawValue: "name_too_long", severity: .warning)

    /// The event's name has control characters.
    ///
    /// Cause: The name of an event contains control characters; each was replaced by `_`.
    ///
    /// Remedy: Use a name without control characters.
    public static let nameInvalid = Diagnostic.Code(rawValue: "name_invalid", severity: .warning)

    /// An attribute has no key.
    ///
    /// Cause: An attribute was recorded with an empty key and was left out.
    ///
    /// Remedy: Give the attribute a key.
    public static let keyEmpty = Diagnostic.Code(rawValue: "key_empty", severity: .warning)

    /// An attribute's key is too long.
    ///
    /// Cause: A key is longer than `EventLimits.keyBytes`; the attribute was left out.
    ///
    /// Remedy: Use a shorter key, or raise the limit.
    public static let keyTooLong = Diagnostic.Code(rawValue: "key_too_long", severity: .warning)

    /// A key occurs twice.
    ///
    /// Cause: An object has the same key twice; the last value was kept.
    ///
    /// Remedy: Give each attribute a different key.
    public static let keyDuplicate = Diagnostic.Code(rawValue: "key_duplicate", severity: .warning)

    /// A string is too long.
    ///
    /// Cause: A string is longer than `EventLimits.stringBytes` and was left out.
    ///
    /// Remedy: Use a shorter string, or raise the limit.
    public static let valueTooLong = Diagnostic.Code(rawValue: "value_too_long", severity: .warning)

    /// A number is not finite.
    ///
    /// Cause: A number is infinite or not a number, which JSON cannot express; it was left out.
    ///
    /// Remedy: Record a finite number, or leave the attribute out.
    public static let numberNotFinite = Diagnostic.Code(rawValue: "number_not_finite", severity: .warning)

    /// A value has an unsupported type.
    ///
    /// Cause: A dictionary contains a value of a type that has no JSON form; it was left out.
    ///
    /// Remedy: Convert the value to a supported type, or make its type conform to `AttributeConvertible`.
    public static let valueUnsupported = Diagnostic.Code(rawValue: "value_unsupported", severity: .warning)

    /// A date is out of range.
    ///
    /// Cause: A date is outside the years 0000 to 9999 and was left out.
    ///
    /// Remedy: Use a date in the years 0000 to 9999.
    public static let dateOutOfRange = Diagnostic.Code(rawValue: "date_out_of_range", severity: .warning)

    /// A value is nested too deeply.
    ///
    /// Cause: A value is nested more deeply than `EventLimits.depth` and was left out.
    ///
    /// Remedy: Flatten the value, or raise the limit.
    public static let tooDeep = Diagnostic.Code(rawValue: "too_deep", severity: .warning)

    /// An object has too many attributes.
    ///
    /// Cause: An object has more attributes than `EventLimits.attributes`; the last ones were left out.
    ///
    /// Remedy: Use fewer attributes, or raise the limit.
    public static let tooManyAttributes = Diagnostic.Code(rawValue: "too_many_attributes", severity: .warning)

    /// The event has too many items.
    ///
    /// Cause: An event has more items than `EventLimits.items`; the last ones were left out.
    ///
    /// Remedy: Record fewer items in one event, or raise the limit.
    public static let tooManyItems = Diagnostic.Code(rawValue: "too_many_items", severity: .warning)

    /// An item has an invalid id.
    ///
    /// Cause: The id of an item is empty or longer than `EventLimits.itemIDBytes`; the item was left out.
    ///
    /// Remedy: Give every item a valid id.
    public static let itemInvalid = Diagnostic.Code(rawValue: "item_invalid", severity: .warning)

    /// The event is too large.
    ///
    /// Cause: The event is larger than `EventLimits.eventBytes`; the parts that did not fit were left out.
    ///
    /// Remedy: Record less data in one event, or raise the limit.
    public static let eventTooLarge = Diagnostic.Code(rawValue: "event_too_large", severity: .warning)

    /// A typed event could not be encoded.
    ///
    /// Cause: `encode(to:)` of a typed event threw or wrote something other than named properties; the event was
    /// recorded without attributes.
    ///
    /// Remedy: Encode named properties in `encode(to:)`.
    public static let notEncodable = Diagnostic.Code(rawValue: "not_encodable", severity: .warning)

    /// The text is not valid JSON.
    ///
    /// Cause: Text that should contain an event is not valid JSON, so it was rejected.
    ///
    /// Remedy: Send a JSON object for each event.
    public static let malformed = Diagnostic.Code(rawValue: "malformed", severity: .error)

    /// A required field is missing.
    ///
    /// Cause: An event in JSON lacks a required field, so it was rejected.
    ///
    /// Remedy: Add the field.
    public static let fieldMissing = Diagnostic.Code(rawValue: "field_missing", severity: .error)

    /// A field has an invalid value.
    ///
    /// Cause: A field of an event in JSON has a value of another type or form than expected, so the event was
    /// rejected.
    ///
    /// Remedy: Use the type and form that the message names.
    public static let fieldInvalid = Diagnostic.Code(rawValue: "field_invalid", severity: .error)

    /// A field occurs twice.
    ///
    /// Cause: An event in JSON has the same field twice, so it was rejected.
    ///
    /// Remedy: Write each field once.
    public static let fieldDuplicate = Diagnostic.Code(rawValue: "field_duplicate", severity: .error)
}

extension DropReason {
    /// The record is damaged on disk.
    ///
    /// Cause: The record's checksum does not match its bytes, for example after a power loss.
    ///
    /// Remedy: None.
    public static let damaged = DropReason(rawValue: "damaged")

    /// The event is too old.
    ///
    /// Cause: The event was not delivered within the maximum age of the journal or of the destination.
    ///
    /// Remedy: Raise `Configuration.storage.maximumAge`, or find out why the destination did not accept it earlier.
    public static let expired = DropReason(rawValue: "expired")

    /// The journal is full.
    ///
    /// Cause: The journal reached its size limit; the oldest undelivered events were dropped first.
    ///
    /// Remedy: Raise `Configuration.storage.maximumBytes`, or find out why destinations do not accept events.
    public static let journalFull = DropReason(rawValue: "journal_full")

    /// The device has no free storage.
    ///
    /// Cause: The event could not be written because both the volume and the memory buffer are full.
    ///
    /// Remedy: Free some space on the device.
    public static let storageFull = DropReason(rawValue: "storage_full")

    /// The device's storage failed.
    ///
    /// Cause: The event could not be written because of an input or output error, or because no file could be opened.
    ///
    /// Remedy: Check that the storage folder exists and is writable, and check the limit on open files.
    public static let storageFailed = DropReason(rawValue: "storage_failed")

    /// The storage was not available yet.
    ///
    /// Cause: The device had not been unlocked since its start, and the process ended before that or its memory buffer
    /// was full.
    ///
    /// Remedy: Record fewer events before the device is unlocked.
    public static let storageAwaited = DropReason(rawValue: "storage_awaited")

    /// The storage folder was removed.
    ///
    /// Cause: The folder with pending events was removed while the app was running.
    ///
    /// Remedy: Do not remove the storage folder while the app runs.
    public static let storageRemoved = DropReason(rawValue: "storage_removed")

    /// The back end rejected the event.
    ///
    /// Cause: The destination's back end found the event itself invalid and will never accept it.
    ///
    /// Remedy: Correct what the diagnostic `event_refused` names; the event is kept as a dead letter.
    public static let rejected = DropReason(rawValue: "rejected")

    /// All delivery attempts failed.
    ///
    /// Cause: The limit in the destination's `DeliveryPolicy.attempts` was reached.
    ///
    /// Remedy: Check that the back end accepts requests, or allow more attempts.
    public static let attemptsExhausted = DropReason(rawValue: "attempts_exhausted")

    /// The event is too large.
    ///
    /// Cause: The event is larger than the back end or a journal segment accepts.
    ///
    /// Remedy: Record smaller events.
    public static let tooLarge = DropReason(rawValue: "too_large")

    /// The destination's format cannot express the event.
    ///
    /// Cause: The format does not support this kind of event, or the event lacks a part that the format requires.
    ///
    /// Remedy: Record the required parts, or send the event to other destinations only.
    public static let notExpressible = DropReason(rawValue: "not_expressible")

    /// The installation was erased.
    ///
    /// Cause: `Analytics.erase` was called while the event was pending.
    ///
    /// Remedy: None.
    public static let erased = DropReason(rawValue: "erased")

    /// Consent was denied.
    ///
    /// Cause: The user denied consent for the destination's category, or the app denied it for the device.
    ///
    /// Remedy: None.
    public static let consentDenied = DropReason(rawValue: "consent_denied")

    /// The user left without deciding on consent.
    ///
    /// Cause: The event was held until a decision, and the user signed out or was replaced before making one.
    ///
    /// Remedy: Ask for consent earlier.
    public static let consentUndecided = DropReason(rawValue: "consent_undecided")

    /// The SDK was disabled.
    ///
    /// Cause: The event was recorded while the SDK was disabled.
    ///
    /// Remedy: Set `Analytics.isEnabled` to true to record again.
    public static let disabled = DropReason(rawValue: "disabled")

    /// The destination was removed.
    ///
    /// Cause: The destination is no longer configured, or was removed at run time, while the event was pending.
    ///
    /// Remedy: None.
    public static let destinationRemoved = DropReason(rawValue: "destination_removed")

    /// The journal was closed.
    ///
    /// Cause: The event was recorded after the journal had been closed.
    ///
    /// Remedy: Record events before the instance is released.
    public static let closed = DropReason(rawValue: "closed")

    /// A rule excludes the event from the destination.
    ///
    /// Cause: The app's `.deny` rule for the destination matches the event.
    ///
    /// Remedy: None.
    public static let deniedByRule = DropReason(rawValue: "denied_by_rule")

    /// The event is not in the sample.
    ///
    /// Cause: The app's `.sample` rule for the destination sends only a share of such events.
    ///
    /// Remedy: None.
    public static let sampledOut = DropReason(rawValue: "sampled_out")

    /// The event is missing without a known reason.
    ///
    /// Cause: A sender's sequence numbers have a gap for which the sender gave no reason.
    ///
    /// Remedy: Check whether a storage folder was copied, restored or removed.
    package static let unaccounted = DropReason(rawValue: "unaccounted")
}
