// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations

/// Sends the records of one source in one or more requests.
///
/// Each request is settled with its response. Each report is saved before it is sent. If its response is unknown
/// because the process or the connection ended, the next upload sends the same bytes again, under the same ID. If the
/// back end rejected it, the next upload creates a new report that includes the records stored since. An open session
/// is ended in the report that contains its last record. The store saves this end when the response arrives, in the
/// same write as the removal, so a failed upload ends no session.
final class SAPcpmsUploadRun {
    typealias Failure = SAPcpmsUsageUploader.UploadError

    private static let timeout = Duration.seconds(60)
    /// The number of consecutive rejections that indicate a wrong address.
    ///
    /// Each of these responses rejects an individual record.
    private static let maximumConsecutiveRejections = 3
    /// The size above which an individual record may be too large, in bytes.
    private static let smallBytes = 64 << 10

    private let source: any UploadSource
    private let destination: SAPMobileServicesDestination
    private let transport: (any Transport)?
    private let target: String
    private let core: UsageCore
    private let permission: UploadPermission
    private let address: String

    private var report: SAPcpmsReport
    private var batch = SAPcpmsBatch()
    /// Entries after the batch's last item that are not sent.
    private var trailingEntries: [UploadedEntry] = []
    private var replay: UploadPlan?
    private var addedEnd: UploadPlan.End?
    private var zone = TimeZone.current
    /// The session that begins after the added end.
    private var nextSession: UsageSession?
    private var startOrigin: UploadItem.Origin?
    /// The session in effect before the source's last record.
    ///
    /// Set if an upload began that session.
    private var previousSession: UsageSession?
    /// The time of the last record of the session in effect.
    private var lastDate: Date?
    private var isInWithheld = false
    private var sentThrough: [String: Int64] = [:]
    /// The session in effect after the last report.
    private var sessionAfterReport: UsageSession?
    private var sent = 0
    private var withheld = 0
    private var firstWithheld: String?
    /// The maximum number of events per request, as learned from responses.
    private var maximumEvents: Int
    private var rejectedSize: Int?
    private var consecutiveRejections = 0
    private var rejection: Failure?

    init(
        _ source: any UploadSource,
        to destination: SAPMobileServicesDestination,
        by transport: (any Transport)?,
        of target: String,
        in core: UsageCore,
        _ permission: UploadPermission
    ) {
        self.source = source
        self.destination = destination
        self.transport = transport.map { base in PermittedTransport(base) { permission.recheck() } }
        self.target = target
        self.core = core
        self.permission = permission
        address = destination.reportAddress
        report = SAPcpmsReport(in: source.session, of: destination.boundApplication)
        previousSession = source.session
        maximumEvents = destination.limits.events
        sentThrough = source.sentThrough
        if let session = source.session {
            lastDate = sentThrough[session.id].map { Timestamp(milliseconds: $0).date } ?? session.record?.date
        }
        if let plan = source.plan, plan.destination == address {
            replay = plan
            zone = TimeZone(identifier: plan.zone) ?? .current
        }
    }

