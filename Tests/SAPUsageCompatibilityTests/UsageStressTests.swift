// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

/// Two users on one device under concurrent load.
///
/// Threads report, uploads fail or are killed, and decisions change.
///
/// `TRACKWAY_SEEDS` is the number of rounds, `TRACKWAY_SEED` the first of their seeds. A failed round prints its seed
/// and its requests. The seed determines the script: processes, users, counts, decisions, responses and kills. The
/// interleaving of threads depends on the system.
@Suite("Usage under stress", .timeLimit(.minutes(60)))
struct UsageStressTests {
    private static func setting(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    static let seeds: [UInt64] = {
        let first = setting("TRACKWAY_SEED") ?? 20_261_127
        return (0..<(setting("TRACKWAY_SEEDS") ?? 4)).map { first + $0 }
    }()

    @Test(arguments: seeds)
    func `no record is lost, sent twice or sent after a withdrawal, and no session is invented`(_ seed: UInt64)
        async throws
    {
        var round = StressRound(seed)
        do {
            try await round.run()
            #expect(round.overlaps == 0, "calls to a custom store overlapped")
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
        guard !round.faults.isEmpty else { return }
        Issue.record("seed \(seed):\n\((round.faults.prefix(20) + round.history).joined(separator: "\n"))")
    }
}

/// The app's actions that are stored on the device's disk.
private struct StressLog: Sendable {
    /// Stored records, with the number of the user's withdrawals before and after the call.
    var recorded: [String: ClosedRange<Int>] = [:]
    /// The number of completed withdrawals, by user.
    var withdrawals: [String: Int] = [:]
    /// The IDs of the sessions that the app began.
    var sessions: Set<String> = []
}

/// A round: a script of processes, determined by a seed.
private struct StressRound {
    private let userIDs = [
        UUID(uuid: (0xE9, 0xB5, 0x1D, 0x0C, 0x50, 0xB0, 0x4F, 0x27, 0x9D, 0x62, 0, 1, 2, 3, 4, 5)),
        UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
    ]
    private static let threads = 8
    private static let processes = 5

    private var random: SeededGenerator
    private let seed: UInt64
    private let isOwnStore: [Bool]
    private var customStores: [CustomStore]

    /// The number of overlapping calls to a custom store.
    var overlaps: Int { customStores.reduce(0) { $0 + $1.overlaps } }
    private let backEnd = UploadBackEnd()
    private let custom = Locked<[String]>([])
    private var app = UsageApp(InMemoryEnvironment(device: UsageApp.device, segmentBytes: 8_192))
    private let log = Locked(StressLog())
    private var everRecorded: [String: ClosedRange<Int>] = [:]
    /// By record, the number of completed withdrawals when the upload that sent it began.
    private let withdrawalsAtUpload = Locked<[String: Int]>([:])
    private let sent = Locked<[String: Int]>([:])
    private(set) var faults: [String] = []

    init(_ seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        isOwnStore = [seed.isMultiple(of: 4), seed % 8 == 1]
        customStores = userIDs.map { CustomStore($0.uuidString) }
    }

    /// The requests and steps, for the output of a failed round.
    var history: [String] { backEnd.history }

    mutating func run() async throws {
        for number in 0..<Self.processes { try await process(number) }
        var unsent: Set<String> = []
        for user in userIDs.indices { unsent.formUnion(try await drain(user)) }
        check(unsent)
    }

    private func store(_ user: Int) throws -> any UsageStoring {
        isOwnStore[user] ? customStores[user] : try app.store(of: userIDs[user])
    }

    // MARK: Processes

    /// Runs a process with threads, uploads and decisions.
    ///
    /// The process is killed at its end or during a request.
    private mutating func process(_ number: Int) async throws {
        let user = random.next(below: 2)
        let name = userIDs[user].uuidString
        backEnd.addToHistory("process \(number) of \(name.prefix(4))\(isOwnStore[user] ? ", own store" : "")")
        if random.nextBool() { decide(1 - user, random.nextBool()) }
        if random.next(below: 4) == 0 { decide(user, false) }
        app.usage.configure(with: try store(user))
        app.usage.enableDataCollection()
        decide(user, true)
        start()

        let responses = Locked(SeededGenerator(seed: seed &* 31 &+ UInt64(number)))
        // On a kill during a request, the disk and the log are captured. A custom store is in memory.
        let killed = Locked<(app: UsageApp, log: StressLog)?>(nil)
        let kill = isOwnStore[user] ? nil : random.nextBool() ? backEnd.requests + 1 + random.next(below: 4) : nil
        let (app, log) = (app, log)
        backEnd.setResponse { _, request in
            if request == kill {
                let capturedLog = log.withLock { $0 }
                killed.withLock { $0 = (app.restarted(), capturedLog) }
            } else if killed.withLock({ $0 != nil }) {
                // A killed process sends nothing more.
                return .offline
            }
            return responses.withLock { responses in
                switch responses.next(below: 10) {
                case 0: .status(500)
                case 1: .loseResponse
                case 2: .offline
                case 3: .status(503)
                case 4: .status(504)
                default: .accept
                }
            }
        }
        let plan = StressPlan(&random, threads: Self.threads)
        await run(plan, number, name)
        if let killed = killed.withLock({ $0 }) {
            backEnd.addToHistory("killed in request \(kill ?? 0)")
            everRecorded.merge(log.withLock { $0.recorded }) { $1 }
            log.withLock { $0 = killed.log }
            self.app = killed.app
            return
        }
        if random.nextBool() {
            backEnd.setResponse { _, _ in .loseResponse }
            await upload(name)
        }
        self.app = app.restarted()
    }

    private func run(_ plan: StressPlan, _ number: Int, _ name: String) async {
        let (app, log, custom) = (app, log, custom)
        let round = UncheckedSendableBox(object: self)
        let isOwn = app.usage.core.access?.core == nil
        await withTaskGroup(of: Void.self) { group in
            for (thread, count) in plan.counts.enumerated() {
                group.addTask {
                    for index in 0..<count {
                        Self.record("\(name) \(number)-\(thread)-\(index)", of: name, app, log)
                        if index % 16 == 0 { app.memory.clock.advance(by: .milliseconds(1)) }
                        if thread == 0, plan.endsSessions, index % 25 == 24 {
                            app.usage.reporter().report(.sessionEnd, date: app.environment.now.date)
                            Self.start(app, log)
                        }
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for _ in 0..<plan.uploads {
                    await round.object.upload(name)
                    await Task.yield()
                }
            }
            group.addTask {
                for decision in plan.decisions {
                    switch decision {
                    case .policy:
                        app.usage.disableDataCollection()
                        app.usage.enableDataCollection()
                    case .consent:
                        Self.decide(false, name, app, log)
                        Self.decide(true, name, app, log)
                        Self.start(app, log)
                    case .customUpload where !isOwn:
                        app.usage.reporter(for: "own").report(.event("\(name) own \(UUID())"))
                        let snapshot = app.usage.store?.snapshot(for: "own")
                        var read: [String] = []
                        snapshot?.records { record in
                            read.append(record.event.description)
                            return true
                        }
                        snapshot?.removeRecords()
                        custom.withLock { $0 += read }
                    case .customUpload: continue
                    }
                    for _ in 0..<20 { await Task.yield() }
                }
            }
        }
    }

    private static func record(_ value: String, of user: String, _ app: UsageApp, _ log: Locked<StressLog>) {
        let before = log.withLock { $0.withdrawals[user] ?? 0 }
        let record = SAPcpmsRecord.event(key: "many", date: app.environment.now.date, value: value)
        guard app.usage.core.report(record, for: "default") == nil else { return }
        log.withLock { $0.recorded[value] = before...max(before, $0.withdrawals[user] ?? 0) }
    }

    private static func start(_ app: UsageApp, _ log: Locked<StressLog>) {
        let start = app.start()
        let id = start.info[UsageRecord.sessionIdentifierKey] as? String ?? ""
        log.withLock { _ = $0.sessions.insert(id) }
        app.usage.reporter().report(start)
    }

    private static func decide(_ isGiven: Bool, _ user: String, _ app: UsageApp, _ log: Locked<StressLog>) {
        app.usage.core.setConsent(isGiven, of: user, application: nil)
        if !isGiven { log.withLock { $0.withdrawals[user, default: 0] += 1 } }
    }

    private func start() { Self.start(app, log) }

    private func decide(_ user: Int, _ isGiven: Bool) {
        Self.decide(isGiven, userIDs[user].uuidString, app, log)
    }

    /// Uploads records, and stores for each sent record how many withdrawals preceded the upload.
    private func upload(_ name: String) async {
        let withdrawalCount = log.withLock { $0.withdrawals[name] ?? 0 }
        let known = Set(backEnd.storedEvents.compactMap(\.value))
        let error = await app.upload(to: backEnd)
        backEnd.addToHistory("uploaded: \(error.map { "\($0)" } ?? "ok")")
        let newValues = Set(backEnd.storedEvents.compactMap(\.value)).subtracting(known)
        withdrawalsAtUpload.withLock { uploads in for value in newValues { uploads[value] = withdrawalCount } }
    }

    // MARK: Final checks

    /// Uploads all of a user's records in a final process.
    ///
    /// - Returns: The records that cannot be sent.
    private mutating func drain(_ user: Int) async throws -> Set<String> {
        backEnd.addToHistory("last process of \(userIDs[user].uuidString.prefix(4))")
        backEnd.setResponse { _, _ in .accept }
        let store = try store(user)
        app.usage.configure(with: store)
        app.usage.enableDataCollection()
        app.usage.consentForUser(userIDs[user], given: true)
        for _ in 0..<3 { await upload(userIDs[user].uuidString) }
        let unsent = store.snapshot(for: "default").all.compactMap { $0.info[SAPcpmsRecord.valueKey] as? String }
        app = app.restarted()
        return Set(unsent)
    }

    private mutating func check(_ unsent: Set<String>) {
        let log = log.withLock { $0 }
        var counts: [String: Int] = [:]
        for event in backEnd.storedEvents where event.key == "many" { counts[event.value ?? "", default: 0] += 1 }
        for (value, count) in counts where count > 1 { faults.append("\(value) was sent \(count) times") }
        for (value, range) in log.recorded where counts[value] == nil && !unsent.contains(value) {
            // A withdrawal during or after the recording removes the record.
            let user = String(value.prefix { $0 != " " })
            if range.lowerBound == log.withdrawals[user] ?? 0 { faults.append("\(value) was lost") }
        }
        let recorded = everRecorded.merging(log.recorded) { $1 }
        for (value, withdrawalCount) in withdrawalsAtUpload.withLock({ $0 }) {
            if let range = recorded[value], range.upperBound < withdrawalCount {
                faults.append("\(value) was sent after withdrawal \(withdrawalCount)")
            }
        }
        let read = custom.withLock { $0 }
        if Set(read).count < read.count { faults.append("the app's own uploader read a record twice") }
        var sessions: [String: Int] = [:]
        for event in backEnd.storedEvents { sessions[event.session, default: 0] += event.key == "many" ? 1 : 0 }
        for (session, count) in sessions where count == 0 && !log.sessions.contains(session) {
            faults.append("session \(session) was invented")
        }
    }
}

/// The actions of a process's threads.
private struct StressPlan: Sendable {
    enum Decision: CaseIterable, Sendable {
        case policy, consent, customUpload
    }

    /// The number of records that each thread reports.
    let counts: [Int]
    let uploads: Int
    let decisions: [Decision]
    /// Whether the app itself ends sessions.
    let endsSessions: Bool

    init(_ random: inout SeededGenerator, threads: Int) {
        var generator = random
        counts = (0..<threads).map { _ in 5 + generator.next(below: 60) }
        uploads = 1 + generator.next(below: 6)
        decisions = (0..<generator.next(below: 6)).map { _ in
            Decision.allCases[generator.next(below: Decision.allCases.count)]
        }
        endsSessions = generator.nextBool()
        random = generator
    }
}
