// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayTesting

@testable internal import CollectorJetStream

/// A cluster's state, changed by the steps.
private struct Cluster: Sendable {
    var line: StreamOrder?
    var hasOrder = false
    var streams: [Int: StreamFacts] = [0: StreamFacts(name: "INTAKE_0")]
    var faults: [String] = []

    var look: StreamChangePlanner.Look {
        StreamChangePlanner.Look(line: line, hasOrder: hasOrder, streams: streams, faults: faults)
    }
    var open: [Int] { line?.streams ?? [0] }

    /// Returns the streams that accept records of a partition.
    func takers(of partition: Int) -> [Int] {
        streams.keys.sorted().filter { number in
            streams[number]?.subjects.contains { $0 == "intake.*" || $0 == "intake.\(partition)" } == true
        }
    }

    mutating func take(_ step: StreamChangePlanner.Step) {
        switch step {
        case .makeOrder: hasOrder = true
        case .make(let numbers):
            for number in numbers {
                streams[number] = StreamFacts(name: "INTAKE_\(number)")
                streams[number]?.subjects = ["intake.closed.\(number)"]
            }
        case .close(let numbers):
            for number in numbers { streams[number]?.subjects = ["intake.closed.\(number)"] }
        case .settle, .done, .stop: break
        case .give(let numbers, let all):
            let partitions = StreamOrder.partitions(of: all)
            for number in numbers { streams[number]?.subjects = StreamNames.subjects(of: partitions[number] ?? []) }
        case .open(let numbers):
            var next = line ?? StreamOrder(behind: 10)
            do {
                try next.take(next.opening(numbers))
            } catch {
                Issue.record(error)
            }
            line = next
        }
    }
}

@Suite("Changing the number of streams")
struct StreamGrowthTests {
    private static func steps(_ cluster: inout Cluster, to count: Int) -> [StreamChangePlanner.Step] {
        var growth = StreamChangePlanner(to: count)
        var steps: [StreamChangePlanner.Step] = []
        while steps.count < 20 {
            let step = growth.step(cluster.look)
            if case .settle = step { growth.settled() }
            steps.append(step)
            switch step {
            case .done, .stop: return steps
            default: cluster.take(step)
            }
        }
        return steps
    }

