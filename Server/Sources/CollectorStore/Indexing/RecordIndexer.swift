// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// Enters one record of the intake log into the index.
struct RecordIndexer {
    private let transaction: IndexTransaction
    private let limits: AdmissionLimits

    /// A writer of records into `transaction`.
    ///
    /// - Parameter limits: Those of admission, by which batches are taken apart.
    init(_ transaction: IndexTransaction, limits: AdmissionLimits) {
        self.transaction = transaction
        self.limits = limits
    }

    /// Enters a record.
    ///
    /// - Throws: A `DatabaseError` when the index cannot take it now. A record that cannot be read is entered among the
    ///   failed ones instead: it would never become readable, and must not hold up the others.
    func enter(_ record: LogChunk.Record) throws {
        switch record {
        case .batch(let batch, let captured, let head, let length, let start):
            try accept(batch, captured, head, length, at: start)
        case .unreadable(let head, let length, let start, let message):
            try transaction.unreadable(head, length: length, at: start, message)
            try transaction.end()
        case .quarantine(let payload, let start):
            try refuse(payload, at: start)
        case .erasure(let payload, let start):
            guard let record = try erasure(payload, at: start) else { return }
            try transaction.erase(Erasure.Order(record))
        case .erasedEvents(let payload, let start):
            guard let record = try erasure(payload, at: start) else { return }
            try transaction.countErased(record.events, of: record.installation)
        }
    }

    private func accept(
        _ batch: InflatedRecord,
        _ captured: CapturedValues,
        _ head: [UInt8],
        _ length: Int,
        at start: LogPosition
    ) throws {
        do {
            try enter(batch, captured, at: start)
        } catch let error as DatabaseError {
            throw error
        } catch {
            try transaction.unreadable(
                head,
                length: length,
                at: start,
                "The intake log's record at \(start) cannot be read: \(error)"
            )
        }
        try transaction.end()
    }

    private func refuse(_ payload: [UInt8], at start: LogPosition) throws {
        do {
            let record = try payload.withUnsafeBytes { try QuarantineRecord(payload: $0) }
            try transaction.begin(received: record.received, key: record.key)
            let failure = FailedEvent(
                position: EventPosition(segment: start.segment, offset: start.offset),
                received: record.received,
                key: record.key,
                code: record.code,
                field: record.field,
                message: record.message,
                content: record.body,
                totalBytes: record.bodyBytes,
                name: record.body.withUnsafeBytes { FailedEvent.name(in: $0) }
            )
            try transaction.failed(failure, sequence: nil)
        } catch let error as DatabaseError {
            throw error
        } catch {
            try transaction.unreadable(
                payload,
                length: payload.count,
                at: start,
                "The quarantine record at \(start) cannot be read: \(error)"
            )
        }
    }

    private func erasure(_ payload: [UInt8], at start: LogPosition) throws -> ErasureRecord? {
        do {
            return try payload.withUnsafeBytes { try ErasureRecord(payload: $0) }
        } catch {
            try transaction.begin(received: Timestamp(milliseconds: 0), key: "")
            try transaction.unreadable(
                payload,
                length: payload.count,
                at: start,
                "The erasure record at \(start) cannot be read: \(error)"
            )
            return nil
        }
    }

    private func enter(_ record: InflatedRecord, _ captured: CapturedValues, at start: LogPosition) throws {
        var index = 0
        let received = record.header.received
        var context: UnsafeRawPointer?
        try transaction.begin(received: received, key: record.header.key)
        if let origin = record.header.replayed {
            // The events of a batch that was refused as a whole stand in no list yet, the batch does.
            if origin.ordinals.isEmpty, origin.refused.isEmpty { try transaction.admitted(at: origin.position) }
            for fault in origin.refused { try transaction.refusedAgain(fault, at: origin.place(of: fault)) }
        }
        try record.visit(
            header: { header in
                try begin(header, received: received, key: record.header.key)
            },
            event: { event in
                if !event.context.isEmpty, event.context.baseAddress != context {
                    context = event.context.baseAddress
                    try transaction.context(event.context)
                }
                let position = EventPosition(segment: start.segment, offset: start.offset, ordinal: event.ordinal)
                try enter(event, captured[index], at: position, record)
                index += 1
            },
            end: { try transaction.store() }
        )
    }

    private func begin(_ header: BatchHeader, received: Timestamp, key: String) throws {
        // Earlier versions admitted any number. Of such a batch the events count, and nothing that it claims.
        let isBelieved = PlausibleClaims.excess(of: header) == nil
        let told = (header.dropped.map(\.sequences) + header.skipped).map(\.upperBound)
        let recorded = max(header.recorded ?? 0, header.last ?? 0, told.max() ?? 0)
        try transaction.begin(
            installation: header.installation,
            writer: header.writer,
            recorded: isBelieved
                ? recorded : header.last.flatMap { $0 <= PlausibleClaims.lastSequence ? $0 : nil } ?? 0,
            received: received,
            key: key
        )
        guard isBelieved else { return }
        for range in header.dropped {
            try transaction.account(range.sequences, .dropped, reason: range.reason.rawValue)
        }
        for range in header.skipped { try transaction.account(range, .skipped) }
    }

    private func enter(
        _ event: IntakeEvent,
        _ captured: JSONValue.Object,
        at position: EventPosition,
        _ record: InflatedRecord
    ) throws {
        let sequence = event.sequence.flatMap { $0 <= PlausibleClaims.lastSequence ? $0 : nil }
        guard let scan = event.scan else {
            return try refuse(
                event,
                sequence,
                at: position,
                record,
                event.fault ?? RejectedEvent(index: event.ordinal, code: "", field: "", message: "")
            )
        }
        switch Tombstone(event.json, scan) {
        case nil: break
        case .proved(let installation) where record.header.format == .trackway:
            return try transaction.erase(Erasure.Order(installation, record.header), sequence: sequence)
        case .proved(let installation), .unproved(let installation?):
            return try refuse(event, sequence, at: position, record, .unproved(installation, index: event.ordinal))
        case .unproved(nil):
            return try refuse(event, sequence, at: position, record, .unproved(nil, index: event.ordinal))
        }
        guard let origin = record.header.replayed else {
            let id = event.id(at: position, received: record.header.received)
            try transaction.event(event.json, scan, id: id, at: position, sequence: sequence, captured: captured)
            return
        }
        // An event without an id has the one that it would have had, or it would count each time that it is admitted again.
        let place = origin.place(of: event.ordinal)
        let id = event.id(at: place, received: record.header.received)
        try transaction.admitted(at: place)
        try transaction.store()
        try transaction.event(event.json, scan, id: id, at: position, sequence: sequence, captured: captured)
        if try transaction.store() > 0 { try transaction.mark(position, from: place, origin) }
    }

    private func refuse(
        _ event: IntakeEvent,
        _ sequence: UInt64?,
        at position: EventPosition,
        _ record: InflatedRecord,
        _ fault: RejectedEvent
    ) throws {
        let failure = FailedEvent(
            position: record.header.replayed?.place(of: event.ordinal) ?? position,
            received: record.header.received,
            key: record.header.key,
            code: fault.code,
            field: fault.field,
            message: fault.message,
            content: Array(event.json.prefix(limits.failedEventBytes)),
            totalBytes: event.json.count,
            name: FailedEvent.name(in: event.json)
        )
        try transaction.failed(failure, sequence: sequence)
    }
}
