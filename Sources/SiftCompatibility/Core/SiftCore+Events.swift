// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayEvents

extension SiftCore {
    /// Takes an event into a queue.
    ///
    /// - Returns: False when it was not taken, which is told; true also when the queue's rules found that it says nothing
    ///   new.
    func append(_ event: SiftEvent?, to identifier: String?) -> Bool {
        guard let analytics = working("append") else { return false }
        guard let event else {
            let fault = SiftFault(field: "event", value: "nil", remedy: "Give an event. Nothing was taken.")
            tell([fault], .eventRefusedByFormat)
            return false
        }
        guard let identifier, let queue = entry(identifier) else {
            refuse(
                queue: identifier,
                "Add the queue with addEventQueue first, or name another. The event was not taken."
            )
            return false
        }
        let content = event.complete(user: analytics.user, installation: analytics.installationText)
        var faults = content.faults
        if faults.isEmpty { faults = content.excesses }
        guard faults.isEmpty else {
            tell(faults, .eventRefusedByFormat)
            return false
        }
        var recorded = content
        // The one that sends needs no mention.
        if recorded.installationId == analytics.installationText { recorded.installationId = nil }
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
        return analytics.waitingEvents(for: destination, most: .max).compactMap { json in
            // A record that cannot be read is told when it is delivered.
            guard let event = json.withUnsafeBytes({ try? Event(json: $0) }) else { return nil }
            var content = SiftContent(event)
            content.installationId = content.installationId ?? analytics.installationText
            return SiftEvent(content)
        }
    }

    /// The analytics, unless they cannot be had or everything rests, which is told.
    func working(_ call: String) -> Analytics? {
        guard let analytics = analytics() else { return nil }
        guard analytics.isPaused else { return analytics }
        analytics.tell(
            Diagnostic(
                code: .calledWhilePaused,
                field: call,
                value: "",
                remedy: "Call resume first; while everything rests this call does nothing."
            )
        )
        return nil
    }
}

extension Analytics {
    /// The installation as the format writes it.
    var installationText: String { installation.description.uppercased() }
}
