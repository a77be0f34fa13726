// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

@testable import Trackway

@Suite("The pipelines of Analytics")
struct PipelineTests {
    private let environment = InMemoryEnvironment()

    private func configuration(_ change: (inout Configuration) -> Void = { _ in }) throws -> Configuration {
        let url = try #require(URL(string: "http://127.0.0.1:8787"))
        var configuration = Configuration(
            appID: "shop",
            destinations: [.collector(url, writeKey: "dev")],
            consent: .granted
        )
        change(&configuration)
        configuration.run(in: environment)
        return configuration
    }

    private func storage(_ configuration: Configuration) throws -> InstallationStorage {
        try InstallationStorage(configuration, configuration.dependencies())
    }

    @Test
    func `storage alone creates the installation id, and the next process reads the same one`() throws {
        let configuration = try configuration()
        let first = try storage(configuration)
        first.journal.populate()
        let second = try storage(configuration)
        #expect(first.journal.installation == second.journal.installation)
        #expect(second.settings.current.isEnabled == nil)
    }

    @Test
    func `storage reports an unusable folder before anything else is created`() throws {
        environment.storage.fail(.makeFolder, with: .denied)
        let configuration = try configuration()
        let error = #expect(throws: TrackwayError.self) { try storage(configuration) }
        #expect(error?.code == .storageUnavailable)
    }

    @Test(arguments: [
        (Consent.granted, true, true), (.pending, true, false), (.denied, true, false), (.granted, false, false),
    ])
    func `delivery may send only if consent is granted and the SDK is enabled`(
        consent: Consent,
        isEnabled: Bool,
        maySend: Bool
    ) throws {
        let configuration = try configuration {
            $0.privacy.consent = consent
            $0.isEnabled = isEnabled
        }
        let delivery = DeliveryPipeline(configuration, try storage(configuration))
        #expect(delivery.control.machine.maySend == maySend)
        #expect(environment.transport.requests.isEmpty)
    }

    @Test
    func `recording without a lifecycle stores events, and sends none`() throws {
        let configuration = try configuration { $0.isEnabled = true }
        let storage = try storage(configuration)
        let delivery = DeliveryPipeline(configuration, storage)
        let recording = RecordingPipeline(configuration, storage, delivery)
        let moment = recording.clock.now()
        let outcome = recording.recorder.record(
            "saved",
            ["value": 1],
            items: [],
            at: moment,
            id: recording.ids.next(at: moment.wall),
            to: [],
            in: recording.contextStore.current
        )
        #expect(outcome.receipt.isRecorded)
        #expect(try storage.journal.ledger().recorded == 1)
        #expect(environment.transport.requests.isEmpty)
    }

    @Test(arguments: [true, false])
    func `the lifecycle pipeline observes the app only if the configuration enables it`(isObserved: Bool) throws {
        let configuration = try configuration { $0.lifecycle.isObserved = isObserved }
        var dependencies = try configuration.dependencies()
        let observations = Locked(0)
        dependencies.observeLifecycle = { _ in
            observations.withLock { $0 += 1 }
            return nil
        }
        let storage = try InstallationStorage(configuration, dependencies)
        let delivery = DeliveryPipeline(configuration, storage)
        let recording = RecordingPipeline(configuration, storage, delivery)
        let options = Locked(RuntimeOptions(configuration))
        let lifecycle = LifecyclePipeline(configuration, storage, recording, delivery, options: options)
        #expect(observations.withLock { $0 } == (isObserved ? 1 : 0))
        #expect(lifecycle.controller.isForeground)
    }
}
