// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit
public import TrackwayJournal

/// Removes erased people's data from records of the intake log.
///
/// A redacted record has the length of the original one, unless a stream stores it. Erased events are replaced by placeholders
/// (``ErasedPlaceholder``), so the positions and sequence numbers of all other events stay the same; contexts that only
/// erased events use are emptied. Redacting a redacted record changes nothing. Uses no files and no clock.
public struct RecordRedactor: Sendable {
    /// The result of redacting one record.
    public enum Outcome: Sendable, Hashable {
        /// The record contains nothing of the erased people.
        case unchanged
        /// The record's new payload, and what was removed, by the index of the plan.
        case replaced([UInt8], [Int: ErasedCounts])
        /// The record's content cannot be inspected, so it may contain data of the erased people.
        case uninspected
    }

    /// The hash of each user id seen so far, because most ids occur many times.
    private var hashes: [String: IdentityHash] = [:]
    private static let maximumHashes = 100_000

    private let plans: [ErasurePlan]
    private let key: ErasureKey
    private let limits: AdmissionLimits
    private let keepsLength: Bool
    /// The index of the plan that erases an installation completely.
    private let installations: [InstallationID: Int]
    /// The index of the plan that erases a user.
    private let users: [IdentityHash: Int]
    /// The plans that erase a user's anonymous events from an installation, and the times of these events.
    private let shared: [InstallationID: [(plan: Int, times: [ClosedRange<Int64>])]]
    private let smallest = GzipCompressor(level: 9)
    /// The indexes of the last record's rejected events that were erased, now or earlier.
    ///
    /// The index must not list these events. For a batch rejected as a whole, the index is 0.
    public private(set) var erasedFailures: [Int] = []
    /// The plans that remove something from the last record, by index.
    public private(set) var concernedPlans: Set<Int> = []
    /// The installations in the last record that other people share with an erased user.
    public private(set) var sharedInstallations: Set<InstallationID> = []
    /// The installations in the last record from which a user's data was removed, by the index of the plan.
    public private(set) var usedInstallations: [InstallationID: Int] = [:]

    /// Creates a redactor.
    ///
    /// - Parameters:
    ///   - plans: The erasures.
    ///   - key: The key with which the plans' hashes were made.
    ///   - limits: The limits of admission, used for splitting batches.
    ///   - keepsLength: Whether a redacted record must have the length of the original one; otherwise, it may be longer.
    public init(_ plans: [ErasurePlan], key: ErasureKey, limits: AdmissionLimits, keepsLength: Bool = true) {
        self.plans = plans
        self.key = key
        self.limits = limits
        self.keepsLength = keepsLength
        var (installations, users): ([InstallationID: Int], [IdentityHash: Int]) = ([:], [:])
        var shared: [InstallationID: [(plan: Int, times: [ClosedRange<Int64>])]] = [:]
        for (index, plan) in plans.enumerated() {
            for installation in plan.installations { installations[installation] = index }
            if plan.subject == .user { users[plan.identity] = index }
            for part in plan.shared { shared[part.installation, default: []].append((index, part.times)) }
        }
        self.installations = installations
        self.users = users
        self.shared = shared
    }

    /// Redacts one record.
    ///
    /// - Throws: ``ErasureError`` if the record cannot be rewritten at its original length.
    /// - Complexity: O(inflated bytes).
    public mutating func redact(
        _ kind: FrameKind,
        _ payload: UnsafeRawBufferPointer,
        at start: LogPosition
    ) throws(ErasureError) -> Outcome {
        erasedFailures = []
        sharedInstallations = []
        usedInstallations = [:]
        concernedPlans = []
        return switch kind {
        case .intake: try redactBatch(payload, at: start)
        case .quarantine: try redactQuarantine(payload, at: start)
        case .userMerge: redactMerge(payload)
        default: .unchanged
        }
    }

    // MARK: Requests

    /// Returns a plan's request without the user's id, with the number of removed events.
    ///
    /// Nil for every other record. Call this last, because the request is the only record from which a lost plan could
    /// be recreated.
    public static func redactedRequest(_ payload: UnsafeRawBufferPointer, of plan: ErasurePlan) -> [UInt8]? {
        do throws(RecordError) {
            var record = try UserErasureRecord(payload: payload)
            guard record.user != nil, plan.subject == .user, record.identity == plan.identity else { return nil }
            record.user = nil
            record.events = plan.counts.sharedEvents
            return record.bytes(count: payload.count)
        } catch {
            return nil  // The record is another request; the index reports records that it cannot read.
        }
    }

