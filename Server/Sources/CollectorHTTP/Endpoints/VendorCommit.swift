// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import NIOCore
internal import TrackwayCore
internal import TrackwayJournal

/// Commits admitted bodies in vendor formats, and stores wholly rejected ones.
struct VendorCommit: Sendable {
    let dependencies: CollectorDependencies

    /// The maximum number of bytes to store from a rejected body that the sender still has and can send again.
    static let excerptBytes = 4 << 10

    /// Stores a batch, and returns once all its events are durable.
    ///
    /// Rejected events are stored with their reasons. A body of more than one record may be stored partially if the
    /// disk fails; when it is sent again, the stored part is recognized as a duplicate. For erased installations, only
    /// the number of their events is stored.
    ///
    /// - Parameter origin: The sender; nil if its address must not be stored.
    func store(
        _ batch: VendorBatch,
        grant: KeyGrant,
        received: Timestamp,
        wireBytes: Int,
        from origin: RequestOrigin?
    ) async throws(RequestFailure) {
        let client = dependencies.configuration.clientAddresses.stored(origin?.sender)
        let counts = batch.erased.map { installation, events in
            ErasureRecord(received: received, key: grant.name, installation: installation, events: events).bytes
        }
        let records =
            batch.records.map { (FrameKind.intake, IntakeRecord.adding(client: client, to: $0)) }
            + counts.map { (FrameKind.erasedEvents, $0) }
        let outcomes = await withTaskGroup(of: IntakeError?.self) { group in
            for (kind, record) in records {
                group.addTask { [intake = dependencies.intake] in
                    do throws(IntakeError) {
                        _ = try await intake.commit(kind: kind, record: record, route: .unrouted)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [IntakeError]()) { errors, error in if let error { errors.append(error) } }
        }
        if let error = outcomes.first { throw RequestFailure(error) }
        dependencies.statistics.withLock { $0.recordCommit(batch, wireBytes: wireBytes, key: grant.name) }
        dependencies.authorization.charge(grant, events: batch.count)
    }

    /// Stores a body that was rejected as a whole, and returns the failure.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to store of a malformed body. The sender may then delete the body, which
    ///     makes the stored copy the last one.
    ///   - excerpt: The maximum number of bytes to store of any other body.
    ///   - failure: The failure for the sender. If the last copy could not be stored, the failure requests a retry
    ///     instead.
    func refusal(
        _ error: AdmissionError,
        of body: [UInt8],
        grant: KeyGrant,
        received: Timestamp,
        limit: Int,
        excerpt: Int = excerptBytes,
        reporting failure: RequestFailure
    ) async -> RequestFailure {
        let isLastCopy = error.kind == .malformed
        let outcome = await Quarantine(dependencies: dependencies).store(
            body,
            refusedWith: error,
            grant: grant,
            received: received,
            limit: isLastCopy ? limit : excerpt
        )
        var failure = failure
        if isLastCopy, outcome == .failed {
            failure.status = .serviceUnavailable
            failure.retryAfter = .seconds(1)
        }
        return failure
    }

    /// Returns the name of an account in a path, percent-decoded.
    ///
    /// - Parameters:
    ///   - what: The kind of name, with its article: `an account`.
    ///   - code: The code of the failure if the name is invalid.
    static func name(
        _ text: String,
        as field: String,
        _ what: String,
        code: ResponseCode
    ) throws(RequestFailure) -> String {
        let name = unescaped(text)
        guard VendorAccount.isValid(name: name) else {
            throw RequestFailure(
                status: .notFound,
                code: code,
                field: field,
                message:
                    "“\(name.prefix(128))” cannot be \(what): use 1 to 128 letters, digits, dots, underscores or hyphens."
            )
        }
        return name
    }

    /// Returns a segment of a path, percent-decoded.
    static func unescaped(_ text: String) -> String {
        String(decoding: PercentText.decode(Array(text.utf8), plusIsSpace: false), as: UTF8.self)
    }
}

extension VendorBatch {
    /// The reason why no event was accepted.
    ///
    /// Nil if some events were accepted or the batch is empty.
    var onlyFault: RejectedEvent? { accepted == 0 ? rejected.first : nil }

    /// Writes the rejected events as the member `rejected`.
    func writeRejected(to writer: inout JSONWriter) {
        writer.list("rejected", rejected) { event, writer in
            writer.beginObject()
            writer.member("index", Int64(event.index))
            event.writeReason(to: &writer)
            writer.endObject()
        }
    }
}
