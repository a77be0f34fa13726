// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
public import TrackwayDestinationKit

/// Checks every event of an inflated body in one pass.
struct BatchInspection {
    private(set) var accepted = 0
    /// The number of accepted events that erase an installation.
    private(set) var erasures = 0
    private(set) var rejected: [RejectedEvent] = []
    /// Warnings about ignored content that the sender probably expected to be used.
    private(set) var warnings = AdmissionWarnings()
    private let received: Timestamp
    /// The correction to add to the device's times, in milliseconds.
    private var skew: Int64 = 0
    /// The batch's header.
    private(set) var header: BatchHeader?
    /// The installation that the header names.
    var sender: InstallationID? { header?.installation }
    private var isCompressedText = false
    /// The indexes of the events of erased users, which are rejected and not stored.
    private(set) var erased: Set<Int> = []
    /// The parts of the body that contain these events.
    private var redaction = BodyRedaction()

    /// Inspects the whole body.
    ///
    /// - Parameters:
    ///   - received: The time of arrival.
    ///   - isErasedUser: Returns whether a user was erased; nil if no user was ever erased.
    /// - Throws: ``AdmissionError`` if the body is invalid as a whole, not only in single events.
    init(
        _ bytes: UnsafeRawBufferPointer,
        limits: AdmissionLimits,
        received: Timestamp,
        isErasedUser: ((String) -> Bool)?
    ) throws(AdmissionError) {
        self.received = received
        var isErased = false
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
                if let isErasedUser { isErased = inspectUser(line, at: range.lowerBound, isErasedUser) }
                warnings.addContextWarnings(line)
            case .event(let range):
                guard index < limits.events else {
                    throw AdmissionError(
                        .tooLarge,
                        code: .tooManyEvents,
                        message: "The batch has more than \(limits.events) events; send fewer at once."
                    )
                }
                if sequences != nil, sequences?.next() == nil { throw Self.sequenceMismatch }
                let line = UnsafeRawBufferPointer(rebasing: bytes[range])
                let isAccountedFor = isErased ? false : check(line, index, limits, isErasedUser)
                if !isAccountedFor {
                    rejected.append(.erasedUser(index: index))
                    erased.insert(index)
                    redaction.replace(range, with: ErasedPlaceholder.rejected.rawValue)
                }
                index += 1
            }
        }
        if sequences != nil, sequences?.next() != nil { throw Self.sequenceMismatch }
        for name in lines.strayMembers { warnings.addStrayMember(name, nextTo: "events") }
    }

    /// Throws if the batch as a whole is not acceptable.
    ///
    /// A sender that names its batch gets a verdict for every event. For other senders, a body without a single
    /// acceptable event is a bad request, and the first event's error is the reason.
    func conclude() throws(AdmissionError) {
        guard accepted == 0, header == nil, erased.isEmpty else { return }
        guard let first = rejected.first else {
            throw AdmissionError(
                .malformed,
                code: .emptyBatch,
                message: "The body contains no events; send one JSON object per line."
            )
        }
        if isCompressedText {
            throw AdmissionError(
                .malformed,
                code: .wrongEncoding,
                field: "content-encoding",
                message: "The body is gzip, but the request does not declare it; send “Content-Encoding: gzip”."
            )
        }
        throw AdmissionError(
            first.code == Diagnostic.Code.eventTooLarge.rawValue ? .tooLarge : .malformed,
            code: first.code,
            field: first.field,
            message: first.message
        )
    }

    /// Returns the body without the events of erased users; nil if there are none.
    func redacted(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        redaction.isEmpty ? nil : redaction.apply(to: bytes)
    }

    /// Returns whether a context's user was erased, in which case the context is not stored either.
    private mutating func inspectUser(
        _ line: UnsafeRawBufferPointer,
        at offset: Int,
        _ isErasedUser: (String) -> Bool
    ) -> Bool {
        do throws(JSONError) {
            guard let value = try JSONScanner.member("context", of: line) else { return false }
            let context = UnsafeRawBufferPointer(rebasing: line[value])
            guard let user = ContextFacts(context: context).user, isErasedUser(user) else { return false }
            redaction.replace(offset + value.lowerBound..<offset + value.upperBound, with: "{}")
            return true
        } catch {
            return false  // The context was checked before.
        }
    }

    /// Checks an event.
    ///
    /// - Returns: False for an `_alias` event that names an erased user, which is not counted here.
    private mutating func check(
        _ line: UnsafeRawBufferPointer,
        _ index: Int,
        _ limits: AdmissionLimits,
        _ isErasedUser: ((String) -> Bool)?
    ) -> Bool {
        let scan: EventScan
        switch Self.judged(line, index: index, limits: limits, hasSendTime: header?.sent != nil) {
        case .failure(let fault):
            rejected.append(fault)
            return true
        case .success(let accepted, let erases):
            scan = accepted
            if let alias = MergeStatement(ReceivedEvent(line, scan), at: 0) {
                if let isErasedUser, isErasedUser(alias.user) || isErasedUser(alias.target ?? "") { return false }
                warnings.addAliasWarning(alias, of: index, hasInstallation: sender != nil)
            }
            if erases { erasures += 1 }
        }
        accepted += 1
        if scan.unknownMembers > 0 { warnings.addUnreadMembers(in: line, of: index) }
        guard let time = scan.time else { return true }
        warnings.addTimeWarning(time.advanced(by: .milliseconds(skew)), received: received, of: index)
        return true
    }

    /// Returns the reason for rejecting an event; nil if it is acceptable.
    ///
    /// - Parameters:
    ///   - index: The event's index in the batch.
    ///   - hasSendTime: Whether the batch states when it was sent.
    /// - Complexity: O(length).
    static func fault(
        in line: UnsafeRawBufferPointer,
        index: Int,
        limits: AdmissionLimits,
        hasSendTime: Bool
    ) -> RejectedEvent? {
        guard case .failure(let fault) = judged(line, index: index, limits: limits, hasSendTime: hasSendTime) else {
            return nil
        }
        return fault
    }

    /// Returns the offsets of an acceptable event's parts, or the event's rejection.
    private static func judged(
        _ line: UnsafeRawBufferPointer,
        index: Int,
        limits: AdmissionLimits,
        hasSendTime: Bool
    ) -> Verdict {
        do {
            let scan = try EventScan(line, limits: limits.event)
            let erases: Bool
            switch Tombstone(line, scan) {
            case nil: erases = false
            case .proved: erases = true
            case .unproved(let installation): return .failure(.unproved(installation, index: index, id: scan.id))
            }
            // A device's clock may show any time and is corrected later. Without clock information, a wrong unit is the
            // sender's mistake.
            if let time = scan.time, scan.monotonic == nil, !hasSendTime,
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

    /// Returns the id of a rejected event; nil if the error precedes it.
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
            // The line is known to be invalid; the id is optional.
            return nil
        }
    }

    /// The maximum length of a header line in bytes.
    ///
    /// The limit suffices for about ten thousand gaps.
    private static let longestHeader = 256 << 10

    private static func header(_ line: UnsafeRawBufferPointer) throws(AdmissionError) -> BatchHeader {
        let header: BatchHeader
        do throws(JSONError) {
            guard line.count <= longestHeader else { throw JSONError(.tooLarge, at: longestHeader) }
            header = try BatchHeader(json: line)
        } catch {
            throw AdmissionError(
                .malformed,
                code: .malformedHeader,
                field: "batch",
                message: "The batch header cannot be read: \(error)."
            )
        }
        guard header.sequences == nil || (header.installation != nil && header.writer != nil) else {
            throw AdmissionError(
                .malformed,
                code: .malformedHeader,
                field: "batch.writer",
                message: "Sequence numbers require the installation and the writer that they belong to."
            )
        }
        if let (field, value) = SequenceLimits.excess(of: header) {
            throw AdmissionError(
                .malformed,
                code: .malformedHeader,
                field: "batch.\(field)",
                message:
                    "\(value) is not a plausible sequence number; the maximum is \(SequenceLimits.lastSequence)."
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
                code: .malformedContext,
                field: "context",
                message: "The context cannot be read: \(error)."
            )
        }
    }

    private static var sequenceMismatch: AdmissionError {
        AdmissionError(
            .malformed,
            code: .sequenceMismatch,
            field: "batch.last",
            message:
                "The number of events differs from the sequence numbers; the header and the lines must agree."
        )
    }
}

/// Limits for the sequence numbers that a batch may claim.
///
/// A writer is one process of one app and never comes close to the limit. Within the limit, no sum in the ledger comes
/// close to overflowing.
public enum SequenceLimits {
    /// The maximum sequence number: 2⁴⁰.
    ///
    /// The limit suffices for a thousand events a second for 34 years.
    public static let lastSequence: UInt64 = 1 << 40

    /// Returns the first header member above the maximum.
    ///
    /// Nil if no member exceeds the maximum.
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