    // MARK: Merges

    private mutating func redactMerge(_ payload: UnsafeRawBufferPointer) -> Outcome {
        let record: UserMergeRecord
        do throws(RecordError) {
            record = try UserMergeRecord(payload: payload)
        } catch {
            return .uninspected
        }
        guard let index = plan(ofAny: [record.user, record.target]) else { return .unchanged }
        concernedPlans.insert(index)
        var counts = ErasedCounts()
        counts.records = 1
        return .replaced(record.redacted(count: payload.count), [index: counts])
    }

    // MARK: Batches

    private mutating func redactBatch(
        _ payload: UnsafeRawBufferPointer,
        at start: LogPosition
    ) throws(ErasureError) -> Outcome {
        let record: IntakeRecord
        do throws(RecordError) {
            record = try IntakeRecord(payload: payload)
        } catch {
            return .uninspected
        }
        let batch = InflatedRecord(record, limits: limits)
        var edits = BodyRedaction()
        var ordinals: Set<Int> = []
        var found: [Int: ErasedCounts] = [:]
        var remaining = 0
        do {
            try collect(batch, into: &edits, &ordinals, &found, &remaining)
        } catch {
            // The part that cannot be split is reported below.
        }
        guard !edits.isEmpty else { return batch.isTorn && concerns(batch) ? .uninspected : .unchanged }
        for index in found.keys {
            concernedPlans.insert(index)
            found[index]?.records = 1
            if batch.isTorn { found[index]?.uninspected = 1 }
        }
        var header = record.header
        header.rejected.removeAll { ordinals.contains($0.index) }
        // The address is also that of other people's events in the batch.
        if remaining == 0 { header.client = nil }
        let body = batch.body.withUnsafeBytes { edits.apply(to: $0) }
        guard let bytes = fitted(&header, body, in: payload.count) else {
            throw ErasureError(
                "The record at \(start) cannot be rewritten within its \(payload.count) bytes, because it was "
                    + "compressed better than this program can compress it."
            )
        }
        return .replaced(bytes, found)
    }

    /// Finds the parts of a body to replace.
    private mutating func collect(
        _ batch: InflatedRecord,
        into edits: inout BodyRedaction,
        _ ordinals: inout Set<Int>,
        _ found: inout [Int: ErasedCounts],
        _ remaining: inout Int
    ) throws {
        let ranges = batch.eventRanges
        var place = 0
        var installation: InstallationID?
        // For each context: the plan of its user, and whether an event that remains uses it.
        var contexts: [Range<Int>: (isUsed: Bool, isErased: Bool)] = [:]
        var owner: (context: Range<Int>?, user: String?) = (nil, nil)
        var failure: (any Error)?
        do {
            try batch.visit(
                header: { header in
                    installation = header.installation
                    owner = (nil, nil)
                    if let installation, shared[installation] != nil { sharedInstallations.insert(installation) }
                },
                event: { event in
                    defer { place += 1 }
                    let range = ranges[place]
                    if let context = range.context, owner.context != context {
                        owner = (context, ContextFacts(context: event.context).user)
                    }
                    let user = range.context == nil ? nil : owner.user
                    if let erased = event.erased {
                        if erased == .rejected { erasedFailures.append(event.ordinal) }
                        if let context = range.context, contexts[context] == nil { contexts[context] = (false, true) }
                        return
                    }
                    let plan = plan(installation, user, event)
                    // A tombstone must remain: it erases another installation when the log is read again. It needs no
                    // context.
                    if plan != nil, let scan = event.scan, case .proved = Tombstone(event.json, scan) {
                        if let context = range.context { contexts[context, default: (false, true)].isErased = true }
                        return
                    }
                    if let context = range.context {
                        contexts[context, default: (false, false)].isUsed =
                            contexts[context]?.isUsed == true || plan == nil
                        if plan != nil { contexts[context]?.isErased = true }
                    }
                    guard let plan else {
                        remaining += 1
                        return
                    }
                    if let installation, installations[installation] == nil { usedInstallations[installation] = plan }
                    let kind: ErasedPlaceholder = event.fault == nil ? .accepted : .rejected
                    edits.replace(range.event, with: kind.rawValue)
                    ordinals.insert(event.ordinal)
                    if event.fault == nil {
                        found[plan, default: ErasedCounts()].events += 1
                        let isShared = installation.map { installations[$0] == nil } ?? true
                        if isShared { found[plan]?.sharedEvents += 1 }
                    } else {
                        found[plan, default: ErasedCounts()].rejected += 1
                        erasedFailures.append(event.ordinal)
                    }
                }
            )
        } catch {
            failure = error
        }
        for (context, use) in contexts where use.isErased && !use.isUsed && context.count > 2 {
            edits.replace(context, with: "{}")
        }
        try collectUnusedContexts(batch, contexts.keys, into: &edits)
        if let failure { throw failure }
    }

