// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

@testable internal import CollectorJetStream

/// The product's collectors and intakes on three simulated servers in virtual time.
///
/// `TRACKWAY_SIMULATION_SEEDS=2000` runs this number of seeds instead of a few.
@Suite("Many collectors on a simulated cluster")
struct ClusterSimulationTests {
    private static let seeds =
        1...UInt64(
            ProcessInfo.processInfo.environment["TRACKWAY_SIMULATION_SEEDS"].flatMap { UInt64($0) } ?? 16
        )

    @Test(arguments: seeds)
    func `acknowledged batches are stored once, at the returned position, under all faults`(seed: UInt64) {
        var random = SeededNumberGenerator(seed: seed &* 7_919)
        var plan = ClusterSimulation.Plan(seed: seed)
        plan.collectors = random.number(2...12)
        plan.senders = random.number(4...40)
        plan.batches = random.number(5...40)
        expectValid(plan)
    }

    @available(macOS 15, *)
    @Test(arguments: 101...UInt64(104))
    func `collectors switch away from a server that stays cut off from the others`(seed: UInt64) {
        var plan = ClusterSimulation.Plan(seed: seed)
        plan.staysCutOff = true
        plan.batches = 10
        expectValid(plan)
    }

    @available(macOS 15, *)
    @Test
    func `two hundred collectors with a thousand senders keep all invariants`() {
        var plan = ClusterSimulation.Plan(seed: 1)
        plan.collectors = 200
        plan.senders = 1_000
        plan.batches = 4
        expectValid(plan)
    }

    @available(macOS 15, *)
    @Test
    func `equal seeds give equal runs`() {
        var plan = ClusterSimulation.Plan(seed: 3)
        plan.batches = 10
        let runs = (0..<2).map { _ in ClusterSimulation(plan).run() }
        #expect(runs[0] != nil && runs[0]?.script == runs[1]?.script)
        #expect(runs[0]?.stored == runs[1]?.stored && runs[0]?.attempts == runs[1]?.attempts)
    }

    @available(macOS 15, *)
    private func expectValid(_ plan: ClusterSimulation.Plan) {
        let simulation = ClusterSimulation(plan)
        guard let outcome = simulation.run() else {
            Issue.record("\(plan): a task waits indefinitely\n\(simulation.script.joined(separator: "\n"))")
            return
        }
        let script: Comment = "\(plan)\n\(outcome.script.joined(separator: "\n"))"
        #expect(outcome.violations == [], script)
        #expect(outcome.acknowledged == plan.senders * plan.batches, script)
        #expect(outcome.stored.count >= outcome.acknowledged, script)
    }
}

/// A run of senders, collectors and a cluster under faults.
///
/// Senders send each batch until it is acknowledged. Collectors are killed and the cluster fails during the run, and
/// all faults are repaired at the end.
@available(macOS 15, *)
final class ClusterSimulation: Sendable {
    struct Plan: Sendable {
        var seed: UInt64
        var collectors = 5
        var senders = 20
        var batches = 20
        /// The period in which faults occur, in seconds.
        var seconds = 90
        /// Whether the final leader is cut off from the others permanently.
        var staysCutOff = false

        init(seed: UInt64) { self.seed = seed }
    }

    struct Outcome: Sendable {
        /// The faults, with their times.
        var script: [String] = []
        /// Violations of the invariants.
        var violations: [String] = []
        var acknowledged = 0
        var attempts = 0
        /// The bodies of all records, in stream order.
        var stored: [String] = []
    }

    private final class Collector: Sendable {
        let client: SimulatedClient
        let watch: DurabilityWatch
        let intake: StreamIntake
        let isAlive = Locked(true)

        init(_ cluster: SimulatedCluster, _ number: Int) {
            let time = cluster.time
            let client = cluster.client()
            let intakeReference = Locked<StreamIntake?>(nil)
            let watch = DurabilityWatch(
                client,
                check: DurabilityCheck(client, system: client, stream: "INTAKE_0"),
                sleep: { await time.sleep($0) },
                knownEnd: { intakeReference.withLock { $0 }?.highest ?? 0 },
                onFacts: { facts, end in intakeReference.withLock { $0 }?.update(with: facts, knownEnd: end) }
            )
            var random = SeededNumberGenerator(seed: UInt64(number) &+ 1_000)
            intake = StreamIntake(
                client,
                status: { watch.status },
                clock: time.clock,
                randomUInt64: { random.next() },
                sleep: { await time.sleep($0) }
            )
            intakeReference.withLock { [intake] in $0 = intake }
            client.onChange { watch.connectionChanged() }
            self.client = client
            self.watch = watch
        }
    }

