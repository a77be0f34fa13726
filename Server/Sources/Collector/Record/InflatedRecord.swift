// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
public import TrackwayWire

/// A kept batch whose body has been inflated and taken apart: what ``IntakeRecord/visit(limits:header:event:)`` hands over, kept.
///
/// One thread can do that while another enters the batch before it into the index.
public struct InflatedRecord: Sendable {
    /// What the collector added.
    public let header: IntakeHeader
    private var bytes: [UInt8] = []
    private var parts: [Part] = []
    private var failure: (any Error)?

    private enum Part: Sendable {
        case header(BatchHeader)
        case event(Event)
    }

    /// An event, with places in the inflated body instead of addresses.
    private struct Event: Sendable {
        let ordinal: Int
        let sequence: UInt64?
        let json: Range<Int>
        let context: Range<Int>?
        let scan: EventScan?
        let fault: RejectedEvent?
    }

    /// Inflates a record and takes it apart, as far as it can be. What stands in the way is told by ``visit(header:event:)``.
    ///
    /// - Complexity: O(inflated bytes), in time and in memory.
    public init(_ record: IntakeRecord, limits: AdmissionLimits) {
        header = record.header
        do {
            bytes = try record.inflated(limits: limits)
            try bytes.withUnsafeBytes { bytes in
                func place(_ part: UnsafeRawBufferPointer) -> Range<Int>? {
                    guard let start = part.baseAddress, let base = bytes.baseAddress, !part.isEmpty else { return nil }
                    return start - base..<start - base + part.count
                }
                try record.walk(
                    bytes,
                    limits: limits,
                    { parts.append(.header($0)) },
                    { event in
                        parts.append(
                            .event(
                                Event(
                                    ordinal: event.ordinal,
                                    sequence: event.sequence,
                                    json: place(event.json) ?? 0..<0,
                                    context: place(event.context),
                                    scan: event.scan,
                                    fault: event.fault
                                )
                            )
                        )
                    }
                )
            }
        } catch {
            failure = error
        }
    }

    /// How many bytes its body has, inflated.
    public var byteCount: Int { bytes.count }

    /// How many events it has, refused ones included.
    public var events: Int {
        parts.count { if case .event = $0 { true } else { false } }
    }

    /// Hands over its headers and events, in order.
    ///
    /// - Parameter visitEnd: called behind the last of them, also behind the last before an error.
    /// - Throws: ``RecordError`` and the like, behind what could be taken apart; or what a closure throws.
    /// - Complexity: O(events). The places in the events are valid until `visitEnd` has run.
    public func visit(
        header visitHeader: (BatchHeader) throws -> Void = { _ in },
        event visitEvent: (IntakeEvent) throws -> Void,
        end visitEnd: () throws -> Void = {}
    ) throws {
        try bytes.withUnsafeBytes { bytes in
            do {
                try visit(bytes, visitHeader, visitEvent)
            } catch {
                try visitEnd()
                throw error
            }
            try visitEnd()
        }
        if let failure { throw failure }
    }

    private func visit(
        _ bytes: UnsafeRawBufferPointer,
        _ visitHeader: (BatchHeader) throws -> Void,
        _ visitEvent: (IntakeEvent) throws -> Void
    ) throws {
        for part in parts {
            switch part {
            case .header(let header):
                try visitHeader(header)
            case .event(let event):
                try visitEvent(
                    IntakeEvent(
                        ordinal: event.ordinal,
                        sequence: event.sequence,
                        json: UnsafeRawBufferPointer(rebasing: bytes[event.json]),
                        context: event.context.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
                            ?? UnsafeRawBufferPointer(start: nil, count: 0),
                        scan: event.scan,
                        fault: event.fault
                    )
                )
            }
        }
    }
}
