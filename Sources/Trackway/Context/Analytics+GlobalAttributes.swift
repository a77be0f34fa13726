// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayJournal

extension Analytics {
    /// Adds attributes to every event that is recorded after this call.
    ///
    /// An attribute with an existing key replaces the earlier one. Global attributes survive restarts. They are stored
    /// once for many events, so they add nothing to the size of an event. An attribute that exceeds a limit is left out
    /// with a `Diagnostic`.
    ///
    /// ```swift
    /// analytics.setGlobalAttributes(["plan": "pro"], scope: .person)
    /// ```
    /// - Parameters:
    ///   - attributes: The attributes.
    ///   - scope: The owner of the attributes. Attributes of the person are removed by ``signOut()`` and when another
    ///     user signs in.
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

    /// Changes the global attributes in one step.
    ///
    /// No other change happens in between, and no event is recorded with only part of the change.
    ///
    /// - Parameter change: A closure that is called once, under a lock; must not call the SDK.
    package func changeGlobalAttributes(
        _ scope: GlobalAttributeScope = .installation,
        _ change: (inout Attributes) -> Void
    ) {
        guard !isInChild else { return }
        let changed = recording.contextStore.perform { transaction in
            let former = transaction.context.global
            change(&transaction.context.global)
            // Validate all attributes, not only the added ones: many small additions together must not exceed the
            // limits, either.
            let (valid, diagnostics) = transaction.context.global.valid(recording.limits)
            transaction.context.global = valid
            for diagnostic in diagnostics { transaction.report(diagnostic) }
            return Set(valid.keys.filter { former[$0] != valid[$0] || scope == .person })
        }
        saveGlobal(changed, scope)
    }

    /// Saves the global attributes.
    ///
    /// The attributes are read from the context when the settings are written, not earlier by the caller. After two
    /// concurrent changes, events and the next start therefore use the same attributes. The context store's lock is
    /// acquired inside the settings' lock, never the other way around.
    ///
    /// - Parameters:
    ///   - changed: The names that this change set.
    ///   - scope: The owner of those attributes.
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
    /// The attributes take precedence over those of ``setGlobalAttributes(_:scope:)`` with the same key, and an event's
    /// own attributes take precedence over both. The closure is called on the recording thread, for each event of the
    /// app and each event that the SDK records itself, so it must return quickly. It may call the SDK; events that it
    /// records do not get its attributes (`Documentation/Callbacks.md`). It does not survive a restart. nil removes it.
    public func setGlobalAttributesProvider(_ attributes: (@Sendable () -> Attributes)?) {
        guard !isInChild else { return }
        recording.dynamic.replace(attributes)
        delivery.control.setGate(.addsAttributes) { recording.dynamic.isSet }
    }
}

/// The owner of a global attribute.
public enum GlobalAttributeScope: Sendable, Hashable, CaseIterable {
    /// The installation.
    ///
    /// The attribute stays until it is removed.
    case installation
    /// The current person.
    ///
    /// The attribute is removed when the person signs out or another one signs in.
    case person
}

/// The app's closure that adds attributes to each event.
///
/// The closure is called when the event is recorded.
final class DynamicAttributes: Sendable {
    /// The type of the closure.
    typealias Provider = @Sendable () -> Attributes

    /// Boxed in a struct to avoid reabstraction thunks.
    private struct Box: Sendable {
        var provider: Provider?
    }

    private let box = Locked(Box())

    /// Replaces the closure; nil removes it.
    func replace(_ provider: Provider?) {
        box.withLock { $0.provider = provider }
    }

    /// Whether a closure is set.
    var isSet: Bool { box.withLock { $0.provider != nil } }

    /// Returns the closure's current attributes.
    ///
    /// Empty for events that the closure itself records. Calls the closure on the calling thread, which must hold no
    /// lock.
    func current() -> Attributes {
        guard let provider = box.withLock({ $0.provider }) else { return [:] }
        return CallbackScope.call(CallbackScope.ID(of: self)) { provider().converted } ?? [:]
    }
}

extension Attributes {
    /// Returns the attributes within the limits, and diagnostics for the others.
    ///
    /// The limits apply exactly as to an event's attributes.
    ///
    /// - Complexity: O(size). Used when the context changes, not when events are recorded.
    package func valid(_ limits: EventLimits) -> (Attributes, [Diagnostic]) {
        var diagnostics: [Diagnostic] = []
        let placeholder = Event(
            id: EventID(high: 0, low: 0),
            name: "_global",
            time: Timestamp(milliseconds: 0),
            monotonic: MonotonicTime(milliseconds: 0),
            attributes: self
        )
        // Parsing cannot fail, because this function has just written the text. If it ever does, losing the attributes
        // is better than a crash.
        guard
            var valid = try? Event(json: placeholder.json(limits: limits, report: { diagnostics.append($0) }))
                .attributes
        else {
            assertionFailure("an event that was just written cannot be read")
            return ([:], diagnostics)
        }
        // An event contains descriptions of its own problems; a context does not.
        for key in ["_error_code", "_error_message"] where self[key] == nil { valid[key] = nil }
        return (valid, diagnostics)
    }
}
