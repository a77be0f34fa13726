// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
public import TrackwayWire

/// One walk over an inflated body: counts what is acceptable, and notes what is not.
struct BatchInspection {
    private(set) var accepted = 0
    /// How many of those that are accepted erase an installation.
    private(set) var erasures = 0
    private(set) var rejected: [RejectedEvent] = []
    /// What its sender probably expects to be used, and is not.
    private(set) var warnings = AdmissionWarnings()
    private let received: Timestamp
    /// How far the device's clock is off, in milliseconds.
    private var skew: Int64 = 0
    /// The batch's header.
    private(set) var header: BatchHeader?
    /// The installation the header names.
    var sender: InstallationID? { header?.installation }
    private var isCompressedText = false

    /// Walks over the whole body.
    ///
    /// - Parameter received: The time of arrival.
    /// - Throws: ``AdmissionError`` when the body is broken in a way that no single event is to blame for.
    init(
        _ bytes: UnsafeRawBufferPointer,
        limits: AdmissionLimits,
        received: Timestamp
    ) throws(AdmissionError) {
        self.received = received
        isCompressedText = bytes.count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b
        var lines = try BatchLines(bytes)
        var sequences: BatchSequences?
        var index = 0
        while let line = try lines.next() {
            switch line {
            case .header(let range):
                let header = try Self.header(UnsafeRawBufferPointer(rebasing: bytes[range]))
                sequences = header.sequences
                self.header = header
                skew = ClockCorrection.skew(sent: header.sent, received: received)
            case .context(let range):
                let line = UnsafeRawBufferPointer(rebasing: bytes[range])
                try Self.checkContext(line, limits: limits)
                warnings.context(line)
            case .event(let range):
                guard index < limits.events else {
                    throw AdmissionError(
                        .tooLarge,
                        code: "too_many_events",
                        message: "The batch has more than \(limits.events) events; send fewer at once."
                    )
                }
                if sequences != nil, sequences?.next() == nil { throw Self.sequenceMismatch }
                check(UnsafeRawBufferPointer(rebasing: bytes[range]), index, limits)
                index += 1
            }
        }
        if sequences != nil, sequences?.next() != nil { throw Self.sequenceMismatch }
        for name in lines.strayMembers { warnings.stray(name, beside: "events") }
    }

    /// Decides whether the batch as a whole is acceptable.
    ///
    /// A sender that names its batch gets a verdict for every event. For one that does not, a body without a single
    /// acceptable event is simply a bad request, and the first fault says why.
    func conclude() throws(AdmissionError) {
        guard accepted == 0, header == nil else { return }
        guard let first = rejected.first else {
            throw AdmissionError(
                .malformed,
                code: "empty_batch",
                message: "The body holds no event; send one JSON object a line."
            )
        }
        if isCompressedText {
            throw AdmissionError(
                .malformed,
                code: "wrong_encoding",
                field: "content-encoding",
                message: "The body is gzip and the request does not say so; send “Content-Encoding: gzip”."
            )
        }
        throw AdmissionError(
            first.code == Diagnostic.Code.eventTooLarge.rawValue ? .tooLarge : .malformed,
            code: first.code,
            field: first.field,
            message: first.message
        )
    }

    private mutating func check(_ line: UnsafeRawBufferPointer, _ index: Int, _ limits: AdmissionLimits) {
        let scan: EventScan
        switch Self.judged(line, index: index, limits: limits, tellsClock: header?.sent != nil) {
        case .failure(let fault): return rejected.append(fault)
        case .success(let accepted, let erases):
            scan = accepted
            if erases { erasures += 1 }
        }
        accepted += 1
        if scan.unknownMembers > 0 { warnings.unread(in: line, of: index) }
        guard let time = scan.time else { return }
        warnings.time(time.advanced(by: .milliseconds(skew)), received: received, of: index)
    }

    /// What is wrong with an event; nil when it is acceptable.
    ///
    /// - Parameters:
    ///   - index: Its index among the batch's events.
    ///   - tellsClock: Whether the batch says when it was sent.
    /// - Complexity: O(length).
    static func fault(
        in line: UnsafeRawBufferPointer,
        index: Int,
        limits: AdmissionLimits,
        tellsClock: Bool
    ) -> RejectedEvent? {
        guard case .failure(let fault) = judged(line, index: index, limits: limits, tellsClock: tellsClock) else {
            return nil
        }
        return fault
    }

