// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Logging
internal import ServiceLifecycle
internal import TrackwayEvents

/// Looks at the conditions of alerts when they are due, one after the other, and sends what is to be told about them. Where there are
/// no alerts it waits for one.
struct AlertService: Service, CustomStringConvertible {
    let description = "alerts"
    let store: AlertStore
    let evaluator: AlertEvaluator
    let sender: WebhookSender
    let clock: any EventClock
    /// Waits; ends early when it is cancelled.
    let sleep: @Sendable (Duration) async -> Void
    /// Under which address the page is reached.
    let page: @Sendable () -> String
    let logger: Logger
    /// Tells the one who looks, and the one who sends, that something has changed.
    let looking = WorkSignal()
    let sending = WorkSignal()

    init(
        _ telling: AlertTelling,
        evaluator: AlertEvaluator,
        policy: WebhookPolicy,
        clock: any EventClock,
        sleep: @escaping @Sendable (Duration) async -> Void,
        page: @escaping @Sendable () -> String,
        logger: Logger
    ) {
        store = telling.store
        self.evaluator = evaluator
        sender = WebhookSender(transport: telling.transport, resolve: telling.resolve, policy: policy, clock: clock)
        self.clock = clock
        self.sleep = sleep
        self.page = page
        self.logger = logger
    }

    /// Somebody has changed an alert.
    func changed() {
        looking.tell()
        sending.tell()
    }

    func run() async throws {
        // Ends by cancellation, which is how a graceful shutdown arrives here.
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await look() }
                group.addTask { await send() }
            }
        }
    }

    private func look() async {
        var complaint: SavedError?
        while !Task.isCancelled {
            switch await store.nextLook(at: clock.now().monotonic) {
            case .nothing: await looking.wait(atMost: nil, sleep)
            case .later(let wait): await looking.wait(atMost: wait, sleep)
            case .now(let alert):
                let outcome = await evaluator.look(at: alert.settings.condition)
                guard !Task.isCancelled else { return }
                let link = page() + alert.settings.condition.page
                do throws(SavedError) {
                    try await store.looked(at: alert, outcome, at: clock.now(), link: link)
                    complaint = nil
                } catch {
                    // Said once, not at every look.
                    if error != complaint { logger.error("An alert could not change its state: \(error)") }
                    complaint = error
                }
                sending.tell()
            }
        }
    }

    private func send() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                switch await store.nextSending(at: clock.now()) {
                case .nothing: await sending.wait(atMost: nil, sleep)
                case .later(let wait): await sending.wait(atMost: wait, sleep)
                case .now(let job):
                    group.addTask {
                        let (result, took) = await sender.send(job)
                        // A request that was broken off by the end of the collector is made again at its next start.
                        if Task.isCancelled, !result.isTaken {
                            await store.abandoned(job)
                        } else {
                            await store.sent(job, result, at: clock.now(), took: took)
                        }
                        sending.tell()
                    }
                }
            }
        }
    }
}