    private struct State: Sendable {
        var collectors: [Collector] = []
        var outcome = Outcome()
        var random: SeededNumberGenerator
    }

    /// The maximum time until a server that does not sync is noticed.
    ///
    /// Checks are ten seconds apart and take up to four seconds, and a report is up to two seconds old on arrival.
    private static let detectionTime: Duration = .seconds(17)

    private let plan: Plan
    private let time = VirtualTime()
    private let cluster: SimulatedCluster
    private let startTime: MonotonicTime
    private let state: Locked<State>

    init(_ plan: Plan) {
        self.plan = plan
        cluster = SimulatedCluster(time, seed: plan.seed)
        startTime = time.now
        state = Locked(State(random: SeededNumberGenerator(seed: plan.seed &* 31)))
    }

    /// - Returns: The outcome; nil if a task waits for an event that never occurs.
    func run() -> Outcome? {
        time.run(within: .seconds(plan.seconds * 20)) { [self] in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<plan.collectors {
                    let collector = Collector(cluster, number)
                    state.withLock { $0.collectors.append(collector) }
                    start(collector)
                }
                group.addTask { await self.injectFaults() }
                for sender in 0..<plan.senders { group.addTask { await self.send(from: sender) } }
                await group.waitForAll()
            }
            finish()
            return state.withLock { $0.outcome }
        }
    }

    /// Runs durability checks until the collector dies, and reads the stream as its index does, from any server that
    /// has it.
    private func start(_ collector: Collector) {
        let checks = Task(executorPreference: time) { await collector.watch.run() }
        Task(executorPreference: time) { [time, cluster] in
            while collector.isAlive.withLock({ $0 }) {
                await time.sleep(.milliseconds(500))
                let stored = cluster.log.stored
                if stored > 0 { collector.intake.advance(to: UInt64(stored)) }
            }
            checks.cancel()
        }
    }

    /// The faults so far.
    var script: [String] { state.withLock { $0.outcome.script } }

    private func number(_ range: ClosedRange<Int>) -> Int { state.withLock { $0.random.number(range) } }

    private func pause(_ range: ClosedRange<Int>) async { await time.sleep(.milliseconds(number(range))) }

    private func recordViolation(_ text: String) { state.withLock { $0.outcome.violations.append(text) } }

    private func note(_ text: String) {
        let milliseconds = startTime.duration(to: time.now).wholeMilliseconds
        state.withLock { $0.outcome.script.append("\(milliseconds) ms: \(text)") }
    }

    // MARK: Senders

    private func send(from sender: Int) async {
        let installation = InstallationID(high: 7, low: UInt64(sender))
        for batch in 0..<plan.batches {
            await pause(0...(plan.seconds * 1_200 / plan.batches))
            let first = UInt64(batch * 10 + 1)
            let route = IntakeRoute(
                BatchHeader(id: "b\(batch)", installation: installation, first: first, last: first + 9, sent: nil),
                key: "shop"
            )
            let body = "\(sender)-\(batch)"
            while true {
                // A sender that stopped waiting tries another collector while the first is still busy.
                if number(1...15) == 1 {
                    async let other = attempt(body, route)
                    let isAnswered = await attempt(body, route)
                    if await other || isAnswered { break }
                } else if await attempt(body, route) {
                    break
                }
                await pause(200...2_000)
            }
            state.withLock { $0.outcome.acknowledged += 1 }
        }
    }

    private func attempt(_ body: String, _ route: IntakeRoute) async -> Bool {
        let collector = state.withLock { state in
            state.outcome.attempts += 1
            return state.collectors.randomElement(using: &state.random)
        }
        guard let collector else { return false }
        do throws(IntakeError) {
            let commit = try await collector.intake.commit(kind: .intake, record: Array(body.utf8), route: route)
            // Its process died before it could respond.
            guard collector.isAlive.withLock({ $0 }) else { return false }
            verify(commit, of: body)
            return true
        } catch {
            if error.code == .stopped { recordViolation("a collector stopped permanently: \(error)") }
            return false
        }
    }

    /// Checks that an acknowledged record is stored at that position by a majority of servers, none of which is known
    /// to run without syncing.
    private func verify(_ commit: Commit, of body: String) {
        let log = cluster.log
        let index = Int(commit.position.streamSequence) - 2
        if index < 0 || index >= log.stored || log.records[index].body != Array(body.utf8) {
            recordViolation("\(body) is not at the acknowledged position \(index)")
        }
        if log.servers.filter({ $0.recordCount > index }).count < 2 { recordViolation("\(body) is on only one server") }
        for (number, server) in log.servers.enumerated() {
            if let since = server.unsyncedSince, since.duration(to: time.now) > Self.detectionTime {
                recordViolation("\(body) was acknowledged long after n\(number) stopped syncing")
            }
        }
        if commit.durability != .replicated { recordViolation("\(body) is \(commit.durability)") }
    }

    // MARK: Faults

    private func injectFaults() async {
        let end = startTime.advanced(by: .seconds(plan.seconds))
        while time.now < end {
            await pause(500...8_000)
            switch number(1...10) {
            case 1...2: await killServers(number(1...2))
            case 3: await pauseLeader()
            case 4: await isolateServer()
            case 5: await killCollector()
            case 6: await restartWithoutSync()
            case 7: await restartWithEmptyDisk()
            case 8...9:
                let (losesAnswers, isSlow) = (number(0...1) == 1, number(0...2) == 0)
                note("answers are lost: \(losesAnswers), slow: \(isSlow)")
                cluster.setNetwork(losesAnswers: losesAnswers, isSlow: isSlow)
            default: await killServers(3)
            }
        }
        note(plan.staysCutOff ? "the leader is cut off permanently" : "all faults are repaired")
        if plan.staysCutOff {
            let victim = cluster.log.leader ?? 0
            cluster.change { $0.servers[victim].partition = 1 }
        }
        cluster.setNetwork(losesAnswers: false, isSlow: false)
    }

    private func killServers(_ count: Int) async {
        let leader = cluster.log.leader ?? 0
        let victims = (0..<count).map { (leader + $0) % 3 }
        note("killed: \(victims)")
        for victim in victims { cluster.kill(victim) }
        await pause(100...12_000)
        for victim in victims {
            cluster.start(victim)
            await pause(0...3_000)
        }
    }

    private func pauseLeader() async {
        let victim = number(0...3) == 0 ? number(0...2) : cluster.log.leader ?? 0
        note("paused: \(victim)")
        cluster.change { $0.servers[victim].isPaused = true }
        await pause(500...15_000)
        cluster.change { $0.servers[victim].isPaused = false }
    }

    private func isolateServer() async {
        let victim = number(0...1) == 0 ? number(0...2) : cluster.log.leader ?? 0
        note("cut off from the others: \(victim)")
        cluster.change { $0.servers[victim].partition = 1 }
        await pause(500...20_000)
        cluster.change { $0.servers[victim].partition = 0 }
    }

    private func restartWithoutSync() async {
        let victim = number(0...2)
        note("restarted without syncing: \(victim)")
        cluster.kill(victim)
        await pause(100...4_000)
        cluster.start(victim, syncsAlways: false)
        await pause(20_000...30_000)
        cluster.kill(victim)
        await pause(100...1_000)
        cluster.start(victim)
    }

    private func restartWithEmptyDisk() async {
        // If a second server were down, records would be lost; the cluster guarantees nothing in that case.
        while !cluster.log.isFullyReplicated { await pause(100...200) }
        let victim = number(0...2)
        note("restarted with an empty disk: \(victim)")
        cluster.kill(victim)
        cluster.start(victim, wiped: true)
        // A copy that has not caught up has no vote in the next election.
        while cluster.log.servers[victim].recordCount < cluster.log.stored { await pause(50...100) }
    }

    private func killCollector() async {
        let index = number(0...plan.collectors - 1)
        note("killed: collector \(index)")
        let replacement = Collector(cluster, number(1...1_000_000))
        let old = state.withLock { state in
            defer { state.collectors[index] = replacement }
            return state.collectors[index]
        }
        old.isAlive.withLock { $0 = false }
        old.client.close()
        start(replacement)
    }

    // MARK: End of the run

    private func finish() {
        let log = cluster.log
        if log.stored != log.records.count {
            recordViolation("\(log.records.count - log.stored) records are not stored")
        }
        // An id is stored once, unless the record was sent again after the id window.
        var lastTimes: [String: MonotonicTime] = [:]
        for record in log.records {
            let body = String(decoding: record.body, as: UTF8.self)
            if let previous = lastTimes[body], previous.duration(to: record.at) < ReplicatedLog.window {
                recordViolation("\(body) is stored twice within \(previous.duration(to: record.at))")
            }
            lastTimes[body] = record.at
        }
        for collector in state.withLock({ $0.collectors }) {
            if collector.intake.statistics.waiting != 0 { recordViolation("a collector still holds records") }
            if collector.intake.highest > log.stored {
                recordViolation("a collector knows more records than are stored")
            }
            collector.isAlive.withLock { $0 = false }
        }
        cluster.end()
        state.withLock { state in
            state.outcome.stored = log.records.map { String(decoding: $0.body, as: UTF8.self) }
        }
    }
}