    /// The places of an acceptable event's parts, or what is wrong with it.
    private static func judged(
        _ line: UnsafeRawBufferPointer,
        index: Int,
        limits: AdmissionLimits,
        tellsClock: Bool
    ) -> Verdict {
        do {
            let scan = try EventScan(line, limits: limits.event)
            let erases: Bool
            switch Tombstone(line, scan) {
            case nil: erases = false
            case .proved: erases = true
            case .unproved(let installation): return .failure(.unproved(installation, index: index, id: scan.id))
            }
            // The clock of a device may show any time, and is corrected later. A program that tells nothing of its clock made a mistake.
            if let time = scan.time, scan.monotonic == nil, !tellsClock,
                let fault = EventTimes.wrongUnit(time, of: index, id: scan.id)
            {
                return .failure(fault)
            }
            return .success(scan, erases: erases)
        } catch {
            return .failure(
                RejectedEvent(
                    index: index,
                    id: identity(in: line),
                    code: error.code.rawValue,
                    field: error.field,
                    message: error.message
                )
            )
        }
    }

    private enum Verdict {
        case success(EventScan, erases: Bool)
        case failure(RejectedEvent)
    }

    /// The id of a refused event, if the line tells it before its fault.
    private static func identity(in line: UnsafeRawBufferPointer) -> EventID? {
        do throws(JSONError) {
            var scanner = try JSONScanner(line)
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                if scanner.text(key, equals: "id") { return EventID(scanner.string(try scanner.readText())) }
                try scanner.skipValue()
            }
            return nil
        } catch {
            // The line is known to be faulty; the id is a courtesy.
            return nil
        }
    }

    /// Longest header line, in bytes: room for some ten thousand gaps.
    private static let longestHeader = 256 << 10

    private static func header(_ line: UnsafeRawBufferPointer) throws(AdmissionError) -> BatchHeader {
        let header: BatchHeader
        do throws(JSONError) {
            guard line.count <= longestHeader else { throw JSONError(.tooLarge, at: longestHeader) }
            header = try BatchHeader(json: line)
        } catch {
            throw AdmissionError(
                .malformed,
                code: "malformed_header",
                field: "batch",
                message: "The batch header cannot be read: \(error)."
            )
        }
        guard header.sequences == nil || (header.installation != nil && header.writer != nil) else {
            throw AdmissionError(
                .malformed,
                code: "malformed_header",
                field: "batch.writer",
                message: "Sequence numbers mean nothing without the installation and the writer they belong to."
            )
        }
        if let (field, value) = PlausibleClaims.excess(of: header) {
            throw AdmissionError(
                .malformed,
                code: "malformed_header",
                field: "batch.\(field)",
                message:
                    "\(value) is no sequence number of a process; at most \(PlausibleClaims.lastSequence) are believed."
            )
        }
        return header
    }

    private static func checkContext(
        _ line: UnsafeRawBufferPointer,
        limits: AdmissionLimits
    ) throws(AdmissionError) {
        do throws(JSONError) {
            var scanner = try JSONScanner(
                line,
                limits: JSONLimits(bytes: limits.event.eventBytes, depth: limits.event.depth)
            )
            try scanner.enterObject()
            _ = try scanner.nextKey()
            guard try scanner.peek() == .object else { throw JSONError(.unexpectedType, at: scanner.offset) }
            try scanner.skipValue()
            while try scanner.nextKey() != nil { try scanner.skipValue() }
            try scanner.finish()
        } catch {
            throw AdmissionError(
                error.code == .tooLarge ? .tooLarge : .malformed,
                code: "malformed_context",
                field: "context",
                message: "The context cannot be read: \(error)."
            )
        }
    }

    private static var sequenceMismatch: AdmissionError {
        AdmissionError(
            .malformed,
            code: "sequence_mismatch",
            field: "batch.last",
            message:
                "The batch has more or fewer events than its sequence numbers; the header and the lines must agree."
        )
    }
}

/// What a batch may claim about sequence numbers. A writer is one process of one app: it never gets near the bound, and
/// below it every sum of the ledger stays far from the largest number.
public enum PlausibleClaims {
    /// The highest sequence number: 2⁴⁰, a thousand events a second for 34 years.
    public static let lastSequence: UInt64 = 1 << 40

    /// The member of a header that claims more; nil when none does.
    ///
    /// - Complexity: O(ranges).
    public static func excess(of header: BatchHeader) -> (field: String, value: UInt64)? {
        let claims: [(String, UInt64)] =
            [("first", header.first ?? 0), ("last", header.last ?? 0), ("recorded", header.recorded ?? 0)]
            + header.dropped.map { ("dropped", $0.sequences.upperBound) }
            + header.skipped.map { ("skipped", $0.upperBound) }
        return claims.first { $0.1 > lastSequence }.map { (field: $0.0, value: $0.1) }
    }
}