    /// Sends everything that can be sent.
    ///
    /// - Returns: the number of records sent.
    func perform() throws(Failure) -> Int {
        defer { source.close() }
        if let replay, replay.count == 0, !replay.isWithheld { try resendPlannedReport() }
        var failure: Failure?
        try source.read { entry in
            do throws(Failure) {
                try process(entry)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        if isInWithheld { try finishWithheld() }
        try end()
        try source.finish(trailingEntries, sessionAfterReport ?? report.currentSession)
        if withheld > 0 { reportWithheld() }
        // Every record was rejected individually, so the records are not the cause.
        if let rejection, sent == 0 { throw rejection }
        return sent
    }

    // MARK: Reading

    private func process(_ entry: UploadEntry) throws(Failure) {
        switch entry {
        case .skipped(let range, let writer):
            if case .skipped(let last, let same)? = trailingEntries.last, same == writer {
                trailingEntries[trailingEntries.count - 1] = .skipped(last.lowerBound...range.upperBound, of: writer)
            } else {
                trailingEntries.append(.skipped(range, of: writer))
            }
        case .delivered(let item, let record):
            _ = report.event(record, item.text)
            lastDate = record.date
        case .session(let session):
            report = SAPcpmsReport(in: session, of: destination.boundApplication)
            previousSession = session
        case .record(let item, let record):
            if isInWithheld, !item.isWithheld { try finishWithheld() }
            if item.isWithheld { isInWithheld = true }
            if let replay, replay.isWithheld == isInWithheld, batch.items.count == replay.count {
                // A rejected report is recreated and includes the records stored since then.
                if replay.isUncertain { try resendPlannedReport() } else { self.replay = nil }
            }
            if replay == nil, batch.isFull(limits) { try send(batch.requestCount(limits)) }
            add(item, record)
        }
    }

    private var limits: BatchLimits {
        BatchLimits(events: min(maximumEvents, destination.limits.events), bytes: destination.limits.bytes)
    }

    private func add(_ item: UploadItem, _ record: UsageRecord) {
        var event: Event?
        let start: String?
        if item.isWithheld {
            // Each withheld record has its own session.
            let own = item.start.map { UsageSession(start: $0, isSent: true, isOpen: true) }
            var alone = SAPcpmsReport(in: own, of: destination.boundApplication)
            event = alone.event(record, item.text)
            start = item.start
        } else {
            addNextSessionStart(before: record)
            // If a session that an upload began ends without events, the previous session is still in effect.
            if item.event == .sessionEnd, batch.items.last?.item.origin == .start,
                let previous = previousSession?.previous
            {
                trailingEntries = batch.removeLast().before + trailingEntries
                report = SAPcpmsReport(
                    in: UsageSession(start: previous, isSent: true, isOpen: true),
                    of: destination.boundApplication
                )
            }
            start = item.event == .sessionStart ? nil : report.start
            event = report.event(record, item.text)
            lastDate = record.date
            if item.event == .sessionStart { startOrigin = item.origin }
        }
        guard let event, !item.isRefused else {
            trailingEntries.append(.withheld(item, start: start, isRefused: item.isRefused))
            withheld += 1
            firstWithheld = firstWithheld ?? record.event.description
            return
        }
        add(item, event, sessionAfter: item.isWithheld ? source.session : report.currentSession)
    }

    /// Adds the start of the session that an upload began.
    ///
    /// The start precedes the session's first record.
    private func addNextSessionStart(before record: UsageRecord) {
        guard let next = nextSession else { return }
        nextSession = nil
        previousSession = next
        guard record.event != .sessionStart, let start = next.record else { return }
        add(UploadItem(event: .sessionStart, text: next.start, origin: .start), start)
    }

    private func add(_ item: UploadItem, _ event: Event, sessionAfter session: UsageSession?) {
        batch.add(
            SAPcpmsBatch.Item(
                item: item,
                event: event,
                bytes: SAPcpmsBatch.json(event),
                before: trailingEntries,
                sessionAfter: session
            )
        )
        trailingEntries = []
    }

    /// Sends the remaining withheld records; later records belong to other sessions.
    private func finishWithheld() throws(Failure) {
        if let replay, replay.isWithheld {
            if batch.items.count == replay.count { try resendPlannedReport() } else { self.replay = nil }
        }
        while !batch.items.isEmpty { try send(batch.requestCount(limits)) }
        isInWithheld = false
        if let replay, replay.count == 0, !replay.isWithheld { try resendPlannedReport() }
    }

    /// Resends the report whose response is unknown.
    ///
    /// If its records are no longer stored, a new report is created instead.
    private func resendPlannedReport() throws(Failure) {
        guard let plan = replay else { return }
        replay = nil
        guard batch.key(of: plan.count) == plan.records else { return }
        if let end = plan.end {
            guard report.isOpen, addEnd(end) else { return }
        }
        try send(batch.items.count)
    }

    /// Ends the open session and sends the remaining records.
    private func end() throws(Failure) {
        if let replay, !replay.isWithheld, batch.items.count == replay.count { try resendPlannedReport() }
        replay = nil
        if source.endsSession, report.isOpen {
            if let last = batch.items.last, last.item.event == .sessionStart {
                // The session has no records yet, so its start is kept and the session continues.
                _ = batch.removeLast()
                trailingEntries = last.before + [.retained(last.item)] + trailingEntries
            } else if report.canSend, batch.items.last != nil || hasSentPartOfSession {
                _ = addEnd(addedEnd ?? makeEnd())
            }
        }
        while !batch.items.isEmpty { try send(batch.requestCount(limits)) }
    }

    /// Whether part of the session in effect was sent.
    ///
    /// If so, only the session's end may remain to be sent.
    private var hasSentPartOfSession: Bool {
        report.currentSession.map { sentThrough[$0.id] != nil } ?? false
    }

    private func makeEnd() -> UploadPlan.End {
        let now = core.environment.now.date
        let isOwn = core.hasSession(of: target) || startOrigin.map { source.isRecordedHere($0) } ?? false
        // A session that an earlier process left open ended with its last record and is not continued.
        guard isOwn else { return .init(date: (lastDate ?? now).timeIntervalSinceReferenceDate, next: nil) }
        var next = UsageInfo()
        for key in [SAPcpmsRecord.applicationIdentifierKey, SAPcpmsRecord.applicationVersionKey] {
            next[key] = report.lastStart[key]
        }
        let info = core.environment.sessionInfo().merging(next) { $1 }
        let start = UsageRecord(.sessionStart, date: now, info: info).encoded().text
        return .init(date: now.timeIntervalSinceReferenceDate, next: start)
    }

    /// - Returns: false if the end cannot be sent.
    private func addEnd(_ end: UploadPlan.End) -> Bool {
        let record = UsageRecord(.sessionEnd, date: Date(timeIntervalSinceReferenceDate: end.date))
        guard let text = record.encoded().text, let event = report.event(record, text) else { return false }
        var next = end.next.map { UsageSession(start: $0, isSent: false, isOpen: true) }
        next?.previous = report.start
        add(
            UploadItem(event: .sessionEnd, text: text, origin: .end),
            event,
            sessionAfter: next ?? report.currentSession
        )
        addedEnd = end
        nextSession = next
        report = SAPcpmsReport(in: next ?? report.currentSession, of: destination.boundApplication)
        startOrigin = nil
        return true
    }

    // MARK: Sending

    private enum Outcome {
        case accepted([Rejection])
        /// The encoder or the back end rejected the request as too large.
        case tooLarge(Failure?)
    }

    /// Sends the first items in one request.
    ///
    /// Sends fewer items if the request would be too large.
    private func send(_ wanted: Int) throws(Failure) {
        var count = wanted
        while true {
            count = min(count, max(1, maximumEvents))
            let whole = batch.encoded(count, of: source.name, in: zone, after: sentThrough)
            count = min(count, max(1, destination.maximumEventsPerRequest(for: whole)))
            switch try perform(count) {
            case .accepted(let omitted):
                return try settle(count, omitted)
            case .tooLarge(let failure):
                if count > 1 {
                    if failure != nil { rejectedSize = count }
                    maximumEvents = count / 2
                    count = maximumEvents
                    continue
                }
                return try withhold(failure)
            }
        }
    }

    /// Withholds a record that is too large individually.
    ///
    /// The record is settled together with the next record.
    private func withhold(_ failure: Failure?) throws(Failure) {
        guard let first = batch.items.first else { return }
        if let failure {
            rejection = failure
            if first.bytes.count < Self.smallBytes { consecutiveRejections += 1 }
            guard consecutiveRejections < Self.maximumConsecutiveRejections else { throw failure }
        }
        batch.removeFirst(1)
        var entries = first.before
        if first.item.origin != .end, first.item.origin != .start {
            entries.append(.withheld(first.item, start: first.start, isRefused: true))
            withheld += 1
            firstWithheld = firstWithheld ?? first.item.event.description
        }
        if batch.items.isEmpty {
            trailingEntries = entries + trailingEntries
        } else {
            batch.prepend(entries)
        }
        // A single record was too large; the number of records was not the cause.
        rejectedSize = nil
        maximumEvents = 8
    }

    private func settle(_ count: Int, _ omitted: [Rejection]) throws(Failure) {
        let items = batch.items.prefix(count)
        var entries: [UploadedEntry] = []
        let rejected = Set(omitted.map(\.index))
        for (index, item) in items.enumerated() {
            entries += item.before
            if rejected.contains(index) {
                entries.append(.withheld(item.item, start: item.start, isRefused: true))
                withheld += 1
                firstWithheld = firstWithheld ?? item.item.event.description
                continue
            }
            entries.append(.sent(item.item))
            sentThrough[item.session] = max(sentThrough[item.session] ?? .min, item.time)
        }
        var session = items.last.map(\.sessionAfter) ?? source.session
        if sentThrough.count > UsageSession.maximumSessions {
            let latest = sentThrough.sorted { $0.value > $1.value }.prefix(UsageSession.maximumSessions)
            sentThrough = Dictionary(latest.map { ($0.key, $0.value) }) { $1 }
        }
        session?.sentThrough = sentThrough
        sessionAfterReport = session
        try source.settle(entries, session)
        if items.last?.item.origin == .end { addedEnd = nil }
        batch.removeFirst(count)
        sent += count - rejected.count
        if count > rejected.count { consecutiveRejections = 0 }
        maximumEvents = min(maximumEvents * 2, destination.limits.events, rejectedSize.map { max(1, $0 - 1) } ?? .max)
    }

    private func perform(_ count: Int) throws(Failure) -> Outcome {
        let items = batch.items.prefix(count)
        let hasEnd = items.last?.item.origin == .end
        let records = hasEnd ? count - 1 : count
        var plan = UploadPlan(
            destination: address,
            records: batch.key(of: records),
            count: records,
            isWithheld: items.first?.item.isWithheld ?? false,
            end: hasEnd ? addedEnd : nil,
            zone: zone.identifier
        )
        let encoded = batch.encoded(count, of: source.name, in: zone, after: sentThrough)
        let request: WireRequest
        do throws(WireEncodingError) {
            request = try destination.request(for: encoded, sentAt: core.environment.now)
        } catch {
            switch error.code {
            case .misconfigured: throw .invalidEndpoint(error.message)
            case .nothingToSend: return .accepted(error.omitted)
            case .tooLarge: return .tooLarge(nil)
            }
        }
        var mayBeStored = false
        if let earlier = source.plan, earlier.isSame(as: plan) {
            mayBeStored = earlier.isUncertain
            plan.refusals = earlier.refusals
        }
        if plan != source.plan { try source.write(plan) }
        /// Saves the fact that the back end did not accept the report this time.
        ///
        /// If an earlier response was lost, the back end may have accepted the report at that time, unless it
        /// repeatedly rejects the content.
        func saveRejection(_ failure: Failure, content isContent: Bool = false) throws(Failure) -> Failure {
            if mayBeStored {
                guard isContent else { return failure }
                plan.refusals += 1
            }
            plan.isUncertain = mayBeStored && plan.refusals < Self.maximumConsecutiveRejections
            mayBeStored = plan.isUncertain
            if plan != source.plan { try source.write(plan) }
            return failure
        }
        let response: WireResponse
        switch Self.respond(to: request, by: transport) {
        case .success(let found): response = found
        case .failure(let error):
            guard permission.isValid else { throw .outputDisabled }
            let failure = Failure.network(error.description)
            throw error.isUnsent ? try saveRejection(failure) : failure
        }
        let failure = Failure.httpStatus(
            code: response.status,
            body: String(decoding: response.body.prefix(512), as: UTF8.self)
        )
        switch destination.verdict(on: response, for: encoded) {
        case .accepted, .acceptedExcept: return .accepted(request.omitted)
        case .tooLarge:
            if count == 1 || mayBeStored { _ = try saveRejection(failure, content: true) }
            if mayBeStored { throw failure }
            return .tooLarge(failure)
        case .unrecognizedResponse(let reason): throw try saveRejection(.network(reason))
        case .unauthorized where response.status == 403: throw try saveRejection(.policyDisabled)
        case .retry, .rejected, .unauthorized, .misconfigured:
            // Gateways return these statuses when the back end's own response was lost.
            guard ![502, 504].contains(response.status) else { throw failure }
            throw try saveRejection(failure, content: [400, 422].contains(response.status))
        }
    }

    /// Waits for the response, on the upload's own thread.
    private static func respond(
        to request: WireRequest,
        by transport: (any Transport)?
    ) -> Result<WireResponse, TransportError> {
        guard let transport else { return .failure(TransportError(.offline, "no transport is available")) }
        let answer = Locked<Result<WireResponse, TransportError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            let result: Result<WireResponse, TransportError>
            do throws(TransportError) {
                result = .success(try await transport.send(request, timeout: timeout))
            } catch {
                result = .failure(error)
            }
            answer.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return answer.withLock { $0 } ?? .failure(TransportError(.other, "no response"))
    }

    private func reportWithheld() {
        core.environment.report(
            Diagnostic(
                code: .usageRecordsWithheld,
                field: "upload(to:)",
                value: "\(withheld) records of \"\(target)\", the first is \"\(firstWithheld ?? "")\"",
                message: "\(withheld) records of \"\(target)\", the first \((firstWithheld ?? "").quoted), were "
                    + "withheld from the upload and remain stored. They are too large, belong to another application, "
                    + "or lack the session with an id, an application and a device that the format requires.",
                recoverySuggestion:
                    "Start with SAPcpmsUsage.sessionStart. Read such records with a snapshot, or remove them by date."
            )
        )
    }
}

extension TransportError {
    /// Whether the request never reached a server.
    fileprivate var isUnsent: Bool {
        [.offline, .tls, .invalidRequest, .notPermitted].contains(code)
    }
}
