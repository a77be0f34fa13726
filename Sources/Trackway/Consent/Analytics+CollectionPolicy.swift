// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior

extension Analytics {
    /// Tells what may be collected at all, apart from what people agreed to. The app has one policy, a back-end may send
    /// another, and both hold: neither allows what the other forbids. They survive restarts.
    ///
    /// ```swift
    /// analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["debug_ping"]))
    /// ```
    /// - Parameters:
    ///   - policy: what may be collected; nil allows everything again.
    ///   - source: whose policy it is.
    public func setCollectionPolicy(_ policy: CollectionPolicy?, from source: PolicySource = .app) {
        settings.change { $0.policies[source] = policy }
        consents.follow()
        applyCapture()
        snapshots?.permissionChanged()
    }

    /// What may be collected now, by all policies together.
    public var collectionPolicy: CollectionPolicy { settings.current.policy }

    /// Captures what the app wants and the policy allows.
    func applyCapture() {
        crashWatch.follow { wantedBehavior.capture.contains(.crashes) }
        behavior.settingsChanged(to: wantedBehavior)
    }

    private var wantedBehavior: BehaviorSettings {
        BehaviorSettings(options.withLock { $0 }, settings.current.policy)
    }
}

extension BehaviorSettings {
    /// What the app wants, as far as the policy allows it.
    init(_ options: RuntimeOptions, _ policy: CollectionPolicy) {
        self.init(sessionTimeout: options.sessionTimeout, capture: options.capture.intersection(policy.capture))
    }
}
