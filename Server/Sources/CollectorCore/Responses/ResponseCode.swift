// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The machine-readable reason in an error response, a rejection or a warning.
///
/// A code is a stable name: its meaning never changes. `Scripts/generate-codes` copies the definitions to
/// Documentation/Diagnostics.md and checks that no other file contains a code as a literal.
public struct ResponseCode: RawRepresentable, Sendable, Hashable {
    /// The code as clients receive it.
    public let rawValue: String

    /// Creates a code, such as one that was read from a record.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension ResponseCode {
    // MARK: Keys and limits

    /// The request has no key.
    ///
    /// Status: 401.
    ///
    /// Cause: The request has no `Authorization` header with a key.
    ///
    /// Remedy: Send `Authorization: Bearer <key>`; create a key with `trackway keys create`.
    public static let keyMissing = ResponseCode(rawValue: "key_missing")

    /// The key is unknown.
    ///
    /// Status: 401.
    ///
    /// Cause: The key was never created, or was revoked.
    ///
    /// Remedy: Send a key that `trackway keys list` shows, or create one.
    public static let keyUnknown = ResponseCode(rawValue: "key_unknown")

    /// The key lacks a scope.
    ///
    /// Status: 403.
    ///
    /// Cause: The key lacks the scope for the request: `write` to send events, `read` to query, both to change stored
    /// data.
    ///
    /// Remedy: Use a key with the scope that the message names.
    public static let keyForbidden = ResponseCode(rawValue: "key_forbidden")

    /// The key sends too many requests.
    ///
    /// Status: 429.
    ///
    /// Cause: The key exceeded its limit of requests per second.
    ///
    /// Remedy: Retry after the time in `Retry-After`, or raise the limit with `--rate` or `--key-rate`.
    public static let keyRate = ResponseCode(rawValue: "key_rate")

    /// The key sent too many events.
    ///
    /// Status: 429.
    ///
    /// Cause: The key reached its limit of events per day.
    ///
    /// Remedy: Send the rest after the time in `Retry-After`, or raise the limit with `--events-per-day` or
    /// `--key-events-per-day`.
    public static let keyQuota = ResponseCode(rawValue: "key_quota")

    /// The app or project has no key.
    ///
    /// Status: 403.
    ///
    /// Cause: No key was created for the app or project in the request.
    ///
    /// Remedy: Create a key with the option that the message names.
    public static let accountUnknown = ResponseCode(rawValue: "account_unknown")

    /// The key belongs to another account.
    ///
    /// Status: 403.
    ///
    /// Cause: The key was created for a different app, project, account or application.
    ///
    /// Remedy: Use that account's key, or create one with the option that the message names.
    public static let accountForbidden = ResponseCode(rawValue: "account_forbidden")

    /// The address sends too many requests.
    ///
    /// Status: 429.
    ///
    /// Cause: The client's address exceeded its limit of requests per second.
    ///
    /// Remedy: Retry after the time in `Retry-After`, raise `--address-rate`, or declare proxies with
    /// `--trusted-proxy`.
    public static let addressRate = ResponseCode(rawValue: "address_rate")

    /// Too many installations were erased.
    ///
    /// Status: 429.
    ///
    /// Cause: The key or the address erased too many installations in a short time; the batch was not stored.
    ///
    /// Remedy: Send the batch again after the time in `Retry-After`.
    public static let erasureRate = ResponseCode(rawValue: "erasure_rate")

    // MARK: Bodies

    /// The content encoding is unsupported.
    ///
    /// Status: 415.
    ///
    /// Cause: `Content-Encoding` is neither `gzip` nor `identity`.
    ///
    /// Remedy: Send gzip, or no encoding.
    public static let unsupportedEncoding = ResponseCode(rawValue: "unsupported_encoding")

    /// The content type is unsupported.
    ///
    /// Status: 415.
    ///
    /// Cause: `Content-Type` is not a JSON or text type.
    ///
    /// Remedy: Send `application/x-ndjson` or `application/json`.
    public static let unsupportedType = ResponseCode(rawValue: "unsupported_type")

    /// The body is gzip without a declaration.
    ///
    /// Status: 400.
    ///
    /// Cause: The body is gzip, but the request does not declare it.
    ///
    /// Remedy: Send `Content-Encoding: gzip`.
    public static let wrongEncoding = ResponseCode(rawValue: "wrong_encoding")

    /// The body is too large.
    ///
    /// Status: 413.
    ///
    /// Cause: The body, as sent, exceeds the maximum number of bytes.
    ///
    /// Remedy: Send fewer events per request.
    public static let wireTooLarge = ResponseCode(rawValue: "wire_too_large")

