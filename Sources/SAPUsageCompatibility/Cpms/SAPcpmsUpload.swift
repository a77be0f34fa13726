// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Trackway
internal import TrackwayDestinations
internal import TrackwayEvents
internal import TrackwayWire

/// One upload, from the snapshot to the removal.
///
/// It runs on a thread of its own, since a snapshot hands out records one after the other, and each request is waited for in
/// between: so memory stays constant.
struct SAPcpmsUpload: Sendable {
    typealias Failure = SAPcpmsUsageUploader.UploadError

    private static let timeout = Duration.seconds(60)

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
        let base = session.transport ?? core.environment.transport
        transport = base.map { base in PermittedTransport(base) { core.outputEnabled } }
    }

    /// Uploads, and tells how it went.
    func begin(_ unattributed: (any UsageSnapshotting)?, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
        let unattributed = unattributed.map { Kept(object: $0) }
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
        guard core.outputEnabled, let access = core.access else { throw .outputDisabled }
        guard core.beginUpload(of: target) else { throw .uploadInProgress }
        defer { core.endUpload(of: target) }
        var sent = 0
        if let unattributed {
            sent += try send(unattributed, named: "unattributed/\(target)", restore: nil)
        }
        if let snapshot = snapshot(of: access) {
            sent += try send(snapshot, named: "\(access.storageID)/\(target)", restore: access)
        }
        guard sent > 0 else { throw .noData }
    }

    /// What is to be sent of the store: with an end to the session under way, behind which the next one begins. nil when nothing
    /// is stored, or nothing but the start of a session.
    private func snapshot(of access: StoreAccess) -> (any UsageSnapshotting)? {
        var report = SAPcpmsReport()
        var count = 0
        let present = access.exclusively { $0.snapshot(for: target) }
        present.records { record in
            _ = report.event(record)
            count += 1
            return true
        }
        guard count > (report.isOpen ? 1 : 0) else { return nil }
        guard report.isOpen else { return present }
        var next = UsageInfo()
        for key in [SAPcpmsRecord.applicationIdentifierKey, SAPcpmsRecord.applicationVersionKey] {
            next[key] = report.lastStart[key]
        }
        let start = core.environment.sessionInfo().merging(next) { $1 }
        return access.exclusively { store in
            _ = core.report(UsageRecord(.sessionEnd, date: core.environment.now.date), for: target)
            let snapshot = store.snapshot(for: target)
            _ = core.report(UsageRecord(.sessionStart, date: core.environment.now.date, info: start), for: target)
            return snapshot
        }
    }

    /// Sends a snapshot's records, and removes those that were sent.
    ///
    /// - Parameter access: the store, when it is one of the app's own that has to store anew what stays.
    /// - Returns: how many were sent.
    private func send(
        _ snapshot: any UsageSnapshotting,
        named source: String,
        restore access: StoreAccess?
    ) throws(Failure) -> Int {
        var report = SAPcpmsReport()
        var batch = SAPcpmsBatch()
        var withheld = UsagePositions()
        var first: String?
        var position = 0
        var sent = 0
        var failure: Failure?
        func flush() -> Bool {
            do throws(Failure) {
                let left = try send(batch, named: source)
                sent += batch.items.count - left.count
                for place in left { withheld.insert(place) }
                batch = SAPcpmsBatch()
                return true
            } catch {
                failure = error
                return false
            }
        }
        snapshot.records { record in
            if let event = report.event(record) {
                batch.add(event, at: position)
            } else {
                withheld.insert(position)
                first = first ?? record.event.description
            }
            position += 1
            return batch.isFull(destination.limits) ? flush() : true
        }
        if failure == nil, !batch.items.isEmpty { _ = flush() }
        if let failure { throw failure }
        if let error = (snapshot as? UsageSnapshot)?.failure { throw .storage(error.message) }
        if withheld.count > 0 { tell(withheld.count, first) }
        guard sent > 0 else { return 0 }
        try remove(snapshot, but: withheld, restore: access)
        return sent
    }

    /// Sends a batch in as many requests as it takes.
    ///
    /// - Returns: the positions of records that the format cannot express.
    private func send(_ batch: SAPcpmsBatch, named source: String) throws(Failure) -> [Int] {
        var left: [Int] = []
        var rest = batch
        while !rest.items.isEmpty {
            let count = min(max(1, destination.eventsForOneRequest(of: rest.encoded(of: source))), rest.items.count)
            left += try send(whole: rest.part(0..<count), named: source)
            rest = rest.part(count..<rest.items.count)
        }
        return left
    }

    private func send(whole batch: SAPcpmsBatch, named source: String) throws(Failure) -> [Int] {
        let encoded = batch.encoded(of: source)
        let request: WireRequest
        do throws(WireEncodingError) {
            request = try destination.request(for: encoded, sentAt: core.environment.now)
        } catch {
            switch error.code {
            case .misconfigured: throw .invalidEndpoint(error.message)
            case .nothingToSend: return batch.items.map(\.position)
            case .tooLarge: return try halve(batch, named: source)
            }
        }
        let response = try response(to: request)
        switch destination.verdict(on: response, for: encoded) {
        case .accepted, .acceptedExcept: return request.leftOut.map { batch.items[$0.index].position }
        case .tooLarge: return try halve(batch, named: source)
        case .notTheBackEnd(let reason): throw .network(reason)
        case .unauthorized where response.status == 403: throw .policyDisabled
        case .retry, .rejected, .unauthorized, .misconfigured:
            throw .httpStatus(code: response.status, body: String(decoding: response.body.prefix(512), as: UTF8.self))
        }
    }

    /// What is too large for one request goes in two; a record that is too large alone stays.
    private func halve(_ batch: SAPcpmsBatch, named source: String) throws(Failure) -> [Int] {
        guard batch.items.count > 1 else { return batch.items.map(\.position) }
        let middle = batch.items.count / 2
        return try send(whole: batch.part(0..<middle), named: source)
            + send(whole: batch.part(middle..<batch.items.count), named: source)
    }

    /// Waits for the answer, on the upload's own thread.
    private func response(to request: WireRequest) throws(Failure) -> WireResponse {
        guard let transport else { throw .network("there is no transport") }
        let answer = Locked<Result<WireResponse, TransportError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            let result: Result<WireResponse, TransportError>
            do throws(TransportError) {
                result = .success(try await transport.send(request, timeout: Self.timeout))
            } catch {
                result = .failure(error)
            }
            answer.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        switch answer.withLock({ $0 }) {
        case .success(let response): return response
        case .failure(let error): throw core.outputEnabled ? .network(error.description) : .outputDisabled
        case nil: throw .network("no answer")
        }
    }

    /// Removes what was sent.
    private func remove(
        _ snapshot: any UsageSnapshotting,
        but withheld: UsagePositions,
        restore access: StoreAccess?
    ) throws(Failure) {
        if let snapshot = snapshot as? UsageSnapshot {
            snapshot.removeRecords { withheld.contains($0) }
            if let error = snapshot.failure { throw .storage(error.message) }
            return
        }
        if withheld.count > 0, let access {
            var position = 0
            snapshot.records { record in
                defer { position += 1 }
                guard withheld.contains(position) else { return true }
                let info = record.info.merging([SAPcpmsUsageUploader.withheldKey: true]) { $1 }
                let staying = UsageRecord(record.event, date: record.date, info: info)
                access.exclusively { $0.store(record: staying, for: target) }
                return true
            }
        } else if withheld.count > 0 {
            throw .storage("\(withheld.count) records cannot be sent and would be lost; nothing was removed")
        }
        snapshot.removeRecords()
    }

    private func tell(_ count: Int, _ first: String?) {
        core.environment.report(
            Diagnostic(
                code: .usageRecordsWithheld,
                field: "upload(to:)",
                value:
                    "\(count) records of \"\(target)\", the first is \"\(first ?? "too large, or of another application")\"",
                remedy: "The format wants a session with an id, an application and a device: begin with "
                    + "SAPcpmsUsage.sessionStart. They stay stored; read them with a snapshot, or remove them by date."
            )
        )
    }
}

/// Positions, as runs: those that stay behind lie close together.
struct UsagePositions: Sendable {
    private var runs: [ClosedRange<Int>] = []
    /// How many there are.
    private(set) var count = 0

    /// Adds a position, whatever came before.
    mutating func insert(_ position: Int) {
        guard !contains(position) else { return }
        count += 1
        if let last = runs.last, last.upperBound == position - 1 {
            runs[runs.count - 1] = last.lowerBound...position
        } else {
            let place = runs.firstIndex { $0.lowerBound > position } ?? runs.count
            runs.insert(position...position, at: place)
        }
    }

    /// Whether a position was added.
    ///
    /// - Complexity: O(log runs).
    func contains(_ position: Int) -> Bool {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < position { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].contains(position)
    }
}
