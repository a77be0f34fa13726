// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayLifecycle

extension Configuration {
    /// Validates the configuration, and throws if it cannot work.
    ///
    /// Does not touch the disk.
    func check() throws(TrackwayError) {
        try checkAppID()
        try checkDestinations()
        try checkEncryption()
        if storage.maximumBytes < Self.minimumJournalBytes {
            throw TrackwayError(
                .invalidLimit,
                "storage.maximumBytes is \(storage.maximumBytes), so events would be dropped before they could be sent.",
                recoverySuggestion: "Use at least \(Self.minimumJournalBytes) bytes."
            )
        }
        if storage.maximumAge <= .zero {
            throw TrackwayError(
                .invalidLimit,
                "storage.maximumAge is \(storage.maximumAge), so every event would expire immediately.",
                recoverySuggestion: "Use a positive duration."
            )
        }
    }

    /// The minimum journal size: one event of maximum size and the next segment.
    private static let minimumJournalBytes = 262_144
    private static let maximumAppIDBytes = 256

    private func checkAppID() throws(TrackwayError) {
        if (1...Self.maximumAppIDBytes).contains(appID.utf8.count) { return }
        throw TrackwayError(
            .invalidAppID,
            appID.isEmpty
                ? "The app id is empty."
                : "The app id has \(appID.utf8.count) bytes, and the limit is \(Self.maximumAppIDBytes).",
            recoverySuggestion: appID.isEmpty
                ? "Use an id that no other app on the device uses, for example the bundle identifier."
                : "Use at most \(Self.maximumAppIDBytes) bytes."
        )
    }

    private func checkEncryption() throws(TrackwayError) {
        guard let encryption = storage.encryption else { return }
        for (field, key) in [("key", encryption.key)] + encryption.previous.map({ ("previous", $0) }) {
            guard key.bytes.count < EncryptionKey.minimumBytes else { continue }
            throw TrackwayError(
                .invalidEncryptionKey,
                "storage.encryption.\(field) has \(key.bytes.count) bytes, and at least \(EncryptionKey.minimumBytes) are "
                    + "required.",
                recoverySuggestion: "Use \(EncryptionKey.minimumBytes) random bytes, for example from "
                    + "EncryptionKey.generate(), and do not store them in the folder."
            )
        }
    }

    private func checkDestinations() throws(TrackwayError) {
        if destinations.isEmpty {
            throw TrackwayError(
                .noDestinations,
                "No destination is configured, so no event could be delivered.",
                recoverySuggestion: "Add one, for example "
                    + ".collector(URL(string: \"http://127.0.0.1:8787\")!, writeKey: \"dev\")."
            )
        }
        // An array, because there are few ids, and the first `Set` of this type would slow down the start of the
        // process.
        var seen: [DestinationID] = []
        for destination in destinations {
            guard seen.contains(destination.id) else {
                seen.append(destination.id)
                continue
            }
            throw TrackwayError(
                .duplicateDestination,
                "Two destinations have the id \"\(destination.id)\".",
                recoverySuggestion: "Give one of them another id, for example "
                    + ".collector(url, writeKey: key, id: \"second\")."
            )
        }
        for id in rulesByID.keys.ordered() where !seen.contains(id) {
            throw TrackwayError(
                .unknownDestination,
                "Rules are set for \"\(id)\", but no destination has this id, so they would have no effect.",
                recoverySuggestion: "Use one of these ids: "
                    + seen.ordered().map { "\"\($0)\"" }.joined(separator: ", ") + "."
            )
        }
    }
}

/// Clamps numeric settings to their ranges and notes the changes.
///
/// The clamp is used for a configuration and for changes at run time. An out-of-range number (negative, or beyond a
/// device's lifetime) is a mistake, but must not keep an app from recording.
struct SettingsClamp {
    /// The diagnostics of the changes: field, given value, and replacement.
    private(set) var diagnostics: [Diagnostic] = []

    /// The maximum count.
    ///
    /// No device records more or waits longer, and the sum of a few such numbers does not overflow.
    static let maximumCount = Int(clamping: Int64(1) << 40)
    /// The shortest time after which a session ends in the foreground.
    ///
    /// With a shorter time, each event would be a separate session.
    static let shortestSessionLimit = Duration.seconds(1)
    /// The maximum duration: 100 years.
    static let maximumDuration = Duration.seconds(100 * 365 * 86_400)

