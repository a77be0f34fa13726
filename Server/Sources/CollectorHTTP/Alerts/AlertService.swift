// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Logging
internal import ServiceLifecycle
internal import TrackwayCore

/// Checks the conditions of alerts when they are due, and sends notifications.
///
/// Conditions are checked one after the other. Without any alerts, the service waits until one is added.
struct AlertService: Service, CustomStringConvertible {
    let description = "alerts"
    let store: AlertStore
    let evaluator: AlertEvaluator
    let sender: WebhookSender
    let clock: any EventClock
    /// Sleeps for a duration; returns early if canceled.
    let sleep: @Sendable (Duration) async -> Void
    /// Returns the URL of the page.
    let page: @Sendable () -> String
    let logger: Logger
    /// Wakes the task that checks conditions; ``deliverySignal`` wakes the task that sends notifications.
    let evaluationSignal = WorkSignal()
    let deliverySignal = WorkSignal()

    init(
        _ notifications: AlertNotificationDependencies,
        evaluator: AlertEvaluator,
        policy: WebhookPolicy,
        clock: any EventClock,
        sleep: @escaping @Sendable (Duration) async -> Void,
        page: @escaping @Sendable () -> String,
        logger: Logger
    ) {
        store = notifications.store
        self.evaluator = evaluator
        sender = WebhookSender(
            transport: notifications.transport,
            resolve: notifications.resolve,
            policy: policy,
            clock: clock
        )
        self.clock = clock
        self.sleep = sleep
        self.page = page
        self.logger = logger
    }

    /// Wakes both tasks after an alert has changed.
    func alertsChanged() {
        evaluationSignal.signal()
        deliverySignal.signal()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await evaluateAlerts() }
                group.addTask { await deliverMessages() }
            }
        }
    }

    private func evaluateAlerts() async {
        var lastError: SavedError?
        while !Task.isCancelled {
            switch await store.nextEvaluation(at: clock.now().monotonic) {
            case .nothing: await evaluationSignal.wait(atMost: nil, sleep)
            case .later(let wait): await evaluationSignal.wait(atMost: wait, sleep)
            case .now(let alert):
                let outcome = await evaluator.evaluate(alert.settings.condition)
                guard !Task.isCancelled else { return }
                let link = page() + alert.settings.condition.page
                do throws(SavedError) {
                    try await store.evaluationFinished(of: alert, outcome, at: clock.now(), link: link)
                    lastError = nil
                } catch {
                    // Log each error once, not at every check.
                    if error != lastError { logger.error("An alert could not change its state: \(error)") }
                    lastError = error
                }
                deliverySignal.signal()
            }
        }
    }

    private func deliverMessages() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                switch await store.nextDelivery(at: clock.now()) {
                case .nothing: await deliverySignal.wait(atMost: nil, sleep)
                case .later(let wait): await deliverySignal.wait(atMost: wait, sleep)
                case .now(let job):
                    group.addTask {
                        let (result, duration) = await sender.send(job)
                        // A request that was interrupted by the collector's shutdown is sent again after the next
                        // start.
                        if Task.isCancelled, !result.isAccepted {
                            await store.attemptCanceled(job)
                        } else {
                            await store.attemptFinished(job, result, at: clock.now(), duration: duration)
                        }
                        deliverySignal.signal()
                    }
                }
            }
        }
    }
}
