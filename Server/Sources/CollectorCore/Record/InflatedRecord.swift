// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
public import TrackwayDestinationKit

/// A stored batch whose body has been inflated and split.
///
/// The record stores what ``IntakeRecord/visit(limits:header:event:)`` passes to its closures. One thread can inflate
/// and split a batch while another one adds the previous batch to the index.
public struct InflatedRecord: Sendable {
    /// The header that the collector added.
    public let header: IntakeHeader
    /// The inflated body, followed by the contexts with the sender's address.
    private var bytes: [UInt8] = []
    private var bodyCount = 0
    private var parts: [Part] = []
    /// The clock corrections; ``clockPlaces`` maps each event to its correction and to its index in that correction.
    private var clocks: [ClockCorrection] = []
    private var clockPlaces: [Int: (clock: Int, place: Int)] = [:]
    private var failure: (any Error)?

    private enum Part: Sendable {
        case header(BatchHeader)
        case event(Event)
    }

    /// An event, with offsets in the inflated body instead of addresses.
    private struct Event: Sendable {
        let ordinal: Int
        let sequence: UInt64?
        let json: Range<Int>
        let context: Range<Int>?
        /// The context that is passed on: with the sender's address, if the header has one.
        var shown: Range<Int>?
        let scan: EventScan?
        let fault: RejectedEvent?
        let erased: ErasedPlaceholder?
    }

    /// Inflates a record and splits it as far as possible.
    ///
    /// An error is thrown later, by ``visit(header:event:end:)``.
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
                                    shown: place(event.context),
                                    scan: event.scan,
                                    fault: event.fault,
                                    erased: event.erased
                                )
                            )
                        )
                    }
                )
            }
        } catch {
            failure = error
        }
        bodyCount = bytes.count
        correctClocks()
        addClient()
    }

    /// Adds the sender's address to the contexts, which then follow the body.
    private mutating func addClient() {
        guard let client = header.client else { return }
        var known: (context: Range<Int>?, shown: Range<Int>?)?
        for (index, part) in parts.enumerated() {
            guard case .event(var event) = part else {
                // Each sender has its own contexts.
                known = nil
                continue
            }
            if known == nil || known?.context != event.context {
                known = (event.context, shown(event.context, client: client))
            }
            event.shown = known?.shown
            parts[index] = .event(event)
        }
    }

    /// Appends a context with the sender's address, and returns its place; the app's own address is kept.
    private mutating func shown(_ context: Range<Int>?, client: String) -> Range<Int>? {
        let address = "{\"ip\":" + String(decoding: JSONValue.string(client).json(), as: UTF8.self)
        let start = bytes.count
        guard let context else {
            bytes += (address + "}").utf8
            return start..<bytes.count
        }
        let hasAddress: Bool
        do throws(JSONError) {
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(JSONError) in
                    try JSONScanner.member("ip", of: UnsafeRawBufferPointer(rebasing: bytes[context])) != nil
                }
            }
            hasAddress = try result.get()
        } catch {
            return context  // Admission checked the text: a value that is not an object has no members.
        }
        guard !hasAddress, let brace = bytes[context].firstIndex(of: UInt8(ascii: "{")) else { return context }
        let rest = Array(bytes[(brace + 1)..<context.upperBound])
        let isEmpty = rest.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "}")
        bytes += (address + (isEmpty ? "" : ",")).utf8
        bytes += rest
        return start..<bytes.count
    }

    /// Computes the clock error of each sender.
    ///
    /// A replayed batch was sent long before its replay, so its time of arrival says nothing about the clock.
    private mutating func correctClocks() {
        var sent: Timestamp?
        var events: [Int] = []
        for (index, part) in parts.enumerated() {
            switch part {
            case .header(let batch):
                correctClock(events, sent: sent)
                events = []
                sent = header.replayed == nil ? batch.sent : nil
            case .event: events.append(index)
            }
        }
        correctClock(events, sent: sent)
    }

    private mutating func correctClock(_ indices: [Int], sent: Timestamp?) {
        var boots: [[UInt8]: Int] = [:]
        var known: (context: Range<Int>, boot: Int?)?
        let observations = indices.map { index in
            guard case .event(let event) = parts[index] else { return ClockCorrection.Observation() }
            if let context = event.context, known?.context != context {
                let name = boot(in: context)
                known = (context, name.map { boots[$0, default: boots.count] })
                if let name, let boot = known?.boot { boots[name] = boot }
            }
            return ClockCorrection.Observation(
                time: event.scan?.time?.milliseconds,
                monotonic: event.scan?.monotonic?.milliseconds,
                boot: event.context == nil ? nil : known?.boot
            )
        }
        let clock = ClockCorrection(observations, sent: sent, received: header.received)
        guard !clock.isEmpty else { return }
        for (place, index) in indices.enumerated() { clockPlaces[index] = (clocks.count, place) }
        clocks.append(clock)
    }

    /// Returns the text of a context's boot id.
    ///
    /// Nil if the context has no boot id.
    private func boot(in context: Range<Int>) -> [UInt8]? {
        bytes.withUnsafeBytes { bytes in
            let context = UnsafeRawBufferPointer(rebasing: bytes[context])
            do throws(JSONError) {
                guard let value = try JSONScanner.member("boot", of: context), !value.isEmpty else { return nil }
                return Array(context[value])
            } catch {
                return nil  // Admission checked the text: a value that is not an object has no boot id.
            }
        }
    }

    /// The size of the inflated body in bytes.
    public var byteCount: Int { bodyCount }

    /// Whether a part of the body could not be split into events.
    var isTorn: Bool { failure != nil }

    /// The inflated body.
    var body: [UInt8] { bodyCount == bytes.count ? bytes : Array(bytes[..<bodyCount]) }

    /// Returns the ranges of an event's line and of its context in the body.
    ///
    /// The result contains every event, in order.
    var eventRanges: [(event: Range<Int>, context: Range<Int>?)] {
        parts.compactMap { if case .event(let event) = $0 { (event.json, event.context) } else { nil } }
    }

    /// The number of events, including rejected ones.
    public var events: Int {
        parts.count { if case .event = $0 { true } else { false } }
    }

    /// Visits the headers and events in order.
    ///
    /// - Parameter visitEnd: Called after the last header or event, including the last one before an error.
    /// - Throws: ``RecordError`` or another error after the part that could be split, or the error of a closure.
    /// - Complexity: O(events). The pointers in the events are valid until `visitEnd` has returned.
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
        for (index, part) in parts.enumerated() {
            switch part {
            case .header(let header):
                try visitHeader(header)
            case .event(let event):
                let place = clockPlaces[index]
                let clock = place.map { clocks[$0.clock] }
                try visitEvent(
                    IntakeEvent(
                        ordinal: event.ordinal,
                        sequence: event.sequence,
                        json: UnsafeRawBufferPointer(rebasing: bytes[event.json]),
                        context: event.shown.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
                            ?? UnsafeRawBufferPointer(start: nil, count: 0),
                        scan: event.scan,
                        fault: event.fault,
                        erased: event.erased,
                        time: place.flatMap { clock?.time(of: $0.place) } ?? event.scan?.time,
                        clock: clock
                    )
                )
            }
        }
    }
}