    /// Finds contexts of erased people that no event uses.
    private mutating func collectUnusedContexts(
        _ batch: InflatedRecord,
        _ used: some Collection<Range<Int>>,
        into edits: inout BodyRedaction
    ) throws {
        let used = Set(used)
        let body = batch.body
        let unused = try body.withUnsafeBytes { bytes -> [(Range<Int>, InstallationID?, String?)] in
            var lines = try BatchLines(bytes, hasManyHeaders: batch.header.format.hasManyHeaders)
            var unused: [(Range<Int>, InstallationID?, String?)] = []
            var installation: InstallationID?
            while let line = try lines.next() {
                switch line {
                case .header(let range):
                    installation = try BatchHeader(json: UnsafeRawBufferPointer(rebasing: bytes[range])).installation
                case .context(let range):
                    let text = UnsafeRawBufferPointer(rebasing: bytes[range])
                    guard let value = try JSONScanner.member("context", of: text) else { continue }
                    let place = range.lowerBound + value.lowerBound..<range.lowerBound + value.upperBound
                    guard !used.contains(place) else { continue }
                    let user = ContextFacts(context: UnsafeRawBufferPointer(rebasing: bytes[place])).user
                    unused.append((place, installation, user))
                case .event: break
                }
            }
            return unused
        }
        for (place, installation, user) in unused where place.count > 2 {
            let userPlan = user.flatMap { plan(of: $0) }
            if let installation, installations[installation] != nil {
                edits.replace(place, with: "{}")
            } else if let userPlan {
                edits.replace(place, with: "{}")
                if let installation { usedInstallations[installation] = userPlan }
            }
        }
    }

    /// Returns the index of the plan that erases an event; nil if the event remains.
    private mutating func plan(_ installation: InstallationID?, _ user: String?, _ event: IntakeEvent) -> Int? {
        if let installation, let index = installations[installation] { return index }
        if installation != nil, let index = planOfAlias(event) { return index }
        if let user { return plan(of: user) }
        if event.fault != nil, let index = planMentioned(in: event.json) { return index }
        guard let installation, let parts = shared[installation] else { return nil }
        guard let time = event.time?.milliseconds else { return nil }
        return parts.first { $0.times.contains { $0.contains(time) } }?.plan
    }

    /// Returns the plan of a user that an `_alias` event names.
    private mutating func planOfAlias(_ event: IntakeEvent) -> Int? {
        guard !users.isEmpty, let scan = event.scan else { return nil }
        guard let statement = MergeStatement(ReceivedEvent(event.json, scan), at: 0) else { return nil }
        return plan(ofAny: [statement.user, statement.target])
    }

    private mutating func plan(ofAny users: [String?]) -> Int? {
        for user in users.compactMap(\.self) {
            if let index = plan(of: user) { return index }
        }
        return nil
    }

    private mutating func plan(of user: String) -> Int? {
        guard !users.isEmpty else { return nil }
        if let hash = hashes[user] { return users[hash] }
        let hash = key.hash(user: user)
        if hashes.count >= Self.maximumHashes { hashes = [:] }
        hashes[user] = hash
        return users[hash]
    }

    /// Whether a torn batch in our own format names an installation that is erased.
    private func concerns(_ batch: InflatedRecord) -> Bool {
        var isConcerned = batch.header.format != .trackway
        do {
            try batch.visit(
                header: { if let id = $0.installation, installations[id] != nil { isConcerned = true } },
                event: { _ in }
            )
        } catch {
            // The batch is torn; its header came first.
        }
        return isConcerned || mentioned(in: batch.body) != nil
    }

