// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit
public import TrackwayJournal

/// Reports the contents of a record to a sink.
///
/// The visitor determines who owns the events, which of them count, which were rejected and why, and what must be
/// erased. Every store is filled through this visitor, so that all stores see the same events.
public struct RecordVisitor<Sink: RecordConsumer> {
    private let sink: Sink
    private let limits: AdmissionLimits

    /// Creates a visitor that reports to `sink`.
    ///
    /// - Parameter limits: The limits of admission, used for splitting batches.
    public init(_ sink: Sink, limits: AdmissionLimits) {
        self.sink = sink
        self.limits = limits
    }

    /// Reports the contents of a record.
    ///
    /// - Parameter start: The position where the record begins.
    /// - Throws: The sink's own failures. An unreadable record is reported to the sink instead: it would never become
    ///   readable, and must not block later records.
    public func enter(_ record: ParsedRecord, at start: LogPosition) throws {
        switch record {
        case .batch(let batch, let head, let length):
            try accept(batch, head, length, at: start)
        case .unreadable(let head, let length, let message):
            // The record's contents are unknown, and the record is not part of the previous batch.
            try begin(received: Timestamp(milliseconds: 0), key: "")
            try sink.unreadable(head, length: length, at: start, message)
            try sink.end()
        case .quarantine(let payload):
            try refuse(payload, at: start)
        case .erasure(let payload):
            guard let record = try erasure(payload, at: start) else { return }
            try sink.erase(DeletionRequest(record), sequence: nil)
        case .erasedEvents(let payload):
            guard let record = try erasure(payload, at: start) else { return }
            try sink.countErased(record)
        case .userErasure(let payload):
            try eraseUser(payload, at: start)
        case .userMerge(let payload):
            try merge(payload, at: start)
        case .reset, .other:
            break
        }
    }

    private func accept(_ batch: InflatedRecord, _ head: [UInt8], _ length: Int, at start: LogPosition) throws {
        do {
            try enter(batch, at: start)
        } catch  where sink.isOwnFailure(error) {
            throw error
        } catch {
            try sink.unreadable(
                head,
                length: length,
                at: start,
                "The intake log's record at \(start) cannot be read: \(error)"
            )
        }
        try sink.end()
    }

    private func refuse(_ payload: [UInt8], at start: LogPosition) throws {
        do {
            let record = try payload.withUnsafeBytes { try QuarantineRecord(payload: $0) }
            try begin(received: record.received, key: record.key)
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
            try sink.failed(failure, sequence: nil)
        } catch  where sink.isOwnFailure(error) {
            throw error
        } catch {
            try sink.unreadable(
                payload,
                length: payload.count,
                at: start,
                "The quarantine record at \(start) cannot be read: \(error)"
            )
        }
    }

    private func eraseUser(_ payload: [UInt8], at start: LogPosition) throws {
        let record: UserErasureRecord
        do {
            record = try payload.withUnsafeBytes { try UserErasureRecord(payload: $0) }
        } catch {
            try begin(received: Timestamp(milliseconds: 0), key: "")
            try sink.unreadable(
                payload,
                length: payload.count,
                at: start,
                "The erasure record at \(start) cannot be read: \(error)"
            )
            return
        }
        try sink.erase(record)
    }

    private func merge(_ payload: [UInt8], at start: LogPosition) throws {
        let record: UserMergeRecord
        do {
            record = try payload.withUnsafeBytes { try UserMergeRecord(payload: $0) }
        } catch {
            try begin(received: Timestamp(milliseconds: 0), key: "")
            try sink.unreadable(
                payload,
                length: payload.count,
                at: start,
                "The record of a merge at \(start) cannot be read: \(error)"
            )
            return
        }
        try begin(received: record.received, key: record.key)
        try sink.merge(record, at: EventPosition(segment: start.segment, offset: start.offset))
    }

