// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayTesting

@testable internal import CollectorJetStream

/// A cluster's state, changed by the steps.
private struct Cluster: Sendable {
    var order: StreamOrder?
    var hasOrder = false
    var streams: [Int: StreamFacts] = [0: StreamFacts(name: "INTAKE_0")]
    var faults: [String] = []

    var snapshot: StreamChangePlanner.Snapshot {
        StreamChangePlanner.Snapshot(order: order, hasOrder: hasOrder, streams: streams, faults: faults)
    }
    var open: [Int] { order?.streams ?? [0] }

    /// Returns the streams that accept records of a partition.
    func acceptingStreams(of partition: Int) -> [Int] {
        streams.keys.sorted().filter { number in
            streams[number]?.subjects.contains { $0 == "intake.*" || $0 == "intake.\(partition)" } == true
        }
    }

    mutating func perform(_ step: StreamChangePlanner.Step) {
        switch step {
        case .createOrder: hasOrder = true
        case .create(let numbers):
            for number in numbers {
                streams[number] = StreamFacts(name: "INTAKE_\(number)")
                streams[number]?.subjects = ["intake.closed.\(number)"]
            }
        case .close(let numbers):
            for number in numbers { streams[number]?.subjects = ["intake.closed.\(number)"] }
        case .drain, .done, .stop: break
        case .assignSubjects(let numbers, let all):
            let partitions = StreamOrder.partitions(of: all)
            for number in numbers { streams[number]?.subjects = StreamNames.subjects(of: partitions[number] ?? []) }
        case .open(let numbers):
            var next = order ?? StreamOrder(after: 10)
            do {
                try next.apply(next.openingEntry(for: numbers))
            } catch {
                Issue.record(error)
            }
            order = next
        }
    }
}

@Suite("Changing the number of streams")
struct StreamChangePlannerTests {
    private static func steps(_ cluster: inout Cluster, to count: Int) -> [StreamChangePlanner.Step] {
        var planner = StreamChangePlanner(to: count)
        var steps: [StreamChangePlanner.Step] = []
        while steps.count < 20 {
            let step = planner.step(cluster.snapshot)
            if case .drain = step { planner.markDrained() }
            steps.append(step)
            switch step {
            case .done, .stop: return steps
            default: cluster.perform(step)
            }
        }
        return steps
    }

