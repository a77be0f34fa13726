// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
package import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayPlatform
internal import TrackwayWire

/// Consent, the recording switch, and the service that delivers pending events.
package struct DeliveryPipeline: Sendable {
    /// Whether events are recorded and sent now.
    package let control: PipelineController
    let consents: ConsentController
    package let service: DeliveryService
    /// The operations that `control` runs.
    let work: PipelineHooks
    /// The delivery policy of destinations without their own.
    let defaultPolicy: DeliveryPolicy
    package let environment: ExtensionEnvironment
    /// Held while destinations are added, replaced or removed, here and in `service`.
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
        let known = storage.settings.current
        // Include queues of earlier processes that the app has not added again yet: events recorded until then go to
        // them, too.
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
            reporter: reporter
        )
        // Weak, because `consents` holds the service that calls this: a strong reference would keep the journal open
        // after the app has released the instance. Without an instance nothing may be sent.
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
            memory: RetryFile(
                folder: dependencies.folder,
                storage: dependencies.storage,
                boot: dependencies.facts.boot
            ),
            queues: storage.registry,
            boot: dependencies.facts.boot,
            executor: dependencies.deliveryExecutor,
            report: { notice in
                if let diagnostic = Diagnostic(notice) { reporter.report(diagnostic) }
            }
        )
        consents.attach(service)
        let wanted = configuration.deliveryConditions
        conditions = dependencies.observeConditions { [weak service] device in
            service?.restrain(by: wanted.restraint(by: device))
        }
        environment = ExtensionEnvironment(
            dependencies,
            appID: configuration.appID,
            transport: PermittedTransport(transport, isPermitted: isPermitted)
        )
        work = PipelineHooks(
            begin: { service.resume() },
            deliver: { await service.run() },
            flush: {
                await control.untilSettled()
                guard control.machine.maySend else { return }
                await queue.run { _ = journal.drain() }
                _ = await service.flush(timeout: Self.defaultFlushTimeout, forcesQueues: false, isAsked: false)
            },
            hold: { service.hold() },
            untilHeld: { await service.untilHeld() },
            release: { service.release() },
            stop: { lastFlush, timeout in
                if lastFlush > .zero {
                    await queue.run { _ = journal.drain() }
                    let isAsked = control.machine.isShutDown
                    _ = await service.flush(timeout: lastFlush, forcesQueues: false, isAsked: isAsked)
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

    /// The default timeout of the flush on moving to the background.
    ///
    /// Used if the system states no limit.
    private static let defaultFlushTimeout = Duration.seconds(30)
}

extension Configuration {
    /// The effects of the device's conditions on delivery with this transport.
    fileprivate var deliveryConditions: DeliveryConditions {
        var wanted = delivery.conditions
        if delivery.allowsConstrainedNetworks || delivery.transport != nil {
            wanted.onConstrainedNetwork = .unrestricted
        }
        // The network that the app's own transport uses is unknown.
        if delivery.transport != nil {
            (wanted.withoutNetwork, wanted.onExpensiveNetwork) = (.unrestricted, .unrestricted)
        }
        return wanted
    }
}
