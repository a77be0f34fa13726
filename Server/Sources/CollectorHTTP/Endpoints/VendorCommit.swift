// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayJournal

/// Putting admitted bodies of other formats on stable storage, and keeping what was refused as a whole.
struct VendorCommit: Sendable {
    let dependencies: CollectorDependencies

    /// How much is kept of a body whose sender keeps it too.
    static let excerptBytes = 4 << 10

    /// Returns once every event of a body, accepted or kept with its reason, is on stable storage.
    ///
    /// A body of more than one record may be stored in part when the disk refuses; sent again, what was stored is known.
    /// Of erased installations the count of their events is stored.
    func store(
        _ batch: VendorBatch,
        grant: KeyGrant,
        received: Timestamp,
        wireBytes: Int
    ) async throws(RequestFailure) {
        let counts = batch.erased.map { installation, events in
            ErasureRecord(received: received, key: grant.name, installation: installation, events: events).bytes
        }
        let records = batch.records.map { (FrameKind.intake, $0) } + counts.map { (FrameKind.erasedEvents, $0) }
        let outcomes = await withTaskGroup(of: IntakeError?.self) { group in
            for (kind, record) in records {
                group.addTask { [intake = dependencies.intake] in
                    do throws(IntakeError) {
                        _ = try await intake.commit(kind: kind, record: record, route: .none)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [IntakeError]()) { errors, error in if let error { errors.append(error) } }
        }
        if let error = outcomes.first { throw RequestFailure(error) }
        dependencies.statistics.withLock { $0.committed(batch, wireBytes: wireBytes, key: grant.name) }
        dependencies.authorization.charge(grant, events: batch.count)
    }

    /// Keeps a body that cannot be taken as a whole.
    ///
    /// - Parameters:
    ///   - limit: how much of it is kept when it is malformed: the sender may then delete it, and this is the last copy.
    ///   - excerpt: how much of it is kept otherwise.
    ///   - failure: what is said to the sender, who is asked to come again when a last copy could not be kept.
    func refusal(
        _ error: AdmissionError,
        of body: [UInt8],
        grant: KeyGrant,
        received: Timestamp,
        limit: Int,
        excerpt: Int = excerptBytes,
        saying failure: RequestFailure
    ) async -> RequestFailure {
        let isLastCopy = error.kind == .malformed
        let outcome = await Quarantine(dependencies: dependencies).keep(
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

    /// The name of an account in a path, its escapes resolved.
    ///
    /// - Parameter what: what such a name is called, with its article: `an account`.
    static func name(_ text: String, as field: String, _ what: String) throws(RequestFailure) -> String {
        let name = unescaped(text)
        guard VendorAccount.isValid(name: name) else {
            throw RequestFailure(
                status: .notFound,
                code: "\(field)_invalid",
                field: field,
                message:
                    "“\(name.prefix(128))” cannot be \(what): use 1 to 128 letters, digits, dots, underscores or hyphens."
            )
        }
        return name
    }

    /// A segment of a path, its escapes resolved.
    static func unescaped(_ text: String) -> String {
        String(decoding: PercentText.decode(Array(text.utf8), plusIsSpace: false), as: UTF8.self)
    }
}

extension VendorBatch {
    /// Why there is nothing in the batch that could be taken; nil when there is something, or nothing at all.
    var onlyFault: RejectedEvent? { accepted == 0 ? rejected.first : nil }

    /// Writes the faulty events as the member `rejected`.
    func writeRejected(to writer: inout JSONWriter) {
        writer.list("rejected", rejected) { event, writer in
            writer.beginObject()
            writer.member("index", Int64(event.index))
            event.writeReason(to: &writer)
            writer.endObject()
        }
    }
}
