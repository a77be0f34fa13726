// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayTesting

@testable internal import CollectorJetStream

/// What there is, and what each step makes of it.
private struct Cluster: Sendable {
    var line: OrderLine?
    var hasOrder = false
    var streams: [Int: StreamFacts] = [0: StreamFacts(name: "INTAKE_0")]
    var faults: [String] = []

    var look: StreamGrowth.Look { StreamGrowth.Look(line: line, hasOrder: hasOrder, streams: streams, faults: faults) }
    var open: [Int] { line?.streams ?? [0] }

    /// Which streams take the records of a partition.
    func takers(of partition: Int) -> [Int] {
        streams.keys.sorted().filter { number in
            streams[number]?.subjects.contains { $0 == "intake.*" || $0 == "intake.\(partition)" } == true
        }
    }

    mutating func take(_ step: StreamGrowth.Step) {
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
            let partitions = OrderLine.partitions(of: all)
            for number in numbers { streams[number]?.subjects = StreamPlace.subjects(of: partitions[number] ?? []) }
        case .open(let numbers):
            var next = line ?? OrderLine(behind: 10)
            do {
                try next.take(next.opening(numbers))
            } catch {
                Issue.record(error)
            }
            line = next
        }
    }
}

@Suite("The way from streams to others")
struct StreamGrowthTests {
    private static func steps(_ cluster: inout Cluster, to count: Int) -> [StreamGrowth.Step] {
        var growth = StreamGrowth(to: count)
        var steps: [StreamGrowth.Step] = []
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

    @Test(
        "one stream becomes three, then two: first the new ones are made, then the old ones end, and last the order says so"
    )
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
        "killed at any step and begun again, by two at once, it comes to the same, and no partition ever belongs to two streams",
        arguments: 1...60 as ClosedRange<UInt64>
    )
    func deaths(seed: UInt64) {
        var chance = SeededChance(seed: seed)
        var cluster = Cluster()
        for count in [chance.number(2...6), chance.number(1...6), chance.number(1...6)] {
            var both = [StreamGrowth(to: count), StreamGrowth(to: count)]
            var steps = 0
            while steps < 400 {
                steps += 1
                let who = chance.number(0...1)
                if chance.chance(15) { both[who] = StreamGrowth(to: count) }
                let step = both[who].step(cluster.look)
                if step == .done { break }
                if case .stop(let reason) = step { Issue.record("\(reason)") }
                // Killed behind the step, or in its midst: only some of the streams were reached.
                let part: StreamGrowth.Step =
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
                // A stream is open only when it has its subjects, and nothing before it takes any.
                for number in cluster.streams.keys where number < cluster.open[0] {
                    #expect(cluster.streams[number]?.isClosed(number) == true)
                }
            }
            #expect(cluster.open.count == count && steps < 400)
            for partition in 0..<256 { #expect(cluster.takers(of: partition) == [cluster.open[partition % count]]) }
        }
    }

    /// A step, and what is said when the command was killed behind it.
    struct Killed: Sendable, CustomTestStringConvertible {
        var step: StreamGrowth.Step
        var unfinished: StreamGrowth.Unfinished?

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
        "a change that was killed behind any step is seen, with the command that finishes it, and whether batches are accepted"
    )
    func unfinished() {
        var cluster = Cluster()
        #expect(cluster.look.unfinished == nil)
        for killed in Self.killed {
            cluster.take(killed.step)
            #expect(cluster.look.unfinished == killed.unfinished, "\(killed)")
            guard let unfinished = cluster.look.unfinished else { continue }
            #expect(unfinished.sentence.contains("`trackway-cluster engine plan --streams \(unfinished.streams)`"))
            #expect(unfinished.sentence.contains("no batch is accepted") == !unfinished.accepts)
        }
        // A stream of the order that lost its subjects.
        var other = Cluster()
        _ = Self.steps(&other, to: 2)
        other.take(.close([2]))
        #expect(other.look.unfinished == StreamGrowth.Unfinished(streams: 2, accepts: false))
    }

    @Test("what stands in the way is told before anything is closed")
    func refusals() {
        var cluster = Cluster()
        cluster.hasOrder = true
        cluster.take(.make([1, 2]))
        cluster.faults = ["The server n1 does not sync always."]
        #expect(StreamGrowth(to: 2).step(cluster.look) == .stop("The server n1 does not sync always."))
        cluster.faults = []
        // Somebody wants fewer than were made for what comes.
        guard case .stop(let reason) = StreamGrowth(to: 1).step(cluster.look) else {
            Issue.record("It goes on.")
            return
        }
        #expect(reason.contains("--streams 2"))
        #expect(StreamGrowth(to: 3).step(cluster.look) == .make([3]))
        cluster.take(.close([0]))
        guard case .stop(let late) = StreamGrowth(to: 3).step(cluster.look) else {
            Issue.record("It goes on.")
            return
        }
        #expect(late.contains("--streams 2"))
        let nothing = Cluster(streams: [:])
        #expect(
            StreamGrowth(to: 2).step(nothing.look)
                == .stop("There is no stream INTAKE_0; make it with `trackway-cluster engine init`.")
        )
        var old = Cluster(hasOrder: true)
        old.line = OrderLine(behind: 0)
        old.take(.open(Array(950...959)))
        for number in old.open { old.streams[number] = StreamFacts(name: "INTAKE_\(number)") }
        guard case .stop(let used) = StreamGrowth(to: 64).step(old.look) else {
            Issue.record("It goes on.")
            return
        }
        #expect(used.contains("959"))
    }

    @Test("a stream of the order whose subjects were lost gets them again")
    func repair() {
        var cluster = Cluster()
        _ = Self.steps(&cluster, to: 2)
        cluster.take(.close([2]))
        #expect(Self.steps(&cluster, to: 2) == [.give([2], of: [1, 2]), .done])
    }
}
