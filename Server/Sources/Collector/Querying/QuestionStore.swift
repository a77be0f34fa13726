// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Answers questions that go over many events. Whatever store answers, the answer to a question about the same events is the same.
///
/// Callable from any task.
public protocol QuestionStore: Sendable {
    /// How much happened when, as a question asks.
    ///
    /// - Throws: ``StoreError``; of the kind `overBudget` when the question costs more than one may.
    func trend(_ question: Question) async throws(StoreError) -> Trend
    /// How far people come through steps.
    ///
    /// - Throws: ``StoreError``; of the kind `overBudget` when the question costs more than one may. So do the next four.
    func funnel(_ question: FunnelQuestion) async throws(StoreError) -> Funnel
    /// Who comes back.
    func retention(_ question: RetentionQuestion) async throws(StoreError) -> Retention
    /// Who is new, comes back or stays away.
    func lifecycle(_ question: ActivityQuestion) async throws(StoreError) -> Lifecycle
    /// In how many intervals people are active.
    func stickiness(_ question: ActivityQuestion) async throws(StoreError) -> Stickiness
    /// How people go on from a screen or an event, or how they came to it.
    func paths(_ question: PathQuestion) async throws(StoreError) -> Paths
    /// Events that arrived before this moment went by age; nil when none did. Answers from memory, as of the last question.
    var keptFrom: Timestamp? { get }
}

extension QuestionStore {
    /// A store that keeps everything.
    public var keptFrom: Timestamp? { nil }

    /// The same, for an answer that reaches back to a moment; nil when everything is kept since then.
    ///
    /// What happened at some time arrived later, so an answer of what happened since ``keptFrom`` lacks nothing.
    ///
    /// - Parameter moment: The earliest time of an event that counts; nil when all do.
    public func keptFrom(asked moment: Timestamp?) -> Timestamp? {
        guard let keptFrom else { return nil }
        return moment.map { $0 >= keptFrom } ?? false ? nil : keptFrom
    }
}

extension JSONWriter {
    /// The member `kept_from` of an answer: events that arrived before it are missing. None where nothing is.
    public mutating func keptFrom(_ moment: Timestamp?) {
        if let moment { member("kept_from", moment) }
    }
}

/// A server beside the collector that answers questions which go over many events, from tables that are filled a moment later than the
/// index.
public protocol AnalysisStore: QuestionStore {
    /// How it is doing, as far as anybody has met it. Answers from memory.
    var report: AnalysisReport { get }
}

/// How a server that answers questions is doing.
public struct AnalysisReport: Sendable, Hashable {
    /// Where it is.
    public var address: String
    /// The sequence of the last record of the stream that its tables have; nil while that is not known.
    public var last: UInt64?
    /// Why it cannot answer, in a sentence; nil while it can.
    public var trouble: String?
    /// Events that arrived before this moment went by age; nil when none did.
    public var keptFrom: Timestamp?

    /// A report.
    public init(address: String, last: UInt64? = nil, trouble: String? = nil, keptFrom: Timestamp? = nil) {
        self.address = address
        self.last = last
        self.trouble = trouble
        self.keptFrom = keptFrom
    }
}

extension AnalysisReport {
    /// Writes the report as the member `analysis` of an object that is open.
    ///
    /// - Parameter end: the sequence of the last record that was taken.
    public func writeMember(before end: UInt64, to writer: inout JSONWriter) {
        writer.object("analysis") { writer in
            writer.member("address", address)
            writer.key("behind")
            if let last { writer.integer(Int64(clamping: end - min(end, last))) } else { writer.null() }
            writer.keptFrom(keptFrom)
            if let trouble { writer.member("trouble", trouble) }
        }
    }
}
