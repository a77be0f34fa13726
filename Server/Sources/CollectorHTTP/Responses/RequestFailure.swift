// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes

/// A failed request, whose response is `{"error":{"code","field","message"}}`.
struct RequestFailure: Error, Sendable {
    var status: HTTPResponse.Status
    var code: String
    var field = ""
    var message: String
    var retryAfter: Duration?
    /// Headers specific to this failure, such as `allow`.
    var headers: HTTPFields = [:]
    /// Whether the sender may delete its data.
    ///
    /// True if a retry would not make the data valid and the collector has stored the data.
    var allowsDeletion = false
    /// The name of the request's key.
    ///
    /// Nil if the key is missing or unknown.
    var key: String?

    init(
        status: HTTPResponse.Status,
        code: ResponseCode,
        field: String = "",
        message: String,
        retryAfter: Duration? = nil,
        headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code.rawValue
        self.field = field
        self.message = message
        self.retryAfter = retryAfter
        self.headers = headers
    }

    static func malformed(_ field: String, _ message: String) -> RequestFailure {
        RequestFailure(status: .badRequest, code: .malformedQuery, field: field, message: message)
    }

    /// Returns the failure for an index that has not read all received events.
    static func indexBehind(_ failureReason: String) -> RequestFailure {
        RequestFailure(
            status: .serviceUnavailable,
            code: .indexBehind,
            message: "\(failureReason) Batches are accepted and stored.",
            retryAfter: .seconds(5)
        )
    }

    static func notFound(_ message: String) -> RequestFailure {
        RequestFailure(status: .notFound, code: .notFound, message: message)
    }
}

extension RequestFailure {
    init(_ error: AdmissionError) {
        let status: HTTPResponse.Status =
            switch error.kind {
            case .malformed: .badRequest
            case .unauthorized: .unauthorized
            case .forbidden: .forbidden
            case .tooLarge: .contentTooLarge
            case .unsupported: .unsupportedMediaType
            case .limited: .tooManyRequests
            }
        self.init(
            status: status,
            code: ResponseCode(rawValue: error.code),
            field: error.field,
            message: error.message
        )
        key = error.key
        if case .limited(let wait) = error.kind { retryAfter = wait }
        if error.kind == .unauthorized { headers[.wwwAuthenticate] = "Bearer realm=\"trackway\"" }
    }

    init(_ error: IntakeError) {
        self.init(
            status: .serviceUnavailable,
            code: error.responseCode,
            message: error.message,
            retryAfter: error.retryAfter
        )
    }

    init(_ error: StoreError) {
        switch error.kind {
        case .unavailable:
            self.init(
                status: .serviceUnavailable,
                code: .indexUnavailable,
                message: "The index cannot be queried: \(error.message)",
                retryAfter: .seconds(5)
            )
        case .behind: self = .indexBehind(error.message)
        case .analysisUnavailable:
            self.init(
                status: .serviceUnavailable,
                code: .analysisUnavailable,
                message: error.message,
                retryAfter: .seconds(5)
            )
        case .overBudget(let parameter):
            self.init(
                status: .unprocessableContent,
                code: .questionTooLarge,
                field: parameter,
                message: error.message
            )
        case .unknownCohort:
            self.init(status: .unprocessableContent, code: .unknownCohort, field: "where", message: error.message)
        case .unsupported(let parameter):
            self.init(status: .notImplemented, code: .queryUnsupported, field: parameter, message: error.message)
        }
    }

    /// Creates the failure for an error of a saved object.
    ///
    /// - Parameter kind: The kind of saved object, which determines the error codes.
    init(_ error: SavedError, of kind: SavedObjectKind) {
        let (status, code): (HTTPResponse.Status, ResponseCode) =
            switch (error.kind, kind) {
            case (.malformed, .board): (.unprocessableContent, .malformedBoard)
            case (.malformed, .alert): (.unprocessableContent, .malformedAlert)
            case (.malformed, .cohort): (.unprocessableContent, .malformedCohort)
            case (.notFound, _): (.notFound, .notFound)
            case (.changed, .board): (.conflict, .boardChanged)
            // Cohorts have no versions.
            case (.changed, .alert), (.changed, .cohort): (.conflict, .alertChanged)
            // Only boards can be built in.
            case (.builtIn, _): (.conflict, .boardReadyMade)
            case (.full, .board): (.unprocessableContent, .boardsFull)
            case (.full, .alert): (.unprocessableContent, .alertsFull)
            case (.full, .cohort): (.unprocessableContent, .cohortsFull)
            case (.unavailable, .board): (.serviceUnavailable, .boardsUnavailable)
            case (.unavailable, .alert): (.serviceUnavailable, .alertsUnavailable)
            case (.unavailable, .cohort): (.serviceUnavailable, .cohortsUnavailable)
            }
        self.init(status: status, code: code, field: error.field, message: error.message)
        if error.kind == .unavailable { retryAfter = .seconds(30) }
    }

    init(_ error: InvalidQueryError) {
        self = .malformed(error.field, error.message)
    }
}

extension RequestFailure {
    /// Returns the failure with a status that makes clients keep their events.
    ///
    /// Clients of Sensors Analytics delete their events after any status except 403, 404, and 5xx.
    func keepingEvents() -> RequestFailure {
        guard !allowsDeletion, status.kind != .serverError, status != .forbidden, status != .notFound else {
            return self
        }
        var failure = self
        switch status {
        case .requestTimeout, .tooManyRequests:
            failure.status = .serviceUnavailable
            failure.retryAfter = retryAfter ?? .seconds(1)
        default: failure.status = .forbidden
        }
        return failure
    }
}

extension IntakeError {
    /// The code of the response to a batch that could not be committed.
    fileprivate var responseCode: ResponseCode {
        switch code {
        case .busy: .busy
        case .diskFull: .diskFull
        case .diskLow: .diskLow
        case .storage: .storage
        case .stopped: .stopped
        case .closing: .closing
        case .engineUnavailable: .engineUnavailable
        case .engineFull: .engineFull
        case .engineNotDurable: .engineNotDurable
        case .engineMisconfigured: .engineMisconfigured
        }
    }
}
