// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One event as a receiver sees it: a line of JSON, checked completely, with the places of its parts.
///
/// Nothing is allocated for a valid event, and nothing is decoded that was not asked for: the line itself is what is
/// kept. Members may stand in any order, with white space; unknown members are checked and passed over. Identity and
/// times may be missing, because a simple client leaves them to the receiver; the name may not.
public struct EventScan: Sendable {
    /// The event's identity, if the line has one.
    public private(set) var id: EventID?
    /// The name's place.
    public private(set) var name = JSONText(range: 0..<0, hasEscapes: false)
    /// The event's wall time, if the line has one.
    public private(set) var time: Timestamp?
    /// The event's monotonic time, if the line has one.
    public private(set) var monotonic: MonotonicTime?
    /// The place of the attributes' object, if there is one.
    public private(set) var attributes: Range<Int>?
    /// The place of the items' array, if there is one.
    public private(set) var items: Range<Int>?
    /// How many attributes the event has.
    public private(set) var attributeCount = 0
    /// How many items the event has.
    public private(set) var itemCount = 0
    /// How many members the event has that are not part of the format.
    public private(set) var unknownMembers = 0

    /// Checks a line.
    ///
    /// The limits are those of recording; a line may hold two attributes more, `_error_code` and `_error_message`.
    ///
    /// - Throws: The first thing that is wrong. A text that is not JSON at all is `malformed`.
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
        var check = EventCheck(limits: limits)
        do {
            var scanner = try JSONScanner(line, limits: JSONLimits(bytes: line.count))
            try read(&scanner, &check)
        } catch {
            throw check.fault(error)
        }
    }

    private mutating func read(_ scanner: inout JSONScanner, _ check: inout EventCheck) throws(JSONError) {
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
