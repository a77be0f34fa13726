// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension BatchHeader {
    /// The most dropped and skipped ranges a header may name, together.
    package static let maximumRanges = 4_096

    /// Reads a header line: `{"batch":{"id":"…",…}}`. Unknown members are passed over.
    ///
    /// - Throws: ``AdmissionError`` `malformed_header` with the member at fault.
    /// - Complexity: O(length).
    package init(line: UnsafeRawBufferPointer) throws(AdmissionError) {
        self.init(id: "")
        var field = "batch"
        do throws(JSONError) {
            var scanner = try JSONScanner(line, limits: JSONLimits(depth: 8))
            try scanner.enterObject()
            _ = try scanner.nextKey()
            try scanner.enterObject()
            var first: UInt64?
            var last: UInt64?
            while let key = try scanner.nextKey() {
                field = "batch." + scanner.string(key)
                switch field {
                case "batch.id": id = scanner.string(try scanner.readText())
                case "batch.installation": installation = try scanner.identity()
                case "batch.writer": writer = try scanner.identity()
                case "batch.first": first = try scanner.sequenceNumber()
                case "batch.last": last = try scanner.sequenceNumber()
                case "batch.recorded": recorded = try scanner.sequenceNumber()
                case "batch.sent": sent = Timestamp(milliseconds: Int64(clamping: try scanner.sequenceNumber()))
                case "batch.sdk": sdk = scanner.string(try scanner.readText())
                case "batch.dropped": dropped = try scanner.droppedRanges(atMost: Self.maximumRanges)
                case "batch.skipped": skipped = try scanner.skippedRanges(atMost: Self.maximumRanges)
                default: try scanner.skipValue()
                }
            }
            field = "batch"
            while try scanner.nextKey() != nil { try scanner.skipValue() }
            try scanner.finish()
            field = "batch.first"
            if let first, let last {
                guard first <= last else { throw JSONError(.memberInvalid, at: 0) }
                sequences = first...last
            }
        } catch {
            throw AdmissionError(
                .malformed,
                code: "malformed_header",
                field: String(field.prefix(128)),
                message: "The batch header cannot be read: \(error)."
            )
        }
        guard !id.isEmpty, id.utf8.count <= 256 else {
            throw AdmissionError(
                .malformed,
                code: "malformed_header",
                field: "batch.id",
                message: "The batch header needs an id of 1 to 256 bytes."
            )
        }
        guard sequences == nil || (installation != nil && writer != nil) else {
            throw AdmissionError(
                .malformed,
                code: "malformed_header",
                field: "batch.writer",
                message: "Sequence numbers mean nothing without the installation and the writer they belong to."
            )
        }
    }
}

extension JSONScanner {
    fileprivate mutating func sequenceNumber() throws(JSONError) -> UInt64 {
        let at = offset
        guard case .integer(let value) = try readNumber(), value >= 0 else { throw JSONError(.memberInvalid, at: at) }
        return UInt64(value)
    }

    fileprivate mutating func identity<ID: UniqueID>() throws(JSONError) -> ID {
        let at = offset
        guard let id = ID(string(try readText())) else { throw JSONError(.memberInvalid, at: at) }
        return id
    }

    /// `[[5,7,"damaged"],…]`
    fileprivate mutating func droppedRanges(atMost limit: Int) throws(JSONError) -> [DroppedRange] {
        var ranges: [DroppedRange] = []
        try enterArray()
        while try nextElement() {
            guard ranges.count < limit else { throw JSONError(.tooLarge, at: offset) }
            let sequences = try range()
            guard try nextElement() else { throw JSONError(.memberMissing, at: offset) }
            let reason = String(string(try readText()).prefix(64))
            guard try !nextElement() else { throw JSONError(.unexpectedByte, at: offset) }
            ranges.append(DroppedRange(sequences: sequences, reason: DropReason(rawValue: reason)))
        }
        return ranges
    }

    /// `[[9,9],…]`
    fileprivate mutating func skippedRanges(atMost limit: Int) throws(JSONError) -> [ClosedRange<UInt64>] {
        var ranges: [ClosedRange<UInt64>] = []
        try enterArray()
        while try nextElement() {
            guard ranges.count < limit else { throw JSONError(.tooLarge, at: offset) }
            ranges.append(try range())
            guard try !nextElement() else { throw JSONError(.unexpectedByte, at: offset) }
        }
        return ranges
    }

    /// The two bounds at the beginning of an array, which stays entered.
    private mutating func range() throws(JSONError) -> ClosedRange<UInt64> {
        try enterArray()
        let at = offset
        guard try nextElement() else { throw JSONError(.memberMissing, at: at) }
        let first = try sequenceNumber()
        guard try nextElement() else { throw JSONError(.memberMissing, at: at) }
        let last = try sequenceNumber()
        guard first <= last else { throw JSONError(.memberInvalid, at: at) }
        return first...last
    }
}