    /// The compressed body is too large.
    ///
    /// Status: 413.
    ///
    /// Cause: The compressed content exceeds the maximum number of bytes.
    ///
    /// Remedy: Send fewer events per request.
    public static let gzipWireTooLarge = ResponseCode(rawValue: "gzip_wire_too_large")

    /// The decompressed body is too large.
    ///
    /// Status: 413.
    ///
    /// Cause: The body decompresses to more than the maximum number of bytes.
    ///
    /// Remedy: Send fewer events per request.
    public static let gzipInflatedTooLarge = ResponseCode(rawValue: "gzip_inflated_too_large")

    /// The body expands too much.
    ///
    /// Status: 413.
    ///
    /// Cause: The body decompresses to more than the maximum multiple of its size.
    ///
    /// Remedy: Send fewer events per request, or send them uncompressed.
    public static let gzipRatioTooHigh = ResponseCode(rawValue: "gzip_ratio_too_high")

    /// The gzip data is incomplete.
    ///
    /// Status: 400.
    ///
    /// Cause: The body ends before its gzip data does.
    ///
    /// Remedy: Send the complete body.
    public static let gzipTruncated = ResponseCode(rawValue: "gzip_truncated")

    /// The gzip data is damaged.
    ///
    /// Status: 400.
    ///
    /// Cause: The body is not gzip, or its checksum is wrong.
    ///
    /// Remedy: Compress the body again, or correct `Content-Encoding`.
    public static let gzipDamaged = ResponseCode(rawValue: "gzip_damaged")

    /// Other bytes follow the gzip data.
    ///
    /// Status: 400.
    ///
    /// Cause: The gzip data is followed by bytes that are not gzip.
    ///
    /// Remedy: Send only gzip data.
    public static let gzipTrailingGarbage = ResponseCode(rawValue: "gzip_trailing_garbage")

    /// There is not enough memory for decompression.
    ///
    /// Status: 400.
    ///
    /// Cause: The collector has too little memory to decompress the body.
    ///
    /// Remedy: Give the collector more memory, and send the batch again.
    public static let gzipOutOfMemory = ResponseCode(rawValue: "gzip_out_of_memory")

    /// The body is not base64.
    ///
    /// Status: 400.
    ///
    /// Cause: The body of a vendor format is neither JSON nor base64 text.
    ///
    /// Remedy: Send JSON, or its base64 text.
    public static let malformedBase64 = ResponseCode(rawValue: "malformed_base64")

    /// The JSON is invalid.
    ///
    /// Status: 400, 413; 200, per event.
    ///
    /// Cause: The body, or an event of a vendor format, is not valid JSON, or is longer than allowed (413).
    ///
    /// Remedy: Correct the JSON at the offset that the message names.
    public static let malformedJSON = ResponseCode(rawValue: "malformed_json")

    /// The batch header is invalid.
    ///
    /// Status: 400.
    ///
    /// Cause: The `batch` line is unreadable, has sequence numbers without an installation and writer, or has numbers
    /// that are too high.
    ///
    /// Remedy: Correct the member that `field` names.
    public static let malformedHeader = ResponseCode(rawValue: "malformed_header")

    /// A context line is invalid.
    ///
    /// Status: 400, 413.
    ///
    /// Cause: A `context` line is not a JSON object, or is longer than allowed (413).
    ///
    /// Remedy: Send an object, or a smaller one.
    public static let malformedContext = ResponseCode(rawValue: "malformed_context")

    /// The sequence numbers do not match the events.
    ///
    /// Status: 400.
    ///
    /// Cause: The batch has more or fewer events than its header has sequence numbers.
    ///
    /// Remedy: Send one event for each number from `first` to `last` that is not skipped or dropped.
    public static let sequenceMismatch = ResponseCode(rawValue: "sequence_mismatch")

    /// The body has no events.
    ///
    /// Status: 400.
    ///
    /// Cause: The body is empty, or contains no events.
    ///
    /// Remedy: Send at least one event.
    public static let emptyBatch = ResponseCode(rawValue: "empty_batch")

    /// The body has too many events.
    ///
    /// Status: 413.
    ///
    /// Cause: The body has more events than one request may have.
    ///
    /// Remedy: Send fewer events per request.
    public static let tooManyEvents = ResponseCode(rawValue: "too_many_events")

    /// The checksum is wrong.
    ///
    /// Status: 400, 503.
    ///
    /// Cause: The form's `crc` differs from the checksum of its data: 503 from `/sa`, 400 from `/debug`.
    ///
    /// Remedy: Send the body again; if the error persists, correct `crc`.
    public static let crcMismatch = ResponseCode(rawValue: "crc_mismatch")