    @Test("one stream becomes three, then two: new streams are created, old ones closed, and the new ones opened")
    func whole() {
        var cluster = Cluster()
        #expect(
            Self.steps(&cluster, to: 3) == [
                .makeOrder, .make([1, 2, 3]), .close([0]), .settle([0]), .give([1, 2, 3], of: [1, 2, 3]),
                .open([1, 2, 3]), .done,
            ]
        )
        #expect(Self.steps(&cluster, to: 3) == [.done])
        #expect(
            Self.steps(&cluster, to: 2) == [
                .make([4, 5]), .close([1, 2, 3]), .settle([1, 2, 3]), .give([4, 5], of: [4, 5]), .open([4, 5]), .done,
            ]
        )
        #expect(
            Self.steps(&cluster, to: 1) == [
                .make([6]), .close([4, 5]), .settle([4, 5]), .give([6], of: [6]), .open([6]), .done,
            ]
        )
    }

    @Test(
        "killed and restarted processes reach the same end, and no partition ever belongs to two streams",
        arguments: 1...60 as ClosedRange<UInt64>
    )
    func deaths(seed: UInt64) {
        var chance = SeededChance(seed: seed)
        var cluster = Cluster()
        for count in [chance.number(2...6), chance.number(1...6), chance.number(1...6)] {
            var both = [StreamChangePlanner(to: count), StreamChangePlanner(to: count)]
            var steps = 0
            while steps < 400 {
                steps += 1
                let who = chance.number(0...1)
                if chance.chance(15) { both[who] = StreamChangePlanner(to: count) }
                let step = both[who].step(cluster.look)
                if step == .done { break }
                if case .stop(let reason) = step { Issue.record("\(reason)") }
                // Killed after or during the step: only some of the streams were changed.
                let part: StreamChangePlanner.Step =
                    switch step {
                    case .make(let numbers): .make(Array(numbers.prefix(chance.number(0...numbers.count))))
                    case .close(let numbers): .close(Array(numbers.prefix(chance.number(0...numbers.count))))
                    case .give(let numbers, let all):
                        .give(Array(numbers.prefix(chance.number(0...numbers.count))), of: all)
                    default: step
                    }
                if case .settle = step { both[who].settled() }
                cluster.take(part)
                for partition in [0, 1, 77, 255] { #expect(cluster.takers(of: partition).count <= 1) }
                // A stream is open only if it has its subjects, and no earlier stream accepts records.
                for number in cluster.streams.keys where number < cluster.open[0] {
                    #expect(cluster.streams[number]?.isClosed(number) == true)
                }
            }
            #expect(cluster.open.count == count && steps < 400)
            for partition in 0..<256 { #expect(cluster.takers(of: partition) == [cluster.open[partition % count]]) }
        }
    }

    /// A step, and the expected report if the command was killed after it.
    struct Killed: Sendable, CustomTestStringConvertible {
        var step: StreamChangePlanner.Step
        var unfinished: StreamChangePlanner.Unfinished?

        var testDescription: String { "\(step)" }
    }

    private static let killed = [
        Killed(step: .makeOrder), Killed(step: .make([1, 2]), unfinished: .init(streams: 2, accepts: true)),
        Killed(step: .make([3]), unfinished: .init(streams: 3, accepts: true)),
        Killed(step: .close([0]), unfinished: .init(streams: 3, accepts: false)),
        Killed(step: .settle([0]), unfinished: .init(streams: 3, accepts: false)),
        Killed(step: .give([1], of: [1, 2, 3]), unfinished: .init(streams: 3, accepts: false)),
        Killed(step: .give([2, 3], of: [1, 2, 3]), unfinished: .init(streams: 3, accepts: false)),
        Killed(step: .open([1, 2, 3])), Killed(step: .make([4]), unfinished: .init(streams: 1, accepts: true)),
        Killed(step: .close([1]), unfinished: .init(streams: 1, accepts: false)),
    ]

    @Test(
        "a change killed after any step is found, with the command that continues it and whether batches are accepted"
    )
    func unfinished() {
        var cluster = Cluster()
        #expect(cluster.look.unfinished == nil)
        for killed in Self.killed {
            cluster.take(killed.step)
            #expect(cluster.look.unfinished == killed.unfinished, "\(killed)")
            guard let unfinished = cluster.look.unfinished else { continue }
            #expect(unfinished.sentence.contains("`trackway-cluster engine plan --streams \(unfinished.streams)`"))
            #expect(unfinished.sentence.contains("no batches are accepted") == !unfinished.accepts)
        }
        // An open stream that lost its subjects.
        var other = Cluster()
        _ = Self.steps(&other, to: 2)
        other.take(.close([2]))
        #expect(other.look.unfinished == StreamChangePlanner.Unfinished(streams: 2, accepts: false))
    }

    @Test("obstacles are reported before any stream is closed")
    func refusals() {
        var cluster = Cluster()
        cluster.hasOrder = true
        cluster.take(.make([1, 2]))
        cluster.faults = ["The server n1 does not sync always."]
        #expect(StreamChangePlanner(to: 2).step(cluster.look) == .stop("The server n1 does not sync always."))
        cluster.faults = []
        // The operator requests fewer streams than were created for the current change.
        guard case .stop(let reason) = StreamChangePlanner(to: 1).step(cluster.look) else {
            Issue.record("It continues.")
            return
        }
        #expect(reason.contains("--streams 2"))
        #expect(StreamChangePlanner(to: 3).step(cluster.look) == .make([3]))
        cluster.take(.close([0]))
        guard case .stop(let late) = StreamChangePlanner(to: 3).step(cluster.look) else {
            Issue.record("It continues.")
            return
        }
        #expect(late.contains("--streams 2"))
        let nothing = Cluster(streams: [:])
        #expect(
            StreamChangePlanner(to: 2).step(nothing.look)
                == .stop("The stream INTAKE_0 does not exist; run `trackway-cluster engine init`.")
        )
        var old = Cluster(hasOrder: true)
        old.line = StreamOrder(behind: 0)
        old.take(.open(Array(950...959)))
        for number in old.open { old.streams[number] = StreamFacts(name: "INTAKE_\(number)") }
        guard case .stop(let used) = StreamChangePlanner(to: 64).step(old.look) else {
            Issue.record("It continues.")
            return
        }
        #expect(used.contains("959"))
    }

    @Test("an open stream that lost its subjects gets them again")
    func repair() {
        var cluster = Cluster()
        _ = Self.steps(&cluster, to: 2)
        cluster.take(.close([2]))
        #expect(Self.steps(&cluster, to: 2) == [.give([2], of: [1, 2]), .done])
    }
}