    /// Returns a count, clamped to its range.
    mutating func count(_ value: Int, from least: Int = 0, to most: Int = maximumCount, _ field: String) -> Int {
        let bounded = min(max(value, least), most)
        if bounded != value { note(field, value, bounded) }
        return bounded
    }

    /// Returns a duration, clamped to the range from `least` to ``maximumDuration``.
    mutating func time(_ value: Duration, from least: Duration = .zero, _ field: String) -> Duration {
        let bounded = min(max(value, least), Self.maximumDuration)
        if bounded != value { note(field, value, bounded) }
        return bounded
    }

    private mutating func note(
        _ field: String,
        _ value: some CustomStringConvertible,
        _ bounded: some CustomStringConvertible
    ) {
        diagnostics.append(
            Diagnostic(
                code: .settingOutOfRange,
                field: field,
                value: value.description,
                message: "\(value) is out of range and was replaced by \(bounded).",
                recoverySuggestion: "Use a value within the range of this setting, or leave its default."
            )
        )
    }

    // MARK: Groups of settings

    mutating func limits(_ limits: EventLimits, _ field: String) -> EventLimits {
        let bytes = 1 << 23
        var bounded = limits
        bounded.nameBytes = count(limits.nameBytes, from: 1, to: bytes, field + ".nameBytes")
        bounded.keyBytes = count(limits.keyBytes, from: 1, to: bytes, field + ".keyBytes")
        bounded.stringBytes = count(limits.stringBytes, from: 1, to: bytes, field + ".stringBytes")
        bounded.attributes = count(limits.attributes, to: 1_000_000, field + ".attributes")
        bounded.items = count(limits.items, to: 1_000_000, field + ".items")
        bounded.itemIDBytes = count(limits.itemIDBytes, from: 1, to: bytes, field + ".itemIDBytes")
        bounded.depth = count(limits.depth, from: 1, to: 1_000, field + ".depth")
        bounded.eventBytes = count(limits.eventBytes, from: 1, to: bytes, field + ".eventBytes")
        return bounded
    }

    mutating func policy(_ policy: DeliveryPolicy, _ field: String) -> DeliveryPolicy {
        var bounded = policy
        bounded.flushInterval = time(policy.flushInterval, field + ".flushInterval")
        bounded.flushEvents = count(policy.flushEvents, from: 1, field + ".flushEvents")
        bounded.requestTimeout = time(policy.requestTimeout, from: .milliseconds(1), field + ".requestTimeout")
        let base = time(policy.retry.base, from: .milliseconds(1), field + ".retry.base")
        let cap = time(policy.retry.cap, from: base, field + ".retry.cap")
        bounded.retry = RetrySchedule(base: base, cap: cap)
        bounded.breakerThreshold = count(policy.breakerThreshold, from: 1, field + ".breakerThreshold")
        bounded.longestRetryAfter = time(policy.longestRetryAfter, field + ".longestRetryAfter")
        bounded.deadLetterThreshold = count(policy.deadLetterThreshold, from: 1, field + ".deadLetterThreshold")
        bounded.queue = policy.queue.map { queue($0, field + ".queue") }
        if let attempts = policy.attempts {
            var limit = attempts
            limit.refusals = attempts.refusals.map { count($0, from: 1, field + ".attempts.refusals") }
            limit.failures = attempts.failures.map { count($0, from: 1, field + ".attempts.failures") }
            bounded.attempts = limit
        }
        return bounded
    }

    mutating func queue(_ policy: QueuePolicy, _ field: String) -> QueuePolicy {
        QueuePolicy(
            acceptSameEventAfter: time(policy.acceptSameEventAfter, field + ".acceptSameEventAfter"),
            // All negative numbers have the same meaning, so they become -1 without a diagnostic.
            uploadWhenMoreThan: count(max(-1, policy.uploadWhenMoreThan), from: -1, field + ".uploadWhenMoreThan"),
            uploadWhenOlderThan: time(policy.uploadWhenOlderThan, field + ".uploadWhenOlderThan")
        )
    }

