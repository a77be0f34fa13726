// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayWire

/// `PUT /v3/accounts/{id}/mobile_events`: for clients that speak the Sift format.
///
/// Such clients take exactly 200 for success, delete what is answered with 400, and give up after three of any other. So 400
/// is said of nothing but data that is bad for ever, and only when a copy is kept here.
struct SiftEndpoint: Sendable {
    private let dependencies: CollectorDependencies
    private let intake: SiftIntake
    private let commit: VendorCommit

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        intake = SiftIntake(limits: dependencies.configuration.limits)
        commit = VendorCommit(dependencies: dependencies)
    }

    /// Takes one body. 200 means that all of it is on stable storage, faulty events with the reason; when there is none but
    /// faulty ones, they are kept just so, and the answer is 400.
    func collect(_ request: Request, account text: String) async throws -> Response {
        let account = try Self.account(text)
        let grant = try prepare(request, account)
        let limits = dependencies.configuration.limits
        // Deflate makes at most a thousand bytes of one, and its factor has no limit here.
        var widest = limits
        widest.body.ratio = 1_032
        return try await RequestBody.with(
            request,
            upTo: limits.siftBytes,
            of: grant.name,
            dependencies,
            unpacked: { [widest] in RequestBody.unpackedVendorBytes($0, limits: widest) },
            { try await take(Array($0.readableBytesView), account, grant) }
        )
    }

    private func take(_ body: [UInt8], _ account: String, _ grant: KeyGrant) async throws -> Response {
        let received = dependencies.clock.now().wall
        let batch: VendorBatch
        do throws(AdmissionError) {
            batch = try intake.admit(
                body,
                account: account,
                grant: grant,
                received: received,
                isErased: dependencies.store.isErased
            )
        } catch {
            throw await refusal(error, body, grant, received)
        }
        try await commit.store(batch, grant: grant, received: received, wireBytes: body.count)
        return Self.answer(batch)
    }

    /// The account of a path, its escapes resolved.
    private static func account(_ text: String) throws(RequestFailure) -> String {
        let name = String(decoding: PercentText.decode(Array(text.utf8), plusIsSpace: false), as: UTF8.self)
        guard VendorAccount.isValid(name: name) else {
            throw RequestFailure(
                status: .notFound,
                code: "account_invalid",
                field: "account",
                message:
                    "“\(name.prefix(128))” cannot be an account: use 1 to 128 letters, digits, dots, underscores or hyphens."
            )
        }
        return name
    }

    private func prepare(_ request: Request, _ account: String) throws(RequestFailure) -> KeyGrant {
        do throws(AdmissionError) {
            let header = request.headers[.authorization]
            let grant = try dependencies.authorization.grant(basic: header, for: .siftAccount(account))
            _ = try ContentEncoding(header: request.headers[.contentEncoding])
            try ContentType.check(request.headers[.contentType])
            return grant
        } catch {
            var failure = RequestFailure(error)
            if failure.status == .unauthorized { failure.headers[.wwwAuthenticate] = "Basic realm=\"trackway\"" }
            throw failure
        }
    }

    /// What a body is answered that cannot be taken as a whole.
    private func refusal(
        _ error: AdmissionError,
        _ body: [UInt8],
        _ grant: KeyGrant,
        _ received: Timestamp
    ) async -> RequestFailure {
        // The client deletes what is malformed, so the whole of it is kept here.
        let isLastCopy = error.kind == .malformed
        let limit = isLastCopy ? dependencies.configuration.limits.siftBytes : VendorCommit.excerptBytes
        let outcome = await Quarantine(dependencies: dependencies).keep(
            body,
            refusedWith: error,
            grant: grant,
            received: received,
            limit: limit
        )
        var failure = RequestFailure(error)
        if isLastCopy, outcome == .failed {
            failure.status = .serviceUnavailable
            failure.retryAfter = .seconds(1)
        }
        return failure
    }

    private static func answer(_ batch: VendorBatch) -> Response {
        let first = batch.accepted == 0 ? batch.rejected.first : nil
        return Answer.json(first == nil ? .ok : .badRequest) { writer in
            writer.beginObject()
            if let first {
                writer.object("error") { first.writeReason(to: &$0) }
            }
            writer.member("accepted", Int64(batch.accepted))
            writer.list("rejected", batch.rejected) { event, writer in
                writer.beginObject()
                writer.member("index", Int64(event.index))
                event.writeReason(to: &writer)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}