    private func erasure(_ payload: [UInt8], at start: LogPosition) throws -> ErasureRecord? {
        do {
            return try payload.withUnsafeBytes { try ErasureRecord(payload: $0) }
        } catch {
            try begin(received: Timestamp(milliseconds: 0), key: "")
            try sink.unreadable(
                payload,
                length: payload.count,
                at: start,
                "The erasure record at \(start) cannot be read: \(error)"
            )
            return nil
        }
    }

    /// Begins content whose installation is missing or not known yet.
    private func begin(received: Timestamp, key: String) throws {
        try sink.begin(installation: nil, writer: nil, recorded: nil, received: received, key: key)
    }

    private func enter(_ record: InflatedRecord, at start: LogPosition) throws {
        var index = 0
        let received = record.header.received
        var context: UnsafeRawPointer?
        try begin(received: received, key: record.header.key)
        if let origin = record.header.replayed {
            // A batch rejected as a whole is listed as one entry; its events are not yet listed.
            if origin.ordinals.isEmpty, origin.refused.isEmpty { try sink.admittedOnReplay(at: origin.position) }
            for fault in origin.refused { try sink.rejectedOnReplay(fault, at: origin.place(of: fault)) }
        }
        try record.visit(
            header: { header in
                try begin(header, received: received, key: record.header.key)
            },
            event: { event in
                if !event.context.isEmpty, event.context.baseAddress != context {
                    context = event.context.baseAddress
                    try sink.context(event.context, clock: event.clock)
                }
                let position = EventPosition(segment: start.segment, offset: start.offset, ordinal: event.ordinal)
                try enter(event, index, at: position, record)
                index += 1
            },
            end: { try sink.store() }
        )
    }

    private func begin(_ header: BatchHeader, received: Timestamp, key: String) throws {
        // Earlier versions admitted any number. The events of such a batch count, but its numbers are ignored.
        let isBelieved = SequenceLimits.excess(of: header) == nil
        let listed = (header.dropped.map(\.sequences) + header.skipped).map(\.upperBound)
        let recorded = max(header.recorded ?? 0, header.last ?? 0, listed.max() ?? 0)
        try sink.begin(
            installation: header.installation,
            writer: header.writer,
            recorded: isBelieved
                ? recorded : header.last.flatMap { $0 <= SequenceLimits.lastSequence ? $0 : nil } ?? 0,
            received: received,
            key: key
        )
        guard isBelieved else { return }
        for range in header.dropped {
            try sink.account(range.sequences, .dropped, reason: range.reason.rawValue)
        }
        for range in header.skipped { try sink.account(range, .skipped, reason: "") }
    }

    private func enter(
        _ event: IntakeEvent,
        _ index: Int,
        at position: EventPosition,
        _ record: InflatedRecord
    ) throws {
        let sequence = event.sequence.flatMap { $0 <= SequenceLimits.lastSequence ? $0 : nil }
        if let erased = event.erased { return try sink.erased(erased, sequence: sequence) }
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
            return try sink.erase(DeletionRequest(installation, record.header), sequence: sequence)
        case .proved(let installation), .unproved(let installation?):
            return try refuse(event, sequence, at: position, record, .unproved(installation, index: event.ordinal))
        case .unproved(nil):
            return try refuse(event, sequence, at: position, record, .unproved(nil, index: event.ordinal))
        }
        let origin = record.header.replayed
        // An event without an id gets an id derived from its first position; otherwise each replay would count it
        // again.
        let place = origin?.place(of: event.ordinal) ?? position
        let visited = VisitedEvent(
            line: event.json,
            scan: scan,
            id: event.id(at: place, received: record.header.received),
            position: position,
            sequence: sequence,
            index: index,
            time: event.time ?? record.header.received
        )
        guard let origin else { return try sink.event(visited) }
        try sink.admittedOnReplay(at: place)
        try sink.store()
        try sink.event(visited)
        if try sink.store() > 0 { try sink.mark(position, from: place, origin) }
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
        try sink.failed(failure, sequence: sequence)
    }
}
