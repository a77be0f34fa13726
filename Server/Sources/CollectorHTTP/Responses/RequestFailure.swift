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

    static func malformed(_ field: String, _ message: String) -> RequestFailure {
        RequestFailure(status: .badRequest, code: "malformed_query", field: field, message: message)
    }

    /// Returns the failure for an index that has not read all received events.
    static func indexBehind(_ failureReason: String) -> RequestFailure {
        RequestFailure(
            status: .serviceUnavailable,
            code: "index_behind",
            message: "\(failureReason) Batches are accepted and stored.",
            retryAfter: .seconds(5)
        )
    }

    static func notFound(_ message: String) -> RequestFailure {
        RequestFailure(status: .notFound, code: "not_found", message: message)
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
        self.init(status: status, code: error.code, field: error.field, message: error.message)
        key = error.key
        if case .limited(let wait) = error.kind { retryAfter = wait }
        if error.kind == .unauthorized { headers[.wwwAuthenticate] = "Bearer realm=\"trackway\"" }
    }

    init(_ error: IntakeError) {
        self.init(
            status: .serviceUnavailable,
            code: error.code.rawValue,
            message: error.message,
            retryAfter: error.retryAfter
        )
    }

    init(_ error: StoreError) {
        switch error.kind {
        case .unavailable:
            self.init(
                status: .serviceUnavailable,
                code: "index_unavailable",
                message: "The index cannot answer: \(error.message)",
                retryAfter: .seconds(5)
            )
        case .behind: self = .indexBehind(error.message)
        case .analysisUnavailable:
            self.init(
                status: .serviceUnavailable,
                code: "analysis_unavailable",
                message: error.message,
                retryAfter: .seconds(5)
            )
        case .overBudget(let parameter):
            self.init(
                status: .unprocessableContent,
                code: "question_too_large",
                field: parameter,
                message: error.message
            )
        }
    }

    /// Creates the failure for an error of a saved object.
    ///
    /// - Parameter noun: The kind of saved object, such as `board`, which is part of the error codes.
    init(_ error: SavedError, of noun: String) {
        let (status, code): (HTTPResponse.Status, String) =
            switch error.kind {
            case .malformed: (.unprocessableContent, "malformed_\(noun)")
            case .notFound: (.notFound, "not_found")
            case .changed: (.conflict, "\(noun)_changed")
            case .builtIn: (.conflict, "\(noun)_ready_made")
            case .full: (.unprocessableContent, "\(noun)s_full")
            case .unavailable: (.serviceUnavailable, "\(noun)s_unavailable")
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