    @Test
    func `one stream becomes three, then two: new streams are created, old ones closed, and the new ones opened`() {
        var cluster = Cluster()
        #expect(
            Self.steps(&cluster, to: 3) == [
                .createOrder, .create([1, 2, 3]), .close([0]), .drain([0]), .assignSubjects([1, 2, 3], of: [1, 2, 3]),
                .open([1, 2, 3]), .done,
            ]
        )
        #expect(Self.steps(&cluster, to: 3) == [.done])
        #expect(
            Self.steps(&cluster, to: 2) == [
                .create([4, 5]), .close([1, 2, 3]), .drain([1, 2, 3]), .assignSubjects([4, 5], of: [4, 5]),
                .open([4, 5]), .done,
            ]
        )
        #expect(
            Self.steps(&cluster, to: 1) == [
                .create([6]), .close([4, 5]), .drain([4, 5]), .assignSubjects([6], of: [6]), .open([6]), .done,
            ]
        )
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `killed and restarted processes reach the same end, and no partition ever belongs to two streams`(seed: UInt64)
    {
        var random = SeededNumberGenerator(seed: seed)
        var cluster = Cluster()
        for count in [random.number(2...6), random.number(1...6), random.number(1...6)] {
            var planners = [StreamChangePlanner(to: count), StreamChangePlanner(to: count)]
            var steps = 0
            while steps < 400 {
                steps += 1
                let index = random.number(0...1)
                if random.oneIn(15) { planners[index] = StreamChangePlanner(to: count) }
                let step = planners[index].step(cluster.snapshot)
                if step == .done { break }
                if case .stop(let reason) = step { Issue.record("\(reason)") }
                // Killed after or during the step: only some of the streams were changed.
                let part: StreamChangePlanner.Step =
                    switch step {
                    case .create(let numbers): .create(Array(numbers.prefix(random.number(0...numbers.count))))
                    case .close(let numbers): .close(Array(numbers.prefix(random.number(0...numbers.count))))
                    case .assignSubjects(let numbers, let all):
                        .assignSubjects(Array(numbers.prefix(random.number(0...numbers.count))), of: all)
                    default: step
                    }
                if case .drain = step { planners[index].markDrained() }
                cluster.perform(part)
                for partition in [0, 1, 77, 255] { #expect(cluster.acceptingStreams(of: partition).count <= 1) }
                // A stream is open only if it has its subjects, and no earlier stream accepts records.
                for number in cluster.streams.keys where number < cluster.open[0] {
                    #expect(cluster.streams[number]?.isClosed(number) == true)
                }
            }
            #expect(cluster.open.count == count && steps < 400)
            for partition in 0..<256 {
                #expect(cluster.acceptingStreams(of: partition) == [cluster.open[partition % count]])
            }
        }
    }

    /// A step, and the expected report if the command was killed after it.
    struct KilledAfter: Sendable, CustomTestStringConvertible {
        var step: StreamChangePlanner.Step
        var pendingChange: StreamChangePlanner.PendingChange?

        var testDescription: String { "\(step)" }
    }

    private static let killedCases = [
        KilledAfter(step: .createOrder),
        KilledAfter(step: .create([1, 2]), pendingChange: .init(streams: 2, isAccepting: true)),
        KilledAfter(step: .create([3]), pendingChange: .init(streams: 3, isAccepting: true)),
        KilledAfter(step: .close([0]), pendingChange: .init(streams: 3, isAccepting: false)),
        KilledAfter(step: .drain([0]), pendingChange: .init(streams: 3, isAccepting: false)),
        KilledAfter(step: .assignSubjects([1], of: [1, 2, 3]), pendingChange: .init(streams: 3, isAccepting: false)),
        KilledAfter(
            step: .assignSubjects([2, 3], of: [1, 2, 3]),
            pendingChange: .init(streams: 3, isAccepting: false)
        ),
        KilledAfter(step: .open([1, 2, 3])),
        KilledAfter(step: .create([4]), pendingChange: .init(streams: 1, isAccepting: true)),
        KilledAfter(step: .close([1]), pendingChange: .init(streams: 1, isAccepting: false)),
    ]

    @Test
    func
        `a change killed after any step is found, with the command that continues it and whether batches are accepted`()
    {
        var cluster = Cluster()
        #expect(cluster.snapshot.pendingChange == nil)
        for killed in Self.killedCases {
            cluster.perform(killed.step)
            #expect(cluster.snapshot.pendingChange == killed.pendingChange, "\(killed)")
            guard let pendingChange = cluster.snapshot.pendingChange else { continue }
            #expect(
                pendingChange.message.contains("`trackway-cluster cluster plan --streams \(pendingChange.streams)`")
            )
            #expect(pendingChange.message.contains("no batches are accepted") == !pendingChange.isAccepting)
        }
        // An open stream that lost its subjects.
        var other = Cluster()
        _ = Self.steps(&other, to: 2)
        other.perform(.close([2]))
        #expect(other.snapshot.pendingChange == StreamChangePlanner.PendingChange(streams: 2, isAccepting: false))
    }

    @Test
    func `obstacles are reported before any stream is closed`() {
        var cluster = Cluster()
        cluster.hasOrder = true
        cluster.perform(.create([1, 2]))
        cluster.faults = ["The server n1 does not sync every write."]
        #expect(StreamChangePlanner(to: 2).step(cluster.snapshot) == .stop("The server n1 does not sync every write."))
        cluster.faults = []
        // The operator requests fewer streams than were created for the current change.
        guard case .stop(let reason) = StreamChangePlanner(to: 1).step(cluster.snapshot) else {
            Issue.record("The planner continues.")
            return
        }
        #expect(reason.contains("--streams 2"))
        #expect(StreamChangePlanner(to: 3).step(cluster.snapshot) == .create([3]))
        cluster.perform(.close([0]))
        guard case .stop(let unchangeable) = StreamChangePlanner(to: 3).step(cluster.snapshot) else {
            Issue.record("The planner continues.")
            return
        }
        #expect(unchangeable.contains("--streams 2"))
        let nothing = Cluster(streams: [:])
        #expect(
            StreamChangePlanner(to: 2).step(nothing.snapshot)
                == .stop("The stream INTAKE_0 does not exist; run `trackway-cluster cluster init`.")
        )
        var old = Cluster(hasOrder: true)
        old.order = StreamOrder(after: 0)
        old.perform(.open(Array(950...959)))
        for number in old.open { old.streams[number] = StreamFacts(name: "INTAKE_\(number)") }
        guard case .stop(let exhausted) = StreamChangePlanner(to: 64).step(old.snapshot) else {
            Issue.record("The planner continues.")
            return
        }
        #expect(exhausted.contains("959"))
    }

    @Test
    func `an open stream that lost its subjects gets them again`() {
        var cluster = Cluster()
        _ = Self.steps(&cluster, to: 2)
        cluster.perform(.close([2]))
        #expect(Self.steps(&cluster, to: 2) == [.assignSubjects([2], of: [1, 2]), .done])
    }
}