    // MARK: Text

    /// Returns the index of a plan whose user or installation occurs in a text.
    private func planMentioned(in text: UnsafeRawBufferPointer) -> Int? { mentioned(in: Array(text)) }

    private func mentioned(in text: [UInt8]) -> Int? {
        for (index, plan) in plans.enumerated() where plan.marks.contains(where: { text.contains($0) }) { return index }
        return nil
    }

    // MARK: Batches rejected as a whole

    /// The message of a batch whose content was erased.
    private static let erasedMessage = "The content was erased."

    private mutating func redactQuarantine(
        _ payload: UnsafeRawBufferPointer,
        at start: LogPosition
    ) throws(ErasureError) -> Outcome {
        let record: QuarantineRecord
        do throws(RecordError) {
            record = try QuarantineRecord(payload: payload)
        } catch {
            return .uninspected
        }
        if record.body.isEmpty, record.message == Self.erasedMessage { erasedFailures = [0] }
        guard !record.body.isEmpty else { return .unchanged }
        var text = record.body
        var isReadable = true
        if record.body.starts(with: [0x1f, 0x8b]) {
            do throws(GzipError) {
                text = try Gzip.inflate(record.body, limits: limits.body)
            } catch {
                isReadable = false
            }
        }
        // Other bodies may be encoded once more, such as in Base64.
        let opening = text.first { $0 > UInt8(ascii: " ") }
        if opening != UInt8(ascii: "{"), opening != UInt8(ascii: "[") { isReadable = false }
        guard let index = mentioned(in: text) ?? mentioned(in: Array(record.message.utf8)) else {
            return isReadable ? .unchanged : .uninspected
        }
        let reason = AdmissionError(.malformed, code: record.code, field: record.field, message: Self.erasedMessage)
        let empty = QuarantineRecord.bytes(
            reason,
            body: [],
            bodyBytes: record.bodyBytes,
            key: record.key,
            received: record.received
        )
        guard let bytes = padded(head: empty.dropLast(), body: [], in: payload.count) else {
            throw ErasureError("The rejected batch at \(start) cannot be rewritten within its \(payload.count) bytes.")
        }
        var counts = ErasedCounts()
        (counts.records, counts.rejected) = (1, 1)
        erasedFailures = [0]
        return .replaced(bytes, [index: counts])
    }

    // MARK: Length

    /// Returns a record of the given length, or nil if the body cannot be compressed enough.
    private func fitted(_ header: inout IntakeHeader, _ body: [UInt8], in count: Int) -> [UInt8]? {
        func bytes(_ body: [UInt8]) -> [UInt8]? {
            let head = JSONWriter.withThreadBuffer { writer in
                header.write(to: &writer)
                return writer.array()
            }
            return padded(head: head[...], body: body, in: count)
        }
        if header.encoding == .identity { return bytes(body) }
        var compressed = smallest.compress(body)
        // Without the erased events, a body can be more compressible than readers accept. Empty members of the stream
        // lower the ratio.
        let member = smallest.compress([])
        let ratio = limits.body.ratio
        let missing = body.count > limits.body.ratioFloor ? (body.count + ratio - 1) / ratio - compressed.count : 0
        for _ in 0..<max(0, (missing + member.count - 1) / member.count) { compressed += member }
        return bytes(compressed)
    }

    /// Returns a header line, padded with spaces, and a body.
    private func padded(head: ArraySlice<UInt8>, body: [UInt8], in count: Int) -> [UInt8]? {
        let difference = count - head.count - 1 - body.count
        let space = keepsLength ? difference : max(0, difference)
        guard space >= 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        bytes += head
        bytes += repeatElement(UInt8(ascii: " "), count: space)
        bytes.append(UInt8(ascii: "\n"))
        bytes += body
        return bytes
    }
}

extension ErasurePlan {
    /// The texts by which the person is found in content that has no known structure.
    fileprivate var marks: [[UInt8]] {
        var marks = installations.flatMap { id in [id.description.lowercased(), id.description.uppercased()] }
            .map { Array($0.utf8) }
        if let user, !user.isEmpty { marks.append(JSONValue.string(user).json()) }
        return marks
    }
}
