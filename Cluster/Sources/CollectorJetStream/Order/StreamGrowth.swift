// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides what follows on the way from the streams that take records to others, more or fewer. A value: each step follows from what
/// there is, so whoever goes on after a death, or beside another, does what remains.
///
/// All partitions move at once: the old streams give their subjects up, each notes that no record follows, everything they have is put
/// into the order, and only then the new ones get the subjects, and the order says so. So no record of an installation ever stands in the
/// order before one that it sent earlier, and no stream has to be asked twice.
package struct StreamGrowth: Sendable, Hashable {
    /// What there is.
    package struct Look: Sendable, Hashable {
        /// The order; nil while there is none, which the first stream's is then.
        package var line: OrderLine?
        /// Whether the stream of the order is there.
        package var hasOrder: Bool
        /// What the engine tells of each stream that is there, by its number.
        package var streams: [Int: StreamFacts]
        /// Why the new streams and the order may not be used, a sentence each.
        package var faults: [String]

        /// A look.
        package init(line: OrderLine?, hasOrder: Bool, streams: [Int: StreamFacts], faults: [String] = []) {
            self.line = line
            self.hasOrder = hasOrder
            self.streams = streams
            self.faults = faults
        }
    }

    /// A change of streams that was begun and is not finished.
    package struct Unfinished: Sendable, Hashable {
        /// How many streams are to take the records; at least that many while ``accepts``.
        package var streams: Int
        /// Whether those before them take records still.
        package var accepts: Bool

        /// A change to so many streams.
        package init(streams: Int, accepts: Bool) {
            self.streams = streams
            self.accepts = accepts
        }

        /// The command that goes on with it.
        var command: String { "`trackway-cluster engine plan --streams \(streams)` with the same options" }

        /// One or two sentences with the command that goes on with it.
        package var sentence: String {
            let change =
                "A change to \(streams) \(streams == 1 ? "stream" : "streams")\(accepts ? " or more" : "") was begun and is not finished"
            return accepts
                ? "\(change); batches are accepted meanwhile. Unless it is running, \(command) finishes it, or with the number that it was begun "
                    + "with."
                : "\(change), and no batch is accepted until it is. Unless it is running, \(command) finishes it."
        }
    }

    /// What follows.
    package enum Step: Sendable, Hashable {
        /// Make the stream of the order, and wait until every collector looks there.
        case makeOrder
        /// Make these streams, which take no records yet.
        case make([Int])
        /// Let these streams take no records any more, and note in each that none follows. From here on records are held.
        case close([Int])
        /// Put everything into the order that these streams have.
        case settle([Int])
        /// Give streams the subjects of their partitions, which they have as some of those that are open together.
        case give([Int], of: [Int])
        /// Say in the order that these streams are open.
        case open([Int])
        /// Nothing: it is as it is to be.
        case done
        /// Nothing can follow, for this reason.
        case stop(String)
    }

    /// The most streams that are open at once.
    package static let most = 64

    /// How many streams are to take records.
    private let count: Int
    /// Whether the old streams have been closed and everything of them is in the order, as far as it was seen here.
    private var isSettled = false

    /// A growth to so many streams.
    package init(to count: Int) {
        self.count = count
    }

    /// Everything of the old streams is in the order.
    package mutating func settled() { isSettled = true }

    /// What follows from what there is.
    package func step(_ look: Look) -> Step {
        let old = look.line?.streams ?? [0]
        // Streams behind those that are open were made for what comes.
        let highest = old.last ?? 0
        let prepared = look.streams.keys.filter { $0 > highest }.sorted()
        if prepared.isEmpty, old.count == count {
            let lacking = old.filter { look.line != nil && look.streams[$0]?.isClosed($0) == true }
            return lacking.isEmpty ? .done : .give(lacking, of: old)
        }
        guard look.streams[old[0]] != nil else {
            return .stop(
                "There is no stream \(StreamPlace(number: old[0]).stream); make it with `trackway-cluster engine init`."
            )
        }
        guard highest + count <= 1_000 else {
            return .stop(
                "Streams are numbered up to 1000, and \(highest) are used up. Begin with another cluster beside this one."
            )
        }
        if !look.hasOrder { return .makeOrder }
        let wanted = Array(highest + 1...highest + count)
        guard prepared.allSatisfy({ wanted.contains($0) }) else {
            return .stop(
                "Another growth, to \(prepared.count) streams, was begun and not ended: finish it with --streams \(prepared.count)."
            )
        }
        let missing = wanted.filter { !prepared.contains($0) }
        let open = old.filter { look.streams[$0]?.isClosed($0) == false }
        // Whoever lets one with fewer streams go on after one with more would leave some of them without partitions.
        if open.count < old.count, !missing.isEmpty, !prepared.isEmpty {
            return .stop(
                "Another growth, to \(prepared.count) streams, has closed streams already: finish it with --streams \(prepared.count)."
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

extension StreamGrowth.Look {
    /// The change of streams that was begun and is not finished; nil when there is none.
    package var unfinished: StreamGrowth.Unfinished? {
        let open = line?.streams ?? [0]
        let prepared = streams.keys.count { $0 > open.last ?? 0 }
        let isAnyClosed = open.contains { streams[$0]?.isClosed($0) == true }
        if prepared > 0 { return StreamGrowth.Unfinished(streams: prepared, accepts: !isAnyClosed) }
        return isAnyClosed ? StreamGrowth.Unfinished(streams: open.count, accepts: false) : nil
    }
}

extension StreamFacts {
    /// Whether it takes no records of partitions.
    func isClosed(_ number: Int) -> Bool { subjects == [StreamPlace(number: number).closedSubject] }
}
