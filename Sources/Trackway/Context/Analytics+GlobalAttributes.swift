// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Adds attributes to every event that is recorded after this call.
    ///
    /// An attribute with a known key replaces the earlier one. Global attributes survive restarts. They are stored once for many events, so they
    /// add nothing to the size of an event. An attribute that exceeds a limit is left out with a `Diagnostic`.
    ///
    /// ```swift
    /// analytics.setGlobalAttributes(["plan": "pro"], scope: .person)
    /// ```
    /// - Parameters:
    ///   - attributes: the attributes.
    ///   - scope: whose they are. Attributes of the person end with ``signOut()`` and when another user signs in.
    public func setGlobalAttributes(_ attributes: Attributes, scope: GlobalAttributeScope = .installation) {
        guard !isInChild else { return }
        let attributes = attributes.converted
        changeGlobalAttributes(scope) { $0.merge(attributes) }
    }

    /// Removes global attributes from every event recorded after this call.
    ///
    /// Unknown keys are ignored.
    public func removeGlobalAttributes(_ keys: [String]) {
        guard !isInChild else { return }
        recording.contextStore.perform { transaction in
            for key in keys { transaction.context.global[key] = nil }
        }
        saveGlobal()
    }

    /// Changes the attributes of every event in one step: no other change comes between, and no event is recorded with half
    /// of it.
    ///
    /// - Parameter change: is called once, under a lock; it must not call the SDK.
    package func changeGlobalAttributes(
        _ scope: GlobalAttributeScope = .installation,
        _ change: (inout Attributes) -> Void
    ) {
        guard !isInChild else { return }
        let changed = recording.contextStore.perform { transaction in
            let former = transaction.context.global
            change(&transaction.context.global)
            // The whole is judged, not the addition: many small additions must not outgrow the limits either.
            let (valid, diagnostics) = transaction.context.global.valid(recording.limits)
            transaction.context.global = valid
            for diagnostic in diagnostics { transaction.report(diagnostic) }
            return Set(valid.keys.filter { former[$0] != valid[$0] || scope == .person })
        }
        saveGlobal(changed, scope)
    }

    /// Writes the global attributes down.
    ///
    /// The settings take what the context says when they are written, not what a caller said before: of two changes made
    /// at the same time, events and the next start then end with the same one. The context store's lock is taken inside the
    /// settings' one, never the other way round.
    ///
    /// - Parameters:
    ///   - changed: the names that were set now.
    ///   - scope: whose those are.
    func saveGlobal(_ changed: Set<String> = [], _ scope: GlobalAttributeScope = .installation) {
        storage.settings.change { [contextStore = recording.contextStore] settings in
            settings.global = contextStore.current.global
            switch scope {
            case .installation: settings.personal.subtract(changed)
            case .person: settings.personal.formUnion(changed)
            }
            settings.personal.formIntersection(settings.global.keys)
        }
    }

    /// Sets a closure that returns attributes for each event.
    ///
    /// ```swift
    /// analytics.setGlobalAttributesProvider { ["balance": wallet.balance] }
    /// ```
    /// They replace attributes of ``setGlobalAttributes(_:scope:)`` with the same key, and an event's own attributes replace them. The closure
    /// is called on the thread that records, for each event of the app and each event that the SDK records itself, so it must return quickly. It may
    /// call the SDK; events that it records do not get its attributes (`Documentation/Callbacks.md`). It does not survive a restart. nil
    /// removes it.
    public func setGlobalAttributesProvider(_ attributes: (@Sendable () -> Attributes)?) {
        guard !isInChild else { return }
        recording.dynamic.replace(attributes)
        delivery.control.setGate(.addsAttributes) { recording.dynamic.isSet }
    }
}

/// The owner of a global attribute.
public enum GlobalAttributeScope: String, Sendable, Hashable, CaseIterable {
    /// The installation's: it stays until it is removed.
    case installation
    /// The person's who uses the app: it ends when the person signs out or another one signs in.
    case person
}

/// Attributes that a closure of the app adds to each event as it is recorded.
final class DynamicAttributes: Sendable {
    /// What the closure looks like.
    typealias Provider = @Sendable () -> Attributes

    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct Named: Sendable {
        var provider: Provider?
    }

    private let named = Locked(Named())

    /// The app named another closure, or none.
    func replace(_ provider: Provider?) {
        named.withLock { $0.provider = provider }
    }

    /// Whether there is a closure.
    var isSet: Bool { named.withLock { $0.provider != nil } }

    /// What the closure says now, on the calling thread, which must hold no lock. Nothing for events that the closure
    /// itself records.
    func current() -> Attributes {
        guard let provider = named.withLock({ $0.provider }) else { return [:] }
        return CallbackScope.call(CallbackScope.ID(of: self)) { provider().converted } ?? [:]
    }
}

extension Attributes {
    /// The attributes that keep the limits, judged exactly as those of an event are; and what is to be said of the others.
    ///
    /// - Complexity: O(size). Used when the context changes, not when events are recorded.
    func valid(_ limits: EventLimits) -> (Attributes, [Diagnostic]) {
        var diagnostics: [Diagnostic] = []
        let nobody = Event(
            id: EventID(high: 0, low: 0),
            name: "_global",
            time: Timestamp(milliseconds: 0),
            monotonic: MonotonicTime(milliseconds: 0),
            attributes: self
        )
        // It cannot fail: the text was written on the line before. If it ever does, no attribute is better than a trap.
        guard var valid = try? Event(json: nobody.json(limits: limits, report: { diagnostics.append($0) })).attributes
        else {
            assertionFailure("an event that was just written cannot be read")
            return ([:], diagnostics)
        }
        // An event says of itself what was wrong with it; a context does not.
        for key in ["_error_code", "_error_message"] where self[key] == nil { valid[key] = nil }
        return (valid, diagnostics)
    }
}
