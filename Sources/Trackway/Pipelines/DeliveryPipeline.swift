// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
package import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// The components for consent, pipeline control, and delivery of pending events.
package struct DeliveryPipeline: Sendable {
    /// Controls whether events are currently recorded and sent.
    package let control: PipelineController
    let consents: ConsentController
    package let service: DeliveryService
    /// The operations that `control` runs.
    let hooks: PipelineHooks
    /// The delivery policy of destinations that have none of their own.
    let defaultPolicy: DeliveryPolicy
    package let environment: ExtensionEnvironment
    /// Held while destinations are added, replaced or removed in any component.
    ///
    /// Acquired before every other lock.
    let destinationChanges = Locked(())
    /// The subscription to the device's conditions; nil if the system reports none.
    private let conditions: (any Sendable)?

    /// Builds the pipeline.
    ///
    /// Nothing is sent before `control` runs.
    init(_ configuration: Configuration, _ storage: InstallationStorage) {
        let dependencies = storage.dependencies
        let (journal, queue, reporter) = (storage.journal, storage.queue, storage.reporter)
        // A process that ended during its last delivery could not apply these decisions.
        if !storage.settings.current.scheduledConsents.isEmpty {
            storage.settings.change { $0.applyScheduledConsents { _ in true } }
        }
        let known = storage.settings.current
        // Include queues of earlier processes that the app has not added again yet: events recorded until then are
        // addressed to them, too.
        let categories = configuration.categories.merging(storage.registry.expected.map { ($0, .analytics) }) {
            first,
            _ in first
        }
        let permission = Permission(known, categories)
        let control = PipelineController(
            PipelineStateMachine(
                consent: permission.consent,
                maySend: permission.maySend,
                isEnabled: known.isEnabled ?? configuration.isEnabled
            ),
            logsEvents: configuration.logEvents
        )
        let consents = ConsentController(
            storage.settings,
            control: control,
            categories: categories,
            journal: journal,
            queue: queue,
            clock: dependencies.clock,
            reporter: reporter
        )
        // Weak, because `consents` holds the service that calls this: a strong reference would keep the journal open
        // after the app has released the instance. Nothing may be sent without an instance.
        let isPermitted: @Sendable () -> Bool = { [weak consents] in consents?.isPermitted() ?? false }
        let transport = configuration.delivery.transport ?? dependencies.transport
        let service = DeliveryService(
            journal: journal,
            routes: configuration.destinations.filter { !$0.isLocal }.map { destination in
                DeliveryRoute(
                    destination: destination.destination,
                    policy: destination.delivery ?? configuration.delivery.policy,
                    admission: consents.rule(for: destination.id),
                    rules: destination.rules ?? []
                )
            },
            transport: transport,
            isPermitted: isPermitted,
            clock: dependencies.clock,
            sleeper: dependencies.sleeper,
            random: dependencies.random,
            retryStates: RetryFile(
                folder: dependencies.folder,
                storage: dependencies.storage,
                boot: dependencies.facts.boot
            ),
            uploadTimes: storage.registry,
            boot: dependencies.facts.boot,
            executor: dependencies.deliveryExecutor,
            report: { event in
                if let diagnostic = Diagnostic(event) { reporter.report(diagnostic) }
            }
        )
        consents.attach(service)
        let requestedConditions = configuration.deliveryConditions
        conditions = dependencies.observeConditions { [weak service] device in
            service?.apply(requestedConditions.throttle(for: device))
        }
        environment = ExtensionEnvironment(
            dependencies,
            appID: configuration.appID,
            transport: PermittedTransport(transport, isPermitted: isPermitted)
        )
        hooks = PipelineHooks(
            begin: { service.resume() },
            deliver: { await service.run() },
            flush: {
                await control.waitUntilSettled()
                guard control.machine.maySend else { return }
                await queue.run { _ = journal.drain() }
                _ = await service.flush(timeout: Self.defaultFlushTimeout, forcesQueues: false, isRequestedByApp: false)
            },
            hold: { service.beginHold() },
            waitUntilHeld: { await service.waitUntilHeld() },
            release: { service.endHold() },
            stop: { lastFlush, timeout in
                if lastFlush > .zero {
                    await queue.run { _ = journal.drain() }
                    let isRequestedByApp = control.machine.isShutDown
                    _ = await service.flush(timeout: lastFlush, forcesQueues: false, isRequestedByApp: isRequestedByApp)
                }
                await service.suspend(timeout: timeout)
            },
            discard: { _ = await queue.run { consents.discard() } }
        )
        defaultPolicy = configuration.delivery.policy
        self.control = control
        self.consents = consents
        self.service = service
    }

    /// The default timeout of the flush when the app moves to the background.
    ///
    /// Used if the system states no limit.
    private static let defaultFlushTimeout = Duration.seconds(30)
}

extension Configuration {
    /// The effects of the device's conditions on delivery with the configured transport.
    fileprivate var deliveryConditions: DeliveryConditions {
        var requestedConditions = delivery.conditions
        if delivery.allowsConstrainedNetworks || delivery.transport != nil {
            requestedConditions.onConstrainedNetwork = .unrestricted
        }
        // The network used by a custom transport is unknown.
        if delivery.transport != nil {
            (requestedConditions.onMissingNetwork, requestedConditions.onExpensiveNetwork) = (
                .unrestricted, .unrestricted
            )
        }
        return requestedConditions
    }
}
