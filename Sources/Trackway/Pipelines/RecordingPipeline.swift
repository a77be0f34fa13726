// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

/// The components that turn a `record` call into a journal record.
package struct RecordingPipeline: Sendable {
    package let clock: any EventClock
    let ids: EventIDGenerator
    let limits: EventLimits
    let recorder: Recorder
    let contextStore: ContextStore
    let zone: TimeZoneTracker
    let dynamic: DynamicAttributes
    let interceptors: InterceptorRunner
    /// A closure that writes a line to the event log.
    let write: @Sendable (String) -> Void

    /// Builds the pipeline and sets the recording-state bits that it needs.
    init(_ configuration: Configuration, _ storage: InstallationStorage, _ delivery: DeliveryPipeline) {
        let dependencies = storage.dependencies
        let (journal, reporter, settings) = (storage.journal, storage.reporter, storage.settings)
        let migrator = storage.migrator
        let known = settings.current
        var context = RecordedContext(
            app: dependencies.facts.app,
            device: dependencies.facts.device,
            boot: dependencies.facts.boot,
            user: IdentityOrigin(journal.installation).completing(known.user),
            global: known.global,
            modes: configuration.modes
        )
        let recorder = Recorder(
            gate: delivery.control.gate,
            permission: delivery.consents.permission,
            clock: dependencies.clock,
            ids: dependencies.ids,
            limits: configuration.limits,
            journal: journal,
            delivery: delivery.service,
            registry: storage.registry,
            log: EventLog(configuration.eventLogForm),
            isChildDirected: configuration.privacy.isChildDirected
        )
        let zone = TimeZoneTracker(dependencies.zoneOffset)
        // Device properties that are slow to read are added later, together with the attributes that migration adds.
        let completion = dependencies.readDeviceFacts.map { readDeviceFacts in
            ContextStore.Completion { context in
                context.device = readDeviceFacts()
                migrator.complete(&context)
            }
        }
        if completion == nil { migrator.complete(&context) }
        let contextStore = ContextStore(context, completedBy: completion, recorder: recorder, zone: zone) {
            diagnostics,
            lines in
            reporter.report(diagnostics)
            for line in lines { dependencies.write(line) }
        }
        if completion != nil { delivery.control.setGate(.contextIncomplete) { true } }
        interceptors = InterceptorRunner(
            configuration.interceptors,
            counts: InterceptedCounts(folder: dependencies.folder, storage: dependencies.storage, queue: storage.queue),
            clock: dependencies.clock,
            reporter: reporter
        )
        delivery.control.setGate(.intercepts) { !configuration.interceptors.isEmpty }
        delivery.consents.onEpochChange { [weak contextStore] in
            // Read the settings before acquiring the context store's lock, which is the inner one.
            let epoch = settings.current.consent.epoch
            contextStore?.perform { $0.context.user.consentEpoch = max($0.context.user.consentEpoch, epoch) }
        }
        clock = dependencies.clock
        ids = dependencies.ids
        limits = configuration.limits
        write = dependencies.write
        dynamic = DynamicAttributes()
        self.recorder = recorder
        self.contextStore = contextStore
        self.zone = zone
    }
}
