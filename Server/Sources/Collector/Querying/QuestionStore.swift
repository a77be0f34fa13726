// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Answers questions that go over many events. Whatever store answers, the answer to a question about the same events is the same.
///
/// Callable from any task.
package protocol QuestionStore: Sendable {
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
}

/// A server beside the collector that answers questions which go over many events, from tables that are filled a moment later than the
/// index.
package protocol AnalysisStore: QuestionStore {
    /// How it is doing, as far as anybody has met it. Answers from memory.
    var report: AnalysisReport { get }
}

/// How a server that answers questions is doing.
package struct AnalysisReport: Sendable, Hashable {
    /// Where it is.
    package var address: String
    /// The sequence of the last record of the stream that its tables have; nil while that is not known.
    package var last: UInt64?
    /// Why it cannot answer, in a sentence; nil while it can.
    package var trouble: String?

    /// A report.
    package init(address: String, last: UInt64? = nil, trouble: String? = nil) {
        self.address = address
        self.last = last
        self.trouble = trouble
    }
}

extension AnalysisReport {
    /// Writes the report as the member `analysis` of an object that is open.
    ///
    /// - Parameter end: the sequence of the last record that was taken.
    package func writeMember(before end: UInt64, to writer: inout JSONWriter) {
        writer.object("analysis") { writer in
            writer.member("address", address)
            writer.key("behind")
            if let last { writer.integer(Int64(clamping: end - min(end, last))) } else { writer.null() }
            if let trouble { writer.member("trouble", trouble) }
        }
    }
}
