// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension EventEncoding {
    /// The reason why a value was not written.
    enum Obstacle {
        case tooLong
        case notFinite
        case dateOutOfRange
        case tooDeep
        case tooLarge
    }

    /// Writes an object with the attributes that are valid and fit.
    ///
    /// - Returns: The number of written attributes.
    @inline(__always)
    mutating func attributes(_ attributes: Attributes, depth: Int, into writer: inout JSONWriter) -> Int {
        if let unsupported = attributes.unsupported { reportUnsupported(unsupported) }
        let mark = writer.count
        let known = problems.count
        let written =
            switch attributes.storage {
            case .values(let pairs):
                pairs.withUnsafeBufferPointer { members(ConvertedPairs(pairs: $0), depth: depth, into: &writer) }
            case .literal(let pairs) where pairs.count <= min(Self.maxCompared, maximumAttributes):
                pairs.withUnsafeBufferPointer { members(LiteralPairs($0), depth: depth, into: &writer) }
            case .literal:
                // There are more pairs than the limit, so pairs whose value is nil must not be counted.
                attributes.pairs.withUnsafeBufferPointer {
                    members(ConvertedPairs(pairs: $0), depth: depth, into: &writer)
                }
            }
        if written >= 0 { return written }
        // A key occurs twice, so write the object again, with each key once.
        writer.truncate(to: mark)
        problems.truncate(to: known)
        return uniqueAttributes(attributes, depth: depth, into: &writer)
    }

    @inline(never)
    private mutating func uniqueAttributes(
        _ attributes: Attributes,
        depth: Int,
        into writer: inout JSONWriter
    ) -> Int {
        let pairs = Array(attributes.pairs.prefix(maximumAttributes))
        let unique = Attributes(uniquing: pairs)
        let duplicate = Self.firstRepeated(pairs.map(\.0)[...])
        problems.add(
            .keyDuplicate,
            field: duplicate.map { pairs[$0].0 } ?? "",
            value: duplicate.map { pairs[$0].0 } ?? "",
            showsValue: false,
            "The key occurs more than once, and the last value was kept",
            recoverySuggestion: "Use each key only once."
        )
        if attributes.count > maximumAttributes { reportExcess(attributes.count) }
        return unique.pairs.withUnsafeBufferPointer { members(ConvertedPairs(pairs: $0), depth: depth, into: &writer) }
    }

    /// Writes the members; returns -1 as soon as a key occurs twice.
    @inline(__always)
    private mutating func members(
        _ pairs: some EncodedPairs,
        depth: Int,
        into writer: inout JSONWriter
    ) -> Int {
        // Above the number of keys that the filter can distinguish, comparing each key with all earlier ones would be
        // quadratic.
        let isCompared = pairs.count <= Self.maxCompared
        if !isCompared, Self.firstRepeated(pairs.keys(maximumAttributes)[...]) != nil { return -1 }
        var written = 0
        var filter = KeyFilter()
        writer.byte(UInt8(ascii: "{"))
        if pairs.count > maximumAttributes { reportExcess(pairs.count) }
        for index in 0..<min(pairs.count, maximumAttributes) {
            guard let value = pairs.value(index) else { continue }
            let key = pairs.key(index)
            let mark = writer.count
            if written > 0 { writer.byte(UInt8(ascii: ",")) }
            var isNew = true
            var length = 0
            let isContiguous: Void? = key.utf8.withContiguousStorageIfAvailable { utf8 in
                let key = UnsafeRawBufferPointer(utf8)
                length = key.count
                isNew = !filter.mayHaveSeen(key)
                writer.string(utf8: key)
            }
            if isContiguous == nil {
                length = key.utf8.count
                isNew = !filter.mayHaveSeen(key)
                writer.string(key)
            }
            if !isNew, isCompared, Self.isRepeated(pairs, index) { return -1 }
            guard length > 0, length <= keyBytes else {
                writer.truncate(to: mark)
                reportKey(key)
                continue
            }
            writer.byte(UInt8(ascii: ":"))
            let obstacle = self.value(value, depth: depth, key: key, into: &writer)
            if obstacle == nil, writer.count <= end {
                written += 1
            } else {
                writer.truncate(to: mark)
                reportValue(value, key: key, obstacle: obstacle ?? .tooLarge)
            }
        }
        writer.byte(UInt8(ascii: "}"))
        return written
    }

    /// The maximum number of keys that are compared individually.
    ///
    /// Larger objects are checked for duplicates in a single pass.
    private static var maxCompared: Int { 64 }

    /// The first index whose key also occurs at an earlier index.
    ///
    /// - Complexity: O(length of all keys).
    @inline(never)
    private static func firstRepeated(_ keys: ArraySlice<String>) -> Int? {
        // Compare bytes: keys that are canonically equivalent but have different bytes are different keys.
        var seen: Set<[UInt8]> = []
        return keys.indices.first { !seen.insert(Array(keys[$0].utf8)).inserted }
    }

    @inline(never)
    private static func isRepeated(_ pairs: some EncodedPairs, _ index: Int) -> Bool {
        let key = pairs.key(index)
        return (0..<index).contains { pairs.key($0).utf8.elementsEqual(key.utf8) && pairs.value($0) != nil }
    }

    /// Writes one value.
    ///
    /// Returns the obstacle if the value could not be written, and nil otherwise. The caller must remove a value that
    /// was partly written. The caller must remove a value that was partly written.
    @inline(__always)
    private mutating func value(
        _ value: AttributeValue,
        depth: Int,
        key: String,
        into writer: inout JSONWriter
    ) -> Obstacle? {
        switch value {
        case .string(let text):
            let length = text.utf8.count
            guard length <= stringBytes else { return .tooLong }
            if length == Timestamp.textLength, Timestamp.isDateFormat(of: text) {
                writer.dateLikeString(text)
            } else {
                writer.string(text)
            }
        case .integer(let number): writer.integer(number)
        case .double(let number):
            guard number.isFinite else { return .notFinite }
            writer.double(number)
        case .boolean(let truth): writer.boolean(truth)
        case .date(let date):
            guard Timestamp.representableRange.contains(date) else { return .dateOutOfRange }
            writer.date(date)
        case .array, .object: return nested(value, depth: depth, key: key, into: &writer)
        }
        return nil
    }

    @inline(never)
    private mutating func nested(
        _ value: AttributeValue,
        depth: Int,
        key: String,
        into writer: inout JSONWriter
    ) -> Obstacle? {
        guard depth < maximumDepth else { return .tooDeep }
        if case .object(let attributes) = value {
            let known = problems.count
            _ = self.attributes(attributes, depth: depth + 1, into: &writer)
            if problems.count > known { problems.prefix(key, since: known) }
            return nil
        }
        guard case .array(let values) = value else { return nil }
        writer.byte(UInt8(ascii: "["))
        for (index, element) in values.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            // An array without the invalid element would move the others to different indexes, so one invalid element
            // drops the whole array.
            if let obstacle = self.value(element, depth: depth + 1, key: key, into: &writer) { return obstacle }
            guard writer.count <= end else { return .tooLarge }
        }
        writer.byte(UInt8(ascii: "]"))
        return nil
    }

    // MARK: Reports

    @inline(never)
    private mutating func reportExcess(_ count: Int) {
        problems.add(
            .tooManyAttributes,
            field: "",
            value: "\(count) attributes",
            showsValue: false,
            "The last attributes were left out because the object has \(count) and the limit is \(maximumAttributes)",
            recoverySuggestion: "Use at most \(maximumAttributes) attributes in one object."
        )
    }

    @inline(never)
    private mutating func reportUnsupported(_ unsupported: Attributes.Unsupported) {
        for (key, type) in unsupported.values {
            problems.add(
                .valueUnsupported,
                field: key,
                value: type,
                showsValue: false,
                "The value was left out because its type \(type) is not supported",
                recoverySuggestion:
                    "Convert the value to a string, a number, a Boolean, a date, an array or a dictionary, or make "
                    + "\(type) conform to AttributeConvertible."
            )
        }
    }

    @inline(never)
    private mutating func reportKey(_ key: String) {
        if key.isEmpty {
            problems.add(
                .keyEmpty,
                field: "",
                value: "",
                "An attribute was left out because its key is empty",
                recoverySuggestion: "Give the attribute a key."
            )
        } else {
            problems.add(
                .keyTooLong,
                field: key,
                value: key,
                "The attribute was left out because its key has \(key.utf8.count) bytes of UTF-8 and the limit is "
                    + "\(keyBytes)",
                recoverySuggestion: "Use keys of at most \(keyBytes) bytes."
            )
        }
    }

    @inline(never)
    private mutating func reportValue(_ value: AttributeValue, key: String, obstacle: Obstacle) {
        switch obstacle {
        case .tooLong:
            guard case .string(let text) = value else {
                problems.add(
                    .valueTooLong,
                    field: key,
                    value: value.summary,
                    "The array was left out because a string in it has more bytes of UTF-8 than the limit of "
                        + "\(stringBytes)",
                    recoverySuggestion: "Use strings of at most \(stringBytes) bytes."
                )
                return
            }
            addTooLong(text, field: key, value: value.summary)
        case .notFinite:
            problems.add(
                .numberNotFinite,
                field: key,
                value: value.summary,
                "The number was left out because JSON cannot represent infinity or NaN",
                recoverySuggestion: "Record a finite number, or leave the attribute out."
            )
        case .dateOutOfRange:
            problems.add(
                .dateOutOfRange,
                field: key,
                value: value.summary,
                "The date was left out because it is outside the years 0000 to 9999",
                recoverySuggestion: "Use a date in the years 0000 to 9999."
            )
        case .tooDeep:
            problems.add(
                .tooDeep,
                field: key,
                value: value.summary,
                "The value was left out because it is nested more than \(maximumDepth) levels deep",
                recoverySuggestion: "Nest values at most \(maximumDepth) levels deep."
            )
        case .tooLarge:
            addTooLarge(field: key, value: value.summary)
        }
    }
}
