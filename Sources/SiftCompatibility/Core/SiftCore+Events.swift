// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayDestinations
internal import TrackwayEvents

extension SiftCore {
    /// Takes an event into a queue.
    ///
    /// - Returns: False when it was not taken, which is told; true also when the queue's rules found that it says nothing
    ///   new.
    func append(_ event: SiftEvent?, to identifier: String?) -> Bool {
        guard let analytics = analytics() else { return false }
        guard let event else {
            let fault = SiftFault(field: "event", value: "nil", remedy: "Give an event. Nothing was taken.")
            report([fault], .eventRefusedByFormat)
            return false
        }
        guard let identifier, let queue = entry(identifier) else {
            refuse(
                queue: identifier,
                "Add the queue with addEventQueue first, or name another. The event was not taken."
            )
            return false
        }
        let installation = analytics.siftInstallation
        let content = event.complete(user: analytics.user, installation: installation, time: testTime(analytics))
        var faults = content.faults
        if faults.isEmpty { faults = content.excesses }
        guard faults.isEmpty else {
            report(faults, .eventRefusedByFormat)
            return false
        }
        var recorded = content
        // The one that sends needs no mention.
        if recorded.installationId == installation { recorded.installationId = nil }
        let receipt = analytics.record(
            recorded.recordedName,
            recorded.recordedAttributes,
            to: [queue.destination],
            at: Timestamp(milliseconds: Int64(clamping: content.time))
        )
        if receipt.dropped == .duplicate { return true }
        guard receipt.durability != .none else { return false }
        state.withLock { $0.queues.appended(content, to: identifier) }
        return true
    }

    /// The events that wait in a queue, oldest first.
    func waiting(in destination: DestinationID) -> [SiftEvent] {
        guard let analytics = analytics() else { return [] }
        let installation = analytics.siftInstallation
        return analytics.waitingEvents(for: destination, most: .max).compactMap { json in
            // A record that cannot be read is told when it is delivered.
            guard let event = json.withUnsafeBytes({ try? Event(json: $0) }) else { return nil }
            var content = SiftContent(event)
            content.installationId = content.installationId ?? installation
            return SiftEvent(content)
        }
    }

    /// When an event happened that does not say so, by the clock of a test; nil outside one.
    private func testTime(_ analytics: Analytics) -> UInt64? {
        isInTest ? UInt64(clamping: analytics.environment.wall.milliseconds) : nil
    }

    /// The analytics, unless they cannot be had or the app has paused, which is told.
    func working(_ call: String) -> Analytics? {
        guard let analytics = analytics() else { return nil }
        guard analytics.isPaused else { return analytics }
        analytics.report(
            Diagnostic(
                code: .calledWhilePaused,
                field: call,
                value: "",
                remedy: "Call resume first; in a pause nothing is collected or sent. What is appended is kept."
            )
        )
        return nil
    }
}

extension Analytics {
    /// What the format calls the installation.
    var siftInstallation: String {
        SiftDestination.installation(on: recordedContext.device, else: installation)
    }
}
