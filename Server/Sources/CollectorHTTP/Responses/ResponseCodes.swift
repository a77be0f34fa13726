// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore

/// The codes that only HTTP responses use.
extension ResponseCode {
    // MARK: Requests

    /// A parameter is invalid.
    ///
    /// Status: 400.
    ///
    /// Cause: A parameter of the query or path is unknown, missing or invalid.
    ///
    /// Remedy: Correct the parameter that `field` names.
    static let malformedQuery = ResponseCode(rawValue: "malformed_query")

    /// The path or object does not exist.
    ///
    /// Status: 404.
    ///
    /// Cause: The path, or the object that it names, does not exist.
    ///
    /// Remedy: Correct the path; lists such as `/v1/boards` name existing objects.
    static let notFound = ResponseCode(rawValue: "not_found")

    /// The path does not support the method.
    ///
    /// Status: 405.
    ///
    /// Cause: The path exists, but not for this method.
    ///
    /// Remedy: Use a method that the `Allow` header lists.
    static let methodNotAllowed = ResponseCode(rawValue: "method_not_allowed")

    /// The length of the body is missing.
    ///
    /// Status: 411.
    ///
    /// Cause: The request has neither `Content-Length` nor chunked encoding.
    ///
    /// Remedy: Send one of them.
    static let lengthRequired = ResponseCode(rawValue: "length_required")

    /// The body arrived too slowly.
    ///
    /// Status: 408.
    ///
    /// Cause: The body did not arrive before the deadline.
    ///
    /// Remedy: Send the batch again, in smaller requests if the network is slow.
    static let slowBody = ResponseCode(rawValue: "slow_body")

    /// The host name is not allowed.
    ///
    /// Status: 421.
    ///
    /// Cause: The collector serves only this machine, and the request names another host.
    ///
    /// Remedy: Allow the name with `--allow-host`, or require keys with `--read-key always`.
    static let wrongHost = ResponseCode(rawValue: "wrong_host")

    /// The request is not from this machine.
    ///
    /// Status: 403.
    ///
    /// Cause: The collector was started with `--ephemeral`, and the request is from another machine or a proxy.
    ///
    /// Remedy: Send from this machine, without a proxy.
    static let notLocal = ResponseCode(rawValue: "not_local")

    /// The origin of the web page is not allowed.
    ///
    /// Status: 403.
    ///
    /// Cause: A web page from an origin that is not allowed sent the request.
    ///
    /// Remedy: Allow the origin with `--allow-origin` or `--allow-read-origin`; change boards and alerts on the
    /// collector's page.
    static let originRefused = ResponseCode(rawValue: "origin_refused")

    // MARK: Vendor formats

    /// The request names no app.
    ///
    /// Status: 403.
    ///
    /// Cause: The query of `/collect` has no `appId`.
    ///
    /// Remedy: Send `/collect?appId=…`.
    static let accountMissing = ResponseCode(rawValue: "account_missing")

    /// The account name is invalid.
    ///
    /// Status: 404.
    ///
    /// Cause: The account in a Sift path is not a valid name.
    ///
    /// Remedy: Use 1 to 128 letters, digits, dots, underscores or hyphens.
    static let accountInvalid = ResponseCode(rawValue: "account_invalid")

    /// The application name is invalid.
    ///
    /// Status: 404.
    ///
    /// Cause: The application in an SAP path is not a valid name.
    ///
    /// Remedy: Use 1 to 128 letters, digits, dots, underscores or hyphens.
    static let applicationInvalid = ResponseCode(rawValue: "application_invalid")

    /// The application has no key.
    ///
    /// Status: 404.
    ///
    /// Cause: No key was created for the application in an SAP path.
    ///
    /// Remedy: Create a key with `trackway keys create NAME --sap-application …`.
    static let applicationUnknown = ResponseCode(rawValue: "application_unknown")

    /// The usage policy is off.
    ///
    /// Status: 403.
    ///
    /// Cause: The usage policy of the SAP application does not accept reports.
    ///
    /// Remedy: Turn it on with `trackway sap-policy set … --collect on`.
    static let policyOff = ResponseCode(rawValue: "policy_off")

    // MARK: Queries

    /// The index is incomplete.
    ///
    /// Status: 503.
    ///
    /// Cause: The index has not read all received events.
    ///
    /// Remedy: Retry after the time in `Retry-After`; if the error persists, fix the cause that the message names.
    static let indexBehind = ResponseCode(rawValue: "index_behind")

    /// The index cannot be queried.
    ///
    /// Status: 503.
    ///
    /// Cause: The index cannot be opened or read.
    ///
    /// Remedy: Retry after the time in `Retry-After`; if the error persists, fix the cause that the message names.
    static let indexUnavailable = ResponseCode(rawValue: "index_unavailable")

    /// ClickHouse cannot be queried.
    ///
    /// Status: 503.
    ///
    /// Cause: In a cluster, ClickHouse does not respond or cannot run the query.
    ///
    /// Remedy: Retry after the time in `Retry-After`; if the error persists, repair ClickHouse.
    static let analysisUnavailable = ResponseCode(rawValue: "analysis_unavailable")