    /// The hash is wrong.
    ///
    /// Status: 400.
    ///
    /// Cause: The `hashCode` of the query differs from the hash of the body.
    ///
    /// Remedy: Send the body again; if the error persists, correct `hashCode`.
    public static let hashMismatch = ResponseCode(rawValue: "hash_mismatch")

    /// The events are encrypted.
    ///
    /// Status: 403.
    ///
    /// Cause: The events of a Sensors Analytics body are encrypted, and the collector has no key.
    ///
    /// Remedy: Turn off encryption in the client or in its remote configuration.
    public static let encrypted = ResponseCode(rawValue: "encrypted")

    /// The request names two applications.
    ///
    /// Status: 409.
    ///
    /// Cause: The path names two applications, or the report is for a different one than the path names.
    ///
    /// Remedy: Send the report to the path of its application.
    public static let applicationMismatch = ResponseCode(rawValue: "application_mismatch")

    /// The report is for another device.
    ///
    /// Status: 409.
    ///
    /// Cause: The report is for a different device than the path names.
    ///
    /// Remedy: Send the report to the path of its device.
    public static let deviceMismatch = ResponseCode(rawValue: "device_mismatch")

    // MARK: Events

    /// A required member is missing.
    ///
    /// Status: 400; 200, per event.
    ///
    /// Cause: An event or a body lacks the member that `field` names.
    ///
    /// Remedy: Send the member.
    public static let fieldMissing = ResponseCode(rawValue: "field_missing")

    /// A member is invalid.
    ///
    /// Status: 400; 200, per event.
    ///
    /// Cause: The member that `field` names has the wrong type or an invalid value.
    ///
    /// Remedy: Send a value of the type that the message names.
    public static let fieldInvalid = ResponseCode(rawValue: "field_invalid")

    /// Two members are mutually exclusive.
    ///
    /// Status: 200, per event.
    ///
    /// Cause: A Sift event has both `ios_app_state` and `ios_device_properties`.
    ///
    /// Remedy: Send two events.
    public static let fieldConflict = ResponseCode(rawValue: "field_conflict")

    /// The event is too large.
    ///
    /// Status: 413; 200, per event.
    ///
    /// Cause: An event exceeds the maximum number of bytes.
    ///
    /// Remedy: Send a smaller event.
    public static let eventTooLarge = ResponseCode(rawValue: "event_too_large")

    /// The context of an event is too large.
    ///
    /// Status: 200, per event.
    ///
    /// Cause: The app, device and user data of a vendor event exceeds the maximum number of bytes.
    ///
    /// Remedy: Send less data about the app, the device and the user.
    public static let contextTooLarge = ResponseCode(rawValue: "context_too_large")

    /// The event has too many attributes.
    ///
    /// Status: 200, per event.
    ///
    /// Cause: An event has more than the maximum number of attributes or members.
    ///
    /// Remedy: Send fewer attributes.
    public static let tooManyAttributes = ResponseCode(rawValue: "too_many_attributes")

    /// The event is for another app.
    ///
    /// Status: 200, per event.
    ///
    /// Cause: The `app_id` of a Clickstream event differs from the `appId` of the request.
    ///
    /// Remedy: Send the event in a request for its app.
    public static let appMismatch = ResponseCode(rawValue: "app_mismatch")

    /// The key does not allow the event's project.
    ///
    /// Status: 200, per event.
    ///
    /// Cause: A Sensors Analytics record names a project that the request's key does not allow.
    ///
    /// Remedy: Send the record to its project, or create a key for both with `--sensors-project`.
    public static let projectUnknown = ResponseCode(rawValue: "project_unknown")

    /// The type of the record is unknown.
    ///
    /// Status: 400; 200, per event.
    ///
    /// Cause: The `type` of a Sensors Analytics record is not a type of the format.
    ///
    /// Remedy: Send a type of the format, such as `track`.
    public static let typeUnknown = ResponseCode(rawValue: "type_unknown")

    /// A name is empty.
    ///
    /// Status: 400; 200, per event.
    ///
    /// Cause: The name of an event is empty; 400 is the response of `/debug`.
    ///
    /// Remedy: Give the event a name.
    public static let nameEmpty = ResponseCode(rawValue: "name_empty")

    /// A name is too long.
    ///
    /// Status: 400; 200, per event.
    ///
    /// Cause: A name exceeds the maximum length; 400 is the response of `/debug`.
    ///
    /// Remedy: Use a shorter name.
    public static let nameTooLong = ResponseCode(rawValue: "name_too_long")

