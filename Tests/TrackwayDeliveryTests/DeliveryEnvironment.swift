// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayTesting

/// Delivery of a real in-memory journal, with simulated clock and collector.
final class DeliveryEnvironment: Sendable {
    let clock: ManualClock
    let storage: FaultyStorage
    let collector: FakeCollector
    let journal: Journal
    let service: DeliveryService
    let notices: Locked<[DeliveryEvent]>
    private let idle: IdleDetector
    private let ids: EventIDGenerator
    private let work = Locked<Task<Void, Never>?>(nil)

    init(
        _ names: [DestinationID] = ["collector"],
        storage: any JournalStorage = MemoryStorage(),
        collector: FakeCollector = FakeCollector(),
        clock: ManualClock = ManualClock(),
        idle: IdleDetector = IdleDetector(),
        policy: DeliveryPolicy = DeliveryPolicy(),
        queues: [DestinationID: QueuePolicy] = [:],
        uploads: (any UploadTimeStore)? = nil,
        limits: BatchLimits = BatchLimits(),
        maximumBytes: Int = 50 << 20,
        segmentBytes: Int = 1 << 16,
        maintenanceInterval: Duration = .seconds(60),
        retryStates: (any RetryStateStore)? = nil,
        admission: Admission.Rule? = nil,
        isPermitted: @escaping @Sendable () -> Bool = { true },
        rules: DestinationRules = [],
        executor: (any SerialExecutor)? = nil,
        make: (DestinationID, BatchLimits) -> any Destination = { DeliveryEnvironment.destination($0, limits: $1) },
        seed: UInt64 = 1
    ) throws {
        self.clock = clock
        self.storage = FaultyStorage(storage)
        self.collector = collector
        journal = try Journal(
            JournalConfiguration(
                folder: "/app",
                destinations: names,
                maximumBytes: maximumBytes,
                segmentBytes: segmentBytes
            ),
            clock: clock,
            bootID: "boot-1",
            storage: self.storage
        )
        let notices = Locked<[DeliveryEvent]>([])
        self.notices = notices
        self.idle = idle
        service = DeliveryService(
            journal: journal,
            routes: names.map { id in
                var policy = policy
                policy.queue = queues[id]
                return DeliveryRoute(destination: make(id, limits), policy: policy, admission: admission, rules: rules)
            },
            transport: collector,
            isPermitted: isPermitted,
            clock: clock,
            sleeper: ManualSleeper(clock),
            random: SeededGenerator(seed: seed),
            maintenanceInterval: maintenanceInterval,
            retryStates: retryStates,
            uploadTimes: uploads,
            boot: "boot-1",
            executor: executor,
            report: { notice in notices.withLock { $0.append(notice) } }
        )
        ids = EventIDGenerator(randomBits: seed)
    }

    static func destination(
        _ id: DestinationID,
        key: String = "key",
        limits: BatchLimits = BatchLimits()
    ) -> CollectorDestination {
        CollectorDestination(id: id, url: "https://\(id).example", writeKey: key, limits: limits)
    }

    /// Starts delivery, as `Analytics` does.
    func begin() {
        work.withLock { $0 = task { [service] in await service.run() } }
    }

    /// Starts a task that must be waiting before the clock advances.
    func task<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        idle.task(body)
    }

    /// Cancels delivery and waits until it has ended.
    func end() async {
        let task = work.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// Waits until `run` has returned without being canceled.
    func waitUntilEnded() async {
        await work.withLock { $0 }?.value
    }

    /// Waits until delivery is waiting for the clock, a response or an event.
    func waitUntilIdle() async {
        await idle.waitUntilIdle()
    }

    func record(_ count: Int, named name: String = "event", to route: [DestinationID] = []) {
        for _ in 0..<count {
            let now = clock.now()
            let event = Event(
                id: ids.next(at: now.wall),
                name: name,
                time: now.wall,
                monotonic: now.monotonic,
                attributes: ["value": 19.99]
            )
            let outcome = event.json().withUnsafeBytes { journal.append($0, to: route) }
            if case .stored(let sequence) = outcome { service.eventRecorded(sequence: sequence, to: route) }
        }
    }

    /// Records events and exits, like a process that is killed before delivery.
    consuming func leave(_ count: Int) {
        record(count)
        journal.close()
    }

    /// Advances the clock from one wait of delivery to the next.
    ///
    /// Stops after `duration`, or when the condition is true.
    func pass(_ duration: Duration, until isSo: () -> Bool = { false }) async {
        let end = clock.now().monotonic.advanced(by: duration)
        while clock.now().monotonic < end {
            await waitUntilIdle()
            guard !isSo(), clock.advanceToNextSleeper() else { return }
        }
    }

    /// Flushes while the clock advances.
    func flush(timeout: Duration) async -> FlushReport {
        let report = Locked<FlushReport?>(nil)
        let flush = task { [service] in
            let achieved = await service.flush(timeout: timeout)
            report.withLock { $0 = achieved }
            return achieved
        }
        await pass(.seconds(3_600)) { report.withLock { $0 != nil } }
        return await flush.value
    }

    func account(_ id: DestinationID = "collector") throws -> Ledger.Account {
        let ledger = try journal.ledger()
        return ledger.destinations[id] ?? Ledger.Account()
    }

    /// Whether recorded = delivered + pending + dropped for every destination.
    func isBalanced() throws -> Bool {
        try journal.ledger().isBalanced
    }
}