    /// The query is too large.
    ///
    /// Status: 422.
    ///
    /// Cause: The query exceeds a limit on time, memory or events.
    ///
    /// Remedy: Choose a shorter time range, or change the parameter that `field` names.
    static let questionTooLarge = ResponseCode(rawValue: "question_too_large")

    /// A condition names a cohort that does not exist.
    ///
    /// Status: 422.
    ///
    /// Cause: No cohort has the name in `where`; it may have been removed.
    ///
    /// Remedy: Choose a cohort that `GET /v1/cohorts` lists, or quote the name of an attribute: `"cohort"=…`.
    static let unknownCohort = ResponseCode(rawValue: "unknown_cohort")

    /// The analysis store does not support this query.
    ///
    /// Status: 501.
    ///
    /// Cause: Values of people, cohorts and groups are not available in queries that ClickHouse answers.
    ///
    /// Remedy: Leave out the parameter that `field` names, or query a collector on one machine.
    static let queryUnsupported = ResponseCode(rawValue: "query_unsupported")

    /// Too many queries are running.
    ///
    /// Status: 503.
    ///
    /// Cause: The maximum number of queries is already running.
    ///
    /// Remedy: Retry after the time in `Retry-After`.
    static let tooManyQuestions = ResponseCode(rawValue: "too_many_questions")

    /// Too many streams are open.
    ///
    /// Status: 503.
    ///
    /// Cause: The maximum number of event streams is already open.
    ///
    /// Remedy: Close a stream, or retry after the time in `Retry-After`.
    static let tooManyFollowers = ResponseCode(rawValue: "too_many_followers")

    /// Too many expectations are waiting.
    ///
    /// Status: 503.
    ///
    /// Cause: The maximum number of expectations is already waiting.
    ///
    /// Remedy: Retry after the time in `Retry-After`.
    static let tooManyExpectations = ResponseCode(rawValue: "too_many_expectations")

    /// Too many exports are running.
    ///
    /// Status: 503.
    ///
    /// Cause: Two exports of people's data are already running.
    ///
    /// Remedy: Retry after the time in `Retry-After`.
    static let exportsRunning = ResponseCode(rawValue: "exports_running")

    /// A replay is running.
    ///
    /// Status: 503.
    ///
    /// Cause: Another replay of rejected events is running.
    ///
    /// Remedy: Retry after the time in `Retry-After`.
    static let replayRunning = ResponseCode(rawValue: "replay_running")

    /// The intake log cannot be read.
    ///
    /// Status: 503.
    ///
    /// Cause: A replay could not read a record of the intake log.
    ///
    /// Remedy: Retry after the time in `Retry-After`; if the error persists, check the disk.
    static let logUnreadable = ResponseCode(rawValue: "log_unreadable")

    // MARK: Intake

    /// The collector is overloaded.
    ///
    /// Status: 503.
    ///
    /// Cause: Too many batches are waiting for the disk or NATS, or too many bodies are in memory.
    ///
    /// Remedy: Send the batch again after the time in `Retry-After`.
    static let busy = ResponseCode(rawValue: "busy")

    /// The disk is full.
    ///
    /// Status: 503.
    ///
    /// Cause: The disk has no space for the batch.
    ///
    /// Remedy: Free some space; the collector recovers automatically.
    static let diskFull = ResponseCode(rawValue: "disk_full")

    /// The disk is almost full.
    ///
    /// Status: 503.
    ///
    /// Cause: The free space is below the reserve of the collector.
    ///
    /// Remedy: Free some space; the collector recovers automatically.
    static let diskLow = ResponseCode(rawValue: "disk_low")

    /// The batch could not be stored.
    ///
    /// Status: 503.
    ///
    /// Cause: The disk failed to store the batch; the next one may succeed.
    ///
    /// Remedy: Send the batch again after the time in `Retry-After`; if the error persists, check the disk.
    static let storage = ResponseCode(rawValue: "storage")

    /// The intake has stopped.
    ///
    /// Status: 503.
    ///
    /// Cause: A flush to the disk failed, or the cluster's stream lost records or was recreated.
    ///
    /// Remedy: Find and fix the cause, then restart the collector.
    static let stopped = ResponseCode(rawValue: "stopped")

    /// The collector is shutting down.
    ///
    /// Status: 503.
    ///
    /// Cause: The collector is shutting down.
    ///
    /// Remedy: Retry after the time in `Retry-After`.
    static let closing = ResponseCode(rawValue: "closing")

    /// NATS is unavailable.
    ///
    /// Status: 503.
    ///
    /// Cause: NATS has no majority, or does not respond.
    ///
    /// Remedy: Repair the NATS servers; the collector recovers automatically.
    static let engineUnavailable = ResponseCode(rawValue: "engine_unavailable")

    /// The stream is full.
    ///
    /// Status: 503.
    ///
    /// Cause: The cluster's stream reached its maximum size.
    ///
    /// Remedy: Purge the stream, or raise `max_bytes`.
    static let engineFull = ResponseCode(rawValue: "engine_full")

