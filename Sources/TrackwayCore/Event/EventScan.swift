// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A received event: a validated line of JSON.
///
/// The entire line is validated, and the positions of its parts are recorded.
///
/// Nothing is allocated for a valid event. Only requested parts are decoded, because receivers store the line itself.
/// Members may be in any order, with whitespace; unknown members are validated and skipped. The id and the times may be
/// missing, because a simple client leaves them to the receiver; the name is required.
public struct EventScan: Sendable {
    /// The event's id, if the line has one.
    public private(set) var id: EventID?
    /// The position of the name.
    public private(set) var name = JSONStringRange(range: 0..<0, hasEscapes: false)
    /// The event's wall time, if the line has one.
    public private(set) var time: Timestamp?
    /// The event's monotonic time, if the line has one.
    public private(set) var monotonic: MonotonicTime?
    /// The position of the attributes object, if any.
    public private(set) var attributes: Range<Int>?
    /// The position of the items array, if any.
    public private(set) var items: Range<Int>?
    /// The number of attributes.
    public private(set) var attributeCount = 0
    /// The number of items.
    public private(set) var itemCount = 0
    /// The number of members that are not part of the format.
    public private(set) var unknownMembers = 0

    /// Validates a line.
    ///
    /// The limits are those of recording; a line may contain two more attributes, `_error_code` and `_error_message`.
    ///
    /// - Throws: The first problem; `malformed` if the text is not JSON.
    /// - Complexity: O(length).
    public init(_ line: UnsafeRawBufferPointer, limits: EventLimits = EventLimits()) throws(EventFault) {
        guard line.count <= limits.eventBytes else {
            throw EventFault(
                code: .eventTooLarge,
                field: "",
                offset: limits.eventBytes,
                message: "The event has \(line.count) bytes; at most \(limits.eventBytes) are accepted."
            )
        }
        var check = EventValidator(limits: limits)
        do {
            var scanner = try JSONScanner(line, limits: JSONLimits(bytes: line.count))
            try read(&scanner, &check)
        } catch {
            throw check.fault(error)
        }
    }

    private mutating func read(_ scanner: inout JSONScanner, _ check: inout EventValidator) throws(JSONError) {
        var hasName = false
        guard try scanner.peek() == .object else { throw check.wrongType(scanner.offset, "an object") }
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "id") {
                try check.begin("id", at: key, isRepeated: id != nil)
                id = try check.id(&scanner)
            } else if scanner.text(key, equals: "name") {
                try check.begin("name", at: key, isRepeated: hasName)
                name = try check.name(&scanner)
                hasName = true
            } else if scanner.text(key, equals: "time") {
                try check.begin("time", at: key, isRepeated: time != nil)
                time = Timestamp(milliseconds: try check.time(&scanner))
            } else if scanner.text(key, equals: "mono") {
                try check.begin("mono", at: key, isRepeated: monotonic != nil)
                monotonic = MonotonicTime(milliseconds: try check.integer(&scanner))
            } else if scanner.text(key, equals: "attributes") {
                try check.begin("attributes", at: key, isRepeated: attributes != nil)
                scanner.skipSpace()
                let first = scanner.offset
                attributeCount = try check.attributes(&scanner)
                attributes = first..<scanner.offset
            } else if scanner.text(key, equals: "items") {
                try check.begin("items", at: key, isRepeated: items != nil)
                scanner.skipSpace()
                let first = scanner.offset
                itemCount = try check.items(&scanner)
                items = first..<scanner.offset
            } else {
                unknownMembers &+= 1
                try scanner.skipValue()
            }
            check.field = ""
        }
        try scanner.finish()
        guard hasName else {
            throw check.refuse(.fieldMissing, "name", at: 0, "Every event needs a name: {\"name\":\"purchase\"}.")
        }
    }
}