    /// Reports invalid parts of a destination's rules.
    ///
    /// The code that applies the rules decides what takes effect instead.
    mutating func note(_ rules: DestinationRules, _ field: String) {
        for (index, rule) in rules.rules.enumerated() {
            let field = "\(field)[\(index)]"
            if let fault = rule.events.fault { note(rule: rule, field, fault, "Other rules are not affected.") }
            switch rule.effect {
            case .allow, .deny:
                break
            case .redact(let attribute):
                if let fault = attribute.fault { note(rule: rule, field, fault, "Other rules are not affected.") }
            case .rename(let name):
                if let fault = DestinationRule.fault(ofName: name) {
                    note(rule: rule, field, fault, "The events keep their names.")
                }
            case .sample(let share, _, _):
                let bounded = DestinationRule.bounded(share: share.given)
                if bounded != share.given { note(field + ".share", share.given, bounded) }
            }
        }
    }

    private mutating func note(
        rule: DestinationRule,
        _ field: String,
        _ fault: RuleFault,
        _ effect: String
    ) {
        diagnostics.append(
            Diagnostic(
                code: .ruleInvalid,
                field: field,
                value: rule.description,
                message: "The rule \(rule.description.quoted) is invalid: \(fault.problem). \(effect)",
                recoverySuggestion: fault.suggestion
            )
        )
    }

    mutating func runtimeOptions(_ options: RuntimeOptions) -> RuntimeOptions {
        var bounded = options
        bounded.sessions = sessions(options.sessions, "sessions")
        return bounded
    }

    mutating func sessions(_ sessions: Configuration.Sessions, _ field: String) -> Configuration.Sessions {
        var bounded = sessions
        bounded.timeout = time(sessions.timeout, field + ".timeout")
        bounded.idleTimeout = sessions.idleTimeout.map {
            time($0, from: Self.shortestSessionLimit, field + ".idleTimeout")
        }
        bounded.maximumLength = sessions.maximumLength.map {
            time($0, from: Self.shortestSessionLimit, field + ".maximumLength")
        }
        return bounded
    }

    /// Returns a destination's settings with all numbers clamped.
    mutating func destination(_ destination: DestinationConfiguration, _ field: String) -> DestinationConfiguration {
        var bounded = destination
        bounded.delivery = destination.delivery.map { policy($0, field + ".delivery") }
        if let rules = destination.rules { note(rules, field + ".rules") }
        return bounded
    }

    mutating func snapshots(_ options: SnapshotOptions, _ field: String) -> SnapshotOptions {
        var bounded = options
        bounded.policy.atMost = count(options.policy.atMost, field + ".policy.atMost")
        bounded.policy.per = time(options.policy.per, field + ".policy.per")
        bounded.policy.atLeastEvery = time(options.policy.atLeastEvery, field + ".policy.atLeastEvery")
        bounded.repeatsDevicePropertiesAfter = time(
            options.repeatsDevicePropertiesAfter,
            field + ".repeatsDevicePropertiesAfter"
        )
        return bounded
    }
}

extension Configuration {
    /// Returns this configuration with all numbers clamped, and the diagnostics.
    ///
    /// ``check()`` must have succeeded before.
    func bounded() -> (configuration: Configuration, diagnostics: [Diagnostic]) {
        var bounds = SettingsClamp()
        var bounded = self
        bounded.storage.maximumBytes = bounds.count(
            storage.maximumBytes,
            from: Self.minimumJournalBytes,
            "storage.maximumBytes"
        )
        bounded.storage.maximumLocalDestinationBytes = bounds.count(
            storage.maximumLocalDestinationBytes,
            "storage.maximumLocalDestinationBytes"
        )
        bounded.storage.maximumAge = bounds.time(storage.maximumAge, "storage.maximumAge")
        bounded.limits = bounds.limits(limits, "limits")
        bounded.delivery.policy = bounds.policy(delivery.policy, "delivery.policy")
        bounded.delivery.conditions.spacing = bounds.time(delivery.conditions.spacing, "delivery.conditions.spacing")
        bounded.destinations = destinations.map { destination in
            let destination = destination.configured(rules: rulesByID[destination.id])
            return bounds.destination(destination, "destinations.\(destination.id)")
        }
        bounded.rulesByID = [:]
        bounded.sessions = bounds.sessions(sessions, "sessions")
        bounded.lifecycle.suspensionTimeout = bounds.time(lifecycle.suspensionTimeout, "lifecycle.suspensionTimeout")
        bounded.lifecycle.terminationTimeout = bounds.time(lifecycle.terminationTimeout, "lifecycle.terminationTimeout")
        bounded.snapshots = snapshots.map { bounds.snapshots($0, "snapshots") }
        return (bounded.protectingChildren, bounds.diagnostics)
    }
}
