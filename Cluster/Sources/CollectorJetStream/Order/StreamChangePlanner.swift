// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides the steps of a change to more or fewer streams.
///
/// A value type. Each step follows from the current state, so a process that continues after a crash, or runs
/// concurrently with another process, performs the remaining steps.
///
/// All partitions move at once. The old streams' subjects are removed, each stream gets a final record, and all of
/// their records are added to the order. Only then are the subjects assigned to the new streams, and these streams
/// opened in the order. Therefore, the records of an installation keep their order, and no stream has to be read twice.
package struct StreamChangePlanner: Sendable, Hashable {
    /// A snapshot of the current state.
    package struct Snapshot: Sendable, Hashable {
        /// The order.
        ///
        /// Nil until the order exists; until then, the first stream's own order applies.
        package var order: StreamOrder?
        /// Whether the stream of the order exists.
        package var hasOrder: Bool
        /// The facts about each existing stream, by number.
        package var streams: [Int: StreamFacts]
        /// Faults that make the new streams or the order unusable, as sentences.
        package var faults: [String]

        /// Creates a snapshot.
        package init(order: StreamOrder?, hasOrder: Bool, streams: [Int: StreamFacts], faults: [String] = []) {
            self.order = order
            self.hasOrder = hasOrder
            self.streams = streams
            self.faults = faults
        }
    }

    /// An unfinished stream change.
    package struct PendingChange: Sendable, Hashable {
        /// The number of new streams; a minimum if ``isAccepting`` is true.
        package var streams: Int
        /// Whether the old streams still accept records.
        package var isAccepting: Bool

        /// Creates an unfinished change to the given number of streams.
        package init(streams: Int, isAccepting: Bool) {
            self.streams = streams
            self.isAccepting = isAccepting
        }

        /// The command that continues the change.
        var command: String { "`trackway-cluster cluster plan --streams \(streams)` with the same options" }

        /// One or two sentences with the command that continues the change.
        package var message: String {
            let change =
                "A change to \(streams) \(streams == 1 ? "stream" : "streams")\(isAccepting ? " or more" : "") is pending"
            return isAccepting
                ? "\(change); batches are still accepted. Unless the change is running, finish it with \(command), "
                    + "or with the original number."
                : "\(change); no batches are accepted until it ends. Unless the change is running, finish it with "
                    + "\(command)."
        }
    }

    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Create the order stream, and wait until all collectors discover it.
        case createOrder
        /// Create these streams, which accept no records yet.
        case create([Int])
        /// Close these streams and end each with a final record.
        ///
        /// From this step on, new records are held.
        case close([Int])
        /// Add all records of these streams to the order.
        case drain([Int])
        /// Give streams the subjects of their partitions.
        ///
        /// The partitions depend on the whole set of streams that will be open.
        case assignSubjects([Int], of: [Int])
        /// Open these streams in the order.
        case open([Int])
        /// No steps remain: the state is as requested.
        case done
        /// Stop for the given reason.
        case stop(String)
    }

    /// The maximum number of open streams.
    package static let maxStreams = 64

    /// The number of streams that will accept records.
    private let count: Int
    /// Whether the old streams are closed and their records are in the order.
    ///
    /// The value is true only if this process closed and drained them.
    private var isDrained = false

    /// Creates a planner for a change to the given number of streams.
    package init(to count: Int) {
        self.count = count
    }

    /// Notes that all records of the old streams are in the order.
    package mutating func markDrained() { isDrained = true }

    /// Returns the next step.
    package func step(_ snapshot: Snapshot) -> Step {
        let current = snapshot.order?.streams ?? [0]
        // Streams with higher numbers than the open ones were created for the change.
        let highest = current.last ?? 0
        let newStreams = snapshot.streams.keys.filter { $0 > highest }.sorted()
        if newStreams.isEmpty, current.count == count {
            let withoutSubjects = current.filter { snapshot.order != nil && snapshot.streams[$0]?.isClosed($0) == true }
            return withoutSubjects.isEmpty ? .done : .assignSubjects(withoutSubjects, of: current)
        }
        guard snapshot.streams[current[0]] != nil else {
            return .stop(
                "The stream \(StreamNames(number: current[0]).stream) does not exist; run `trackway-cluster cluster init`."
            )
        }
        guard highest + count <= 1_000 else {
            return .stop(
                "Stream numbers end at 1000, and \(highest) are in use. Start an additional cluster."
            )
        }
        if !snapshot.hasOrder { return .createOrder }
        let targets = Array(highest + 1...highest + count)
        guard newStreams.allSatisfy({ targets.contains($0) }) else {
            return .stop(
                "A change to \(newStreams.count) streams is unfinished: finish it with --streams \(newStreams.count)."
            )
        }
        let missing = targets.filter { !newStreams.contains($0) }
        let open = current.filter { snapshot.streams[$0]?.isClosed($0) == false }
        // Continuing with fewer streams than another process has started with would leave partitions without a stream.
        if open.count < current.count, !missing.isEmpty, !newStreams.isEmpty {
            return .stop(
                "An unfinished change has already closed streams: finish it with --streams \(newStreams.count)."
            )
        }
        if !missing.isEmpty { return .create(missing) }
        if !snapshot.faults.isEmpty { return .stop(snapshot.faults.joined(separator: "\n")) }
        if !open.isEmpty { return .close(open) }
        if !isDrained { return .drain(current) }
        let unassigned = targets.filter { snapshot.streams[$0]?.isClosed($0) == true }
        return unassigned.isEmpty ? .open(targets) : .assignSubjects(unassigned, of: targets)
    }
}

extension StreamChangePlanner.Snapshot {
    /// The unfinished stream change; nil for none.
    package var pendingChange: StreamChangePlanner.PendingChange? {
        let open = order?.streams ?? [0]
        let newStreams = streams.keys.count { $0 > open.last ?? 0 }
        let isAnyClosed = open.contains { streams[$0]?.isClosed($0) == true }
        if newStreams > 0 { return StreamChangePlanner.PendingChange(streams: newStreams, isAccepting: !isAnyClosed) }
        return isAnyClosed ? StreamChangePlanner.PendingChange(streams: open.count, isAccepting: false) : nil
    }
}

extension StreamFacts {
    /// Returns whether the stream accepts only its closed subject, and thus no records for partitions.
    func isClosed(_ number: Int) -> Bool { subjects == [StreamNames(number: number).closedSubject] }
}