    /// NATS may lose records.
    ///
    /// Status: 503.
    ///
    /// Cause: A NATS server is not proven to keep acknowledged records through power loss.
    ///
    /// Remedy: Correct the setting that the message names.
    static let engineNotDurable = ResponseCode(rawValue: "engine_not_durable")

    /// The stream is misconfigured.
    ///
    /// Status: 503.
    ///
    /// Cause: The settings of the cluster's stream do not accept the record.
    ///
    /// Remedy: Correct the setting that the message names.
    static let engineMisconfigured = ResponseCode(rawValue: "engine_misconfigured")

    // MARK: Boards and alerts

    /// The board is invalid.
    ///
    /// Status: 422.
    ///
    /// Cause: A member of the board, or a query of a card, is invalid.
    ///
    /// Remedy: Correct the member that `field` names.
    static let malformedBoard = ResponseCode(rawValue: "malformed_board")

    /// The board has a newer version.
    ///
    /// Status: 409.
    ///
    /// Cause: The board was changed after the version that the request is based on.
    ///
    /// Remedy: Read the board, and repeat the change with its new version.
    static let boardChanged = ResponseCode(rawValue: "board_changed")

    /// The board is built in.
    ///
    /// Status: 409.
    ///
    /// Cause: The board is built in, and cannot be changed.
    ///
    /// Remedy: Create your own board with its cards.
    static let boardReadyMade = ResponseCode(rawValue: "board_ready_made")

    /// There is no space for more boards.
    ///
    /// Status: 422.
    ///
    /// Cause: The boards have reached their maximum number or size.
    ///
    /// Remedy: Delete boards that are not needed.
    static let boardsFull = ResponseCode(rawValue: "boards_full")

    /// The boards cannot be read or saved.
    ///
    /// Status: 503.
    ///
    /// Cause: The file with the boards cannot be read or written.
    ///
    /// Remedy: Check the free space and the permissions of the file that the message names.
    static let boardsUnavailable = ResponseCode(rawValue: "boards_unavailable")

    /// The alert is invalid.
    ///
    /// Status: 422.
    ///
    /// Cause: A member of the alert is invalid.
    ///
    /// Remedy: Correct the member that `field` names.
    static let malformedAlert = ResponseCode(rawValue: "malformed_alert")

    /// The alert has a newer version.
    ///
    /// Status: 409.
    ///
    /// Cause: The alert was changed after the version that the request is based on.
    ///
    /// Remedy: Read the alert, and repeat the change with its new version.
    static let alertChanged = ResponseCode(rawValue: "alert_changed")

    /// There is no space for more alerts.
    ///
    /// Status: 422.
    ///
    /// Cause: The alerts have reached their maximum number or size.
    ///
    /// Remedy: Delete alerts that are not needed.
    static let alertsFull = ResponseCode(rawValue: "alerts_full")

    /// The alerts cannot be read or saved.
    ///
    /// Status: 503.
    ///
    /// Cause: The file with the alerts cannot be read or written.
    ///
    /// Remedy: Check the free space and the permissions of the file that the message names.
    static let alertsUnavailable = ResponseCode(rawValue: "alerts_unavailable")

    /// The cohort is malformed.
    ///
    /// Status: 422.
    ///
    /// Cause: A member of the cohort is invalid.
    ///
    /// Remedy: Correct the member that `field` names.
    static let malformedCohort = ResponseCode(rawValue: "malformed_cohort")

    /// No more cohorts can be saved.
    ///
    /// Status: 422.
    ///
    /// Cause: The cohorts have reached their maximum number or size.
    ///
    /// Remedy: Remove cohorts that are not needed.
    static let cohortsFull = ResponseCode(rawValue: "cohorts_full")

    /// The cohorts cannot be read or saved.
    ///
    /// Status: 503.
    ///
    /// Cause: The file with the cohorts cannot be read or written.
    ///
    /// Remedy: Check the free space and the permissions of the file that the message names.
    static let cohortsUnavailable = ResponseCode(rawValue: "cohorts_unavailable")

    /// Too many test messages are being sent.
    ///
    /// Status: 503.
    ///
    /// Cause: The maximum number of test messages is already being sent.
    ///
    /// Remedy: Retry after the time in `Retry-After`.
    static let tooManyTrials = ResponseCode(rawValue: "too_many_trials")

    /// Users cannot be erased here.
    ///
    /// Status: 501.
    ///
    /// Cause: The collector belongs to a cluster, and has an index or no erasure key.
    ///
    /// Remedy: Run all collectors of the cluster with `--no-index` and `--erasure-key`.
    static let erasureUnavailable = ResponseCode(rawValue: "erasure_unavailable")

    /// The users cannot be merged.
    ///
    /// Status: 409.
    ///
    /// Cause: The user is already merged into another one, the merge would form a cycle, or one of the users was erased.
    ///
    /// Remedy: Undo the other merge first with `trackway users unmerge`.
    static let mergeRefused = ResponseCode(rawValue: "merge_refused")
}
