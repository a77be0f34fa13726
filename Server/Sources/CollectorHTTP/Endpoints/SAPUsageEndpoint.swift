// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore
internal import TrackwayDestinationKit

/// The endpoints for clients of the SAP Mobile Services format.
///
/// `POST /mobileservices/application/{id}/clientusage/v1/runtime/clientusage/application/{id}[/device/{device}]`, and
/// the settings of an application.
///
/// Clients delete a report after a success response and keep it otherwise. It is not known after which error responses
/// they discard a report, so the collector stores a report that would stay invalid.
struct SAPUsageEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    private let intake: SAPUsageIntake
    private let commit: VendorCommit
    private let reports = Locked(KnownReports())

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        intake = SAPUsageIntake(limits: dependencies.configuration.limits)
        commit = VendorCommit(dependencies: dependencies)
    }

    func register(in routes: inout RouteTable) {
        let report =
            "/mobileservices/application/{application?}/clientusage/v1/runtime/clientusage/application/{repeated?}"
        for path in [report, report + "/device/{device?}"] {
            routes.add(.post, RoutePattern(path), .account(), .intake) { try await collect($0) }
        }
        routes.add(.get, "/mobileservices/application/{application?}/settings", .account(changes: false)) {
            try settings($0.request, application: $0["application"])
        }
    }

    /// Receives one report.
    ///
    /// 201 means that the whole report is on stable storage, including invalid events with the reasons for their
    /// rejection; 200 means the same for a report whose id was received before.
    func collect(_ call: EndpointRequest) async throws -> Response {
        let request = call.request
        let subject = try Self.subject(call)
        let grant = try prepare(request, subject.application)
        let policy = self.policy(of: subject.application)
        guard policy.collects else {
            let code = ResponseCode.policyOff.rawValue
            dependencies.statistics.withLock { $0.recordFailure(code: code, key: grant.name) }
            return Self.refusal(by: policy)
        }
        let limits = dependencies.configuration.limits
        return try await RequestBody.with(
            request,
            upTo: limits.body.wireBytes,
            under: grant,
            from: call.origin,
            dependencies,
            unpacked: { RequestBody.unpackedVendorBytes($0, limits: limits) },
            { try await take(Array($0.readableBytesView), subject, policy, grant, call.origin) }
        )
    }

    /// `GET /mobileservices/application/{id}/settings`: the application's policy.
    ///
    /// The response has the format of the settings exchange.
    func settings(_ request: Request, application text: String) throws(RequestFailure) -> Response {
        let application = try Self.application(text)
        do throws(AdmissionError) {
            _ = try dependencies.authorization.grant(
                account: .sapApplication(application),
                header: request.headers[.authorization]
            )
        } catch {
            throw Self.failure(error)
        }
        let policy = self.policy(of: application)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.key("mobileservices")
            policy.settings.write(into: &writer)
            writer.endObject()
        }
    }

    private func take(
        _ body: [UInt8],
        _ subject: SAPUsageIntake.Subject,
        _ policy: UsagePolicy,
        _ grant: KeyGrant,
        _ origin: RequestOrigin
    ) async throws -> Response {
        let received = dependencies.clock.now().wall
        let report: SAPUsageIntake.Report
        do throws(AdmissionError) {
            report = try intake.admit(
                body,
                of: subject,
                salt: policy.isAnonymous ? policy.salt : nil,
                grant: grant,
                received: received,
                isErased: { [store = dependencies.store] in store.isErased($0) },
                isErasedUser: { [store = dependencies.store] in store.isErased(user: $0) }
            )
        } catch {
            // A body identifies a device and possibly a user, so for an anonymous application none of the body is
            // stored.
            throw await commit.refusal(
                error,
                of: body,
                grant: grant,
                received: received,
                limit: policy.isAnonymous ? 0 : dependencies.configuration.limits.body.wireBytes,
                excerpt: policy.isAnonymous ? 0 : VendorCommit.excerptBytes,
                reporting: Self.failure(error)
            )
        }
        let name = KnownReports.name(of: report.id, subject.application)
        let content = SHA256.hash(body)
        let known = reports.withLock { $0[name] }
        // The body is identical to an earlier one whose contents are already on stable storage.
        if known == content { return Self.response(report, .ok) }
        try await commit.store(
            report.batch,
            grant: grant,
            received: received,
            wireBytes: body.count,
            from: policy.isAnonymous ? nil : origin
        )
        if report.batch.accepted > 0 || report.batch.count == 0 { reports.withLock { $0[name] = content } }
        return Self.response(report, known == nil ? .created : .ok)
    }

    // MARK: Authorization

    private func policy(of application: String) -> UsagePolicy {
        dependencies.usagePolicies?.policy(of: application) ?? UsagePolicy()
    }

    private func prepare(_ request: Request, _ application: String) throws(RequestFailure) -> KeyGrant {
        do throws(AdmissionError) {
            let grant = try dependencies.authorization.grant(
                account: .sapApplication(application),
                header: request.headers[.authorization]
            )
            try grant.withNameInErrors { () throws(AdmissionError) in
                _ = try ContentEncoding(header: request.headers[.contentEncoding])
                try ContentType.check(request.headers[.contentType])
            }
            return grant
        } catch {
            throw Self.failure(error)
        }
    }

    private static func subject(_ call: EndpointRequest) throws(RequestFailure) -> SAPUsageIntake.Subject {
        let application = try application(call["application"])
        guard try self.application(call["repeated"]) == application else {
            throw RequestFailure(
                status: .conflict,
                code: .applicationMismatch,
                field: "application",
                message: "The path names two applications."
            )
        }
        return SAPUsageIntake.Subject(
            application: application,
            device: call.parameters["device"].map(VendorCommit.unescaped)
        )
    }

    private static func application(_ text: String) throws(RequestFailure) -> String {
        try VendorCommit.name(text, as: "application", "an application", code: .applicationInvalid)
    }

    // MARK: Responses

    /// Returns a failure with the status that the format uses for the error.
    private static func failure(_ error: AdmissionError) -> RequestFailure {
        var failure = RequestFailure(error)
        switch ResponseCode(rawValue: error.code) {
        // 403 means that the policy is disabled, so a configuration mistake must have another status.
        case .accountUnknown:
            failure.status = .notFound
            failure.code = ResponseCode.applicationUnknown.rawValue
        case .applicationMismatch, .deviceMismatch: failure.status = .conflict
        default: break
        }
        return failure
    }

    /// Returns the response for a disabled policy, including the policy.
    private static func refusal(by policy: UsagePolicy) -> Response {
        JSONResponse.make(.forbidden) { writer in
            writer.beginObject()
            writer.object("error") { writer in
                writer.member("code", ResponseCode.policyOff.rawValue)
                writer.member("message", "The application's usage policy does not accept reports.")
            }
            writer.key("mobileservices")
            policy.settings.write(into: &writer)
            writer.endObject()
        }
    }

    private static func response(_ report: SAPUsageIntake.Report, _ status: HTTPResponse.Status) -> Response {
        let fault = report.batch.onlyFault
        return JSONResponse.make(fault == nil ? status : .badRequest) { writer in
            writer.beginObject()
            if let fault { writer.object("error") { fault.writeReason(to: &$0) } }
            writer.member("report", report.id)
            if !report.batch.rejected.isEmpty { report.batch.writeRejected(to: &writer) }
            writer.endObject()
        }
    }
}

/// The content hashes of the most recent reports, by application and id.
///
/// A repeated report is recognized as long as its hash is in this cache. Later, and after a restart of the collector,
/// its events are individually recognized as duplicates.
private struct KnownReports: Sendable {
    private var contents: [[UInt8]: [UInt8]] = [:]
    private var order: [[UInt8]] = []
    private var next = 0
    private static let capacity = 16_384

    /// Returns the key of a report.
    static func name(of report: String, _ application: String) -> [UInt8] {
        Array(SHA256.hash(Array("\(application.utf8.count):\(application)\(report)".utf8)).prefix(16))
    }

    /// The hash of a report's latest content.
    ///
    /// If the limit is reached, adding a report removes the oldest one.
    subscript(_ name: [UInt8]) -> [UInt8]? {
        get { contents[name] }
        set {
            guard contents.updateValue(newValue ?? [], forKey: name) == nil else { return }
            if order.count < Self.capacity {
                order.append(name)
            } else {
                contents[order[next]] = nil
                order[next] = name
                next = (next + 1) % Self.capacity
            }
        }
    }
}
