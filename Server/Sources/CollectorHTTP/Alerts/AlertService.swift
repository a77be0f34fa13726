// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Logging
internal import ServiceLifecycle
internal import TrackwayEvents

/// Checks the conditions of alerts when they are due, and sends notifications.
///
/// Conditions are checked one after the other. Without alerts it waits for one.
struct AlertService: Service, CustomStringConvertible {
    let description = "alerts"
    let store: AlertStore
    let evaluator: AlertEvaluator
    let sender: WebhookSender
    let clock: any EventClock
    /// Sleeps for a duration; ends early if canceled.
    let sleep: @Sendable (Duration) async -> Void
    /// Returns the URL of the page.
    let page: @Sendable () -> String
    let logger: Logger
    /// Wakes the task that checks conditions; ``sending`` wakes the one that sends.
    let looking = WorkSignal()
    let sending = WorkSignal()

    init(
        _ telling: AlertNotificationDependencies,
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

    /// Wakes both tasks after an alert was changed.
    func changed() {
        looking.tell()
        sending.tell()
    }

    func run() async throws {
        // A graceful shutdown arrives here as cancellation.
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
                    // Log it once, not at every check.
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
                        // A request that was interrupted by the end of the collector is sent again at its next start.
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
