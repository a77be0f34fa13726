// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

/// Bodies for tests, and the results of their admission.
enum Body {
    static let installation = InstallationID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    static let writer = WriterID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002)
    static let received = Timestamp(milliseconds: 1_700_000_000_000)
    static let grant = KeyGrant(name: "shop", scopes: [.write])

    /// Returns an event line with an id made from its number.
    static func event(_ number: UInt64, attributes: String = #"{"price":9.5}"#) -> String {
        let id = EventID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
        return #"{"id":"\#(id)","name":"view_item","time":1700000000000,"mono":5,"attributes":\#(attributes)}"#
    }

    /// Returns a header line for a range of sequence numbers.
    static func header(_ first: UInt64, _ last: UInt64, _ more: String = "") -> String {
        #"{"batch":{"id":"b","installation":"\#(installation)","writer":"\#(writer)","first":\#(first),"last":\#(last)\#(more)}}"#
    }

    static func lines(_ lines: String...) -> [UInt8] {
        Array(lines.joined(separator: "\n").utf8)
    }

    static func admit(
        _ body: [UInt8],
        encoding: ContentEncoding = .identity,
        limits: AdmissionLimits = AdmissionLimits()
    ) throws(AdmissionError) -> AdmittedBatch {
        let verdict = body.withUnsafeBytes { bytes in
            Result { () throws(AdmissionError) in
                try Admission(limits: limits).admit(bytes, encoding: encoding, grant: grant, received: received)
            }
        }
        return try verdict.get()
    }

    /// Returns an admitted batch's stored content, as the index reads it.
    static func visit(_ batch: AdmittedBatch) throws -> (header: BatchHeader?, events: [VisitedIntakeEvent]) {
        let record = try batch.record.withUnsafeBytes { try IntakeRecord(payload: $0) }
        var header: BatchHeader?
        var events: [VisitedIntakeEvent] = []
        try record.visit(
            header: { header = $0 },
            event: { events.append(VisitedIntakeEvent($0)) }
        )
        return (header, events)
    }
}

/// A copy of a visited event.
struct VisitedIntakeEvent: Hashable {
    var ordinal: Int
    var sequence: UInt64?
    var json: String
    var context: String
    var fault: String?

    init(_ event: IntakeEvent) {
        ordinal = event.ordinal
        sequence = event.sequence
        json = String(decoding: event.json, as: UTF8.self)
        context = String(decoding: event.context, as: UTF8.self)
        fault = event.fault?.code
    }
}
