// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

extension Analytics {
    /// Adds attributes that a closure names anew for each event, as it is recorded. nil ends that.
    ///
    /// ```swift
    /// analytics.setDynamicGlobalAttributes { ["balance": .integer(wallet.balance)] }
    /// ```
    /// They win over ``setGlobalAttributes(_:)``, and the event's own win over them. The closure is called on the thread that
    /// records, for each event of the app and for those recorded without the app asking, so it must return quickly. It may
    /// call the SDK; events it records itself do not get its attributes. It does not survive a restart.
    public func setDynamicGlobalAttributes(_ attributes: (@Sendable () -> Attributes)?) {
        dynamic.replace(attributes)
        control.setGate(.addsAttributes) { dynamic.isSet }
    }
}