    /// A name is reserved.
    ///
    /// Status: 400.
    ///
    /// Cause: `/debug` found a name that Sensors Analytics reserves.
    ///
    /// Remedy: Use another name.
    public static let nameReserved = ResponseCode(rawValue: "name_reserved")

    /// A name has invalid characters.
    ///
    /// Status: 400.
    ///
    /// Cause: `/debug` found a name with characters that Sensors Analytics does not allow.
    ///
    /// Remedy: Use letters, digits, `_` and `$`, and no digit at the beginning.
    public static let nameInvalid = ResponseCode(rawValue: "name_invalid")

    /// A value has an unsupported type.
    ///
    /// Status: 400.
    ///
    /// Cause: `/debug` found a value of a type that Sensors Analytics does not support there.
    ///
    /// Remedy: Send a value of the type that the message names.
    public static let valueInvalid = ResponseCode(rawValue: "value_invalid")

    /// A string is too long.
    ///
    /// Status: 400; 200, per event.
    ///
    /// Cause: A string exceeds the maximum length; 400 is the response of `/debug`.
    ///
    /// Remedy: Send a shorter string.
    public static let valueTooLong = ResponseCode(rawValue: "value_too_long")

    /// The time is not in milliseconds.
    ///
    /// Status: 200, per event.
    ///
    /// Cause: The time of an event is in seconds, microseconds or nanoseconds.
    ///
    /// Remedy: Send milliseconds since 1970.
    public static let timeWrongUnit = ResponseCode(rawValue: "time_wrong_unit")

    /// The erasure has no valid proof.
    ///
    /// Status: 200, per event.
    ///
    /// Cause: An erasure event has no valid proof that it comes from the installation; nothing was erased.
    ///
    /// Remedy: Erase the installation with `trackway installations erase`.
    public static let erasureUnproved = ResponseCode(rawValue: "erasure_unproved")

    /// The installation was erased.
    ///
    /// Status: 200, per event.
    ///
    /// Cause: The event belongs to an erased installation, whose events are not stored.
    ///
    /// Remedy: Record events under a new installation.
    public static let installationErased = ResponseCode(rawValue: "installation_erased")

    /// The user was erased.
    ///
    /// Status: 200, per event.
    ///
    /// Cause: The event belongs to an erased user, whose events are not stored.
    ///
    /// Remedy: Give a person who signs up again a new user id.
    public static let userErased = ResponseCode(rawValue: "user_erased")

    /// A stored record is unreadable.
    ///
    /// Status: 200, in `/v1/failed`.
    ///
    /// Cause: A record of the intake log cannot be decoded; its first bytes are kept.
    ///
    /// Remedy: Check the disk, and report the bytes if the disk is intact.
    public static let unreadableRecord = ResponseCode(rawValue: "unreadable_record")

    // MARK: Warnings

    /// A member is not used.
    ///
    /// Status: 200, as a warning.
    ///
    /// Cause: An event or a body has a member that the collector does not read.
    ///
    /// Remedy: Send the data where the message says.
    public static let unreadMember = ResponseCode(rawValue: "unread_member")

    /// A member of the context has the wrong type.
    ///
    /// Status: 200, as a warning.
    ///
    /// Cause: A member of the context is not an object, or an `id` is not a string; it is not used.
    ///
    /// Remedy: Send an object, or a string.
    public static let wrongType = ResponseCode(rawValue: "wrong_type")

    /// The user ID is a placeholder.
    ///
    /// Status: 200, as a warning.
    ///
    /// Cause: The user's `id` is a placeholder for a missing one, such as `null`; the events count as signed out.
    ///
    /// Remedy: Leave the ID out while no user is signed in.
    public static let placeholderUserID = ResponseCode(rawValue: "placeholder_user_id")

    /// An alias merges nothing.
    ///
    /// Status: 200, as a warning.
    ///
    /// Cause: The IDs in an `_alias` event are missing, placeholders, too long or equal, or the batch has no installation.
    ///
    /// Remedy: Send the IDs of two different users, as text, in a batch with an installation.
    public static let ineffectiveAlias = ResponseCode(rawValue: "ineffective_alias")

    /// The time is before 2010.
    ///
    /// Status: 200, as a warning.
    ///
    /// Cause: The event's time is before 2010, so queries for recent days do not find it.
    ///
    /// Remedy: Correct the device's clock, or send milliseconds since 1970.
    public static let timeBefore2010 = ResponseCode(rawValue: "time_before_2010")

    /// The time is in the future.
    ///
    /// Status: 200, as a warning.
    ///
    /// Cause: The event's time is more than a day after its arrival.
    ///
    /// Remedy: Correct the device's clock.
    public static let timeAhead = ResponseCode(rawValue: "time_ahead")
}
