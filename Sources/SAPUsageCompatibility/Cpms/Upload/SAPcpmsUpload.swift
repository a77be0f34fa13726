// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations

/// One upload, from taking the snapshot to removing the records.
///
/// The upload runs on a separate thread, because a snapshot returns records one at a time and the upload waits for
/// each request in between. This keeps memory use constant.
struct SAPcpmsUpload: Sendable {
    typealias Failure = SAPcpmsUsageUploader.UploadError

    private let destination: SAPMobileServicesDestination
    private let transport: (any Transport)?
    private let target: String
    private let core: UsageCore

    init(
        to destination: SAPMobileServicesDestination,
        by session: SAPURLSession,
        of target: String,
        from core: UsageCore
    ) {
        self.destination = destination
        self.target = target
        self.core = core
        transport = session.transport ?? core.environment.transport
    }

    /// Starts the upload and reports the outcome.
    func begin(_ unattributed: (any UsageSnapshotting)?, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
        let unattributed = unattributed.map { UncheckedSendableBox(object: $0) }
        DispatchQueue(label: "trackway.usage.upload").async {
            do throws(Failure) {
                try upload(unattributed?.object)
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    private func upload(_ unattributed: (any UsageSnapshotting)?) throws(Failure) {
        core.refresh()
        guard core.outputEnabled, let access = core.access else { throw .outputDisabled }
        do throws(WireEncodingError) {
            try destination.checkSettings()
        } catch {
            throw .invalidEndpoint(error.message)
        }
        guard core.beginUpload(of: target) else { throw .uploadInProgress }
        defer { core.endUpload(of: target) }
        let permission = UploadPermission(core, access)
        var sent = 0
        var failure: Failure?
        let parts = (unattributed.map { [Part.unattributed($0)] } ?? []) + [.own(access)]
        for part in parts {
            do throws(Failure) {
                let source = try source(of: part, permission)
                let run = SAPcpmsUploadRun(source, to: destination, by: transport, of: target, in: core, permission)
                sent += try run.perform()
            } catch {
                failure = failure ?? error
                // An error in one part does not stop the other part, unless it would affect every report.
                guard error.isLimitedToOneReport else { break }
            }
        }
        // A store may see another process's decision before this object does.
        if failure == .outputDisabled { core.refresh() }
        if let failure { throw failure }
        guard sent > 0 else { throw .noData }
    }

    private enum Part {
        case unattributed(any UsageSnapshotting)
        case own(SerializedStore)
    }

    private func source(of part: Part, _ permission: UploadPermission) throws(Failure) -> any UploadSource {
        let snapshot: any UsageSnapshotting
        var access: SerializedStore?
        switch part {
        case .unattributed(let given): snapshot = given
        case .own(let store):
            access = store
            snapshot = store.core?.snapshot(for: target) ?? store.exclusively { $0.snapshot(for: target) }
        }
        guard let stored = snapshot as? UsageSnapshot else {
            return try CustomStoreUploadSource(
                snapshot,
                of: access,
                target: target,
                in: core.environment,
                endsSession: access != nil,
                isPermitted: { permission.isValid }
            )
        }
        return try StoreUploadSource(
            stored,
            named: "\(stored.core.storageID)/\(stored.target)",
            withdrawal: access == nil ? nil : permission.withdrawal,
            endsSession: access != nil
        )
    }
}

extension SAPcpmsUsageUploader.UploadError {
    /// Whether other reports to the same back end may succeed.
    fileprivate var isLimitedToOneReport: Bool {
        switch self {
        case .httpStatus, .encoding, .storage, .noData: true
        case .uploadInProgress, .outputDisabled, .invalidEndpoint, .network, .policyDisabled: false
        }
    }
}

/// An upload's permission to send records.
///
/// An upload may send while the decisions permit it and consent has not been withdrawn since the upload began.
struct UploadPermission: Sendable {
    /// The number of the user's last withdrawal when the upload began.
    ///
    /// Nil if consent had never been withdrawn.
    let withdrawal: UInt64?
    private let core: UsageCore
    private let userID: String?

    init(_ core: UsageCore, _ access: SerializedStore) {
        self.core = core
        userID = access.canonicalUserID
        withdrawal = access.canonicalUserID.flatMap { core.decisions.withdrawal(of: $0) }
    }

    /// Whether sending is permitted by the decisions known to this process.
    var isValid: Bool {
        core.outputEnabled && userID.flatMap { core.decisions.withdrawal(of: $0) } == withdrawal
    }

    /// Returns ``isValid`` after rereading the decisions that other processes saved.
    func recheck() -> Bool {
        core.refresh()
        return isValid
    }
}
