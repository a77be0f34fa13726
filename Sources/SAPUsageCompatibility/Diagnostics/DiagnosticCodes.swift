// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

extension Diagnostic.Code {
    /// A store is already in use.
    ///
    /// Cause: `configure(with:)` was called a second time; the first store stays in use.
    ///
    /// Remedy: Call `configure(with:)` once, when the app starts.
    public static let usageConfiguredTwice = Diagnostic.Code(rawValue: "usage_configured_twice", severity: .warning)

    /// No store is configured.
    ///
    /// Cause: A call that needs a store was made before `configure(with:)`.
    ///
    /// Remedy: Call `configure(with:)` first.
    public static let usageNotConfigured = Diagnostic.Code(rawValue: "usage_not_configured", severity: .error)

    /// An invalid reporter was used.
    ///
    /// Cause: The reporter was never registered, was unregistered, or was replaced; the report was not stored.
    ///
    /// Remedy: Get a reporter from `Usage.shared`, or register it.
    public static let usageReporterInvalid = Diagnostic.Code(rawValue: "usage_reporter_invalid", severity: .error)

    /// Withheld records were dropped.
    ///
    /// Cause: Records that cannot be uploaded exceed their size limit, so the oldest were dropped.
    ///
    /// Remedy: Start with `SAPcpmsUsage.sessionStart`, or remove such records by date.
    public static let usageWithheldFull = Diagnostic.Code(rawValue: "usage_withheld_full", severity: .error)

    /// A record's info has an invalid value.
    ///
    /// Cause: A value in a record's info has no JSON form; the record was stored without it.
    ///
    /// Remedy: Use strings, finite numbers, Booleans, `NSNull`, and arrays and dictionaries of these.
    public static let usageInfoInvalid = Diagnostic.Code(rawValue: "usage_info_invalid", severity: .warning)

    /// A record was not stored.
    ///
    /// Cause: The record cannot be encoded, or the store could not accept it.
    ///
    /// Remedy: Correct the values that the message names.
    public static let usageRecordRefused = Diagnostic.Code(rawValue: "usage_record_refused", severity: .error)

    /// A store's state is damaged.
    ///
    /// Cause: A store's state file cannot be decoded; records removed from the middle of the log are present again.
    ///
    /// Remedy: None.
    public static let usageStateDamaged = Diagnostic.Code(rawValue: "usage_state_damaged", severity: .warning)

    /// A store's state could not be saved.
    ///
    /// Cause: The folder cannot be written, so a removal, a decision or an upload time was not saved.
    ///
    /// Remedy: Make the folder writable, and repeat the call.
    public static let usageStateNotKept = Diagnostic.Code(rawValue: "usage_state_not_kept", severity: .error)

    /// A range of dates is empty.
    ///
    /// Cause: The range ends before it begins, so nothing was removed.
    ///
    /// Remedy: Use an `after` that is not later than `before`.
    public static let usageRangeEmpty = Diagnostic.Code(rawValue: "usage_range_empty", severity: .error)

    /// An upload failed.
    ///
    /// Cause: An upload ended with an error; the records that the back end accepted were removed, and all others are
    /// stored.
    ///
    /// Remedy: Upload again later.
    public static let usageUploadFailed = Diagnostic.Code(rawValue: "usage_upload_failed", severity: .warning)

    /// Records were withheld from an upload.
    ///
    /// Cause: Records lack fields that the format requires, are too large, or belong to another application; they
    /// remain stored.
    ///
    /// Remedy: Start with `SAPcpmsUsage.sessionStart`, or remove such records by date.
    public static let usageRecordsWithheld = Diagnostic.Code(rawValue: "usage_records_withheld", severity: .error)

    /// Another broker was started.
    ///
    /// Cause: Only the most recently started broker is active; the previous one was stopped.
    ///
    /// Remedy: Stop the previous broker first.
    public static let usageBrokerReplaced = Diagnostic.Code(rawValue: "usage_broker_replaced", severity: .warning)

    /// An upload interval was clamped.
    ///
    /// Cause: `UsageBroker.uploadInterval` is outside its range and was replaced by the nearest valid value.
    ///
    /// Remedy: Use a value within the range.
    public static let usageIntervalAdjusted = Diagnostic.Code(rawValue: "usage_interval_adjusted", severity: .warning)
}

extension DropReason {
    /// The report was made before a store was configured.
    ///
    /// Cause: A report was made before `configure(with:)`.
    ///
    /// Remedy: Call `configure(with:)` first.
    public static let usageNotConfigured = DropReason(rawValue: "not_configured")

    /// The report came from an invalid reporter.
    ///
    /// Cause: The reporter was never registered, was unregistered, or was replaced.
    ///
    /// Remedy: Get a reporter from `Usage.shared`, or register it.
    public static let usageReporterInvalid = DropReason(rawValue: "reporter_invalid")

    /// Too many records cannot be uploaded.
    ///
    /// Cause: Records that cannot be uploaded exceed their size limit, so the oldest were dropped.
    ///
    /// Remedy: Start with `SAPcpmsUsage.sessionStart`, or remove such records by date.
    public static let usageWithheldFull = DropReason(rawValue: "withheld_full")
}
