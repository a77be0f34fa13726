// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides the steps that move records to more or fewer streams.
///
/// A value type. Each step follows from the current state, so a process that continues after a crash, or runs
/// concurrently with another, does what remains.
///
/// All partitions move at once. The old streams give up their subjects, each gets a final record, and all their records
/// are added to the order. Only then do the new streams get the subjects, and the order opens them. So a record of an
/// installation never precedes one that it sent earlier, and no stream has to be read twice.
package struct StreamChangePlanner: Sendable, Hashable {
    /// The current state.
    package struct Look: Sendable, Hashable {
        /// The order.
        ///
        /// Nil before it exists, while the first stream's own order applies.
        package var line: StreamOrder?
        /// Whether the stream of the order exists.
        package var hasOrder: Bool
        /// The facts of each existing stream, by number.
        package var streams: [Int: StreamFacts]
        /// Why the new streams and the order must not be used, one sentence each.
        package var faults: [String]

        /// Creates a state.
        package init(line: StreamOrder?, hasOrder: Bool, streams: [Int: StreamFacts], faults: [String] = []) {
            self.line = line
            self.hasOrder = hasOrder
            self.streams = streams
            self.faults = faults
        }
    }

    /// An unfinished change of streams.
    package struct Unfinished: Sendable, Hashable {
        /// The number of new streams; at least this number if ``accepts``.
        package var streams: Int
        /// Whether the old streams still accept records.
        package var accepts: Bool

        /// Creates an unfinished change to a number of streams.
        package init(streams: Int, accepts: Bool) {
            self.streams = streams
            self.accepts = accepts
        }

        /// The command that continues the change.
        var command: String { "`trackway-cluster engine plan --streams \(streams)` with the same options" }

        /// One or two sentences with the command that continues the change.
        package var sentence: String {
            let change =
                "A change to \(streams) \(streams == 1 ? "stream" : "streams")\(accepts ? " or more" : "") is pending"
            return accepts
                ? "\(change); batches are still accepted. Unless it is running, finish it with \(command), or with the "
                    + "number it was started with."
                : "\(change); no batches are accepted until it ends. Unless it is running, finish it with \(command)."
        }
    }

    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Create the stream of the order, and wait until all collectors check it.
        case makeOrder
        /// Create these streams, which accept no records yet.
        case make([Int])
        /// Close these streams and end each with a final record.
        ///
        /// From here on, records are held.
        case close([Int])
        /// Add all records of these streams to the order.
        case settle([Int])
        /// Give streams the subjects of their partitions.
        ///
        /// The partitions depend on all streams that will be open together.
        case give([Int], of: [Int])
        /// Open these streams in the order.
        case open([Int])
        /// Nothing: the state is as requested.
        case done
        /// Stop for this reason.
        case stop(String)
    }

    /// The maximum number of open streams.
    package static let most = 64

    /// The number of streams that will accept records.
    private let count: Int
    /// Whether the old streams are closed and their records are in the order.
    ///
    /// True only if this process did it.
    private var isSettled = false

    /// Creates a change to this number of streams.
    package init(to count: Int) {
        self.count = count
    }

    /// Records that all records of the old streams are in the order.
    package mutating func settled() { isSettled = true }

    /// Returns the next step.
    package func step(_ look: Look) -> Step {
        let old = look.line?.streams ?? [0]
        // Streams with higher numbers than the open ones were created for the change.
        let highest = old.last ?? 0
        let prepared = look.streams.keys.filter { $0 > highest }.sorted()
        if prepared.isEmpty, old.count == count {
            let lacking = old.filter { look.line != nil && look.streams[$0]?.isClosed($0) == true }
            return lacking.isEmpty ? .done : .give(lacking, of: old)
        }
        guard look.streams[old[0]] != nil else {
            return .stop(
                "The stream \(StreamNames(number: old[0]).stream) does not exist; run `trackway-cluster engine init`."
            )
        }
        guard highest + count <= 1_000 else {
            return .stop(
                "Streams are numbered up to 1000, and \(highest) are used. Start another cluster next to this one."
            )
        }
        if !look.hasOrder { return .makeOrder }
        let wanted = Array(highest + 1...highest + count)
        guard prepared.allSatisfy({ wanted.contains($0) }) else {
            return .stop(
                "A change to \(prepared.count) streams is unfinished: finish it with --streams \(prepared.count)."
            )
        }
        let missing = wanted.filter { !prepared.contains($0) }
        let open = old.filter { look.streams[$0]?.isClosed($0) == false }
        // Continuing with fewer streams than another process has started with would leave partitions without a stream.
        if open.count < old.count, !missing.isEmpty, !prepared.isEmpty {
            return .stop(
                "An unfinished change has already closed streams: finish it with --streams \(prepared.count)."
            )
        }
        if !missing.isEmpty { return .make(missing) }
        if !look.faults.isEmpty { return .stop(look.faults.joined(separator: "\n")) }
        if !open.isEmpty { return .close(open) }
        if !isSettled { return .settle(old) }
        let poor = wanted.filter { look.streams[$0]?.isClosed($0) == true }
        return poor.isEmpty ? .open(wanted) : .give(poor, of: wanted)
    }
}

extension StreamChangePlanner.Look {
    /// The unfinished change of streams; nil for none.
    package var unfinished: StreamChangePlanner.Unfinished? {
        let open = line?.streams ?? [0]
        let prepared = streams.keys.count { $0 > open.last ?? 0 }
        let isAnyClosed = open.contains { streams[$0]?.isClosed($0) == true }
        if prepared > 0 { return StreamChangePlanner.Unfinished(streams: prepared, accepts: !isAnyClosed) }
        return isAnyClosed ? StreamChangePlanner.Unfinished(streams: open.count, accepts: false) : nil
    }
}

extension StreamFacts {
    /// Whether the stream accepts no records of partitions.
    func isClosed(_ number: Int) -> Bool { subjects == [StreamNames(number: number).closedSubject] }
}
