// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

extension Analytics {
    /// Tells what the person using the app decided. It takes effect before this returns, holds for all processes of the
    /// installation, and survives restarts.
    ///
    /// ``Consent/denied`` stops sending, and drops and counts what waits. A request that is on its way when consent ends
    /// may still arrive. Other processes follow before their next request at the latest.
    public func setConsent(_ consent: Consent) {
        settings.change { $0.consent = consent }
        control.follow(settings)
        behavior.begin()
    }

    /// What the person using the app has agreed to, as far as this process knows.
    public var consent: Consent { control.machine.consent }

    /// Switches the SDK off: nothing is recorded and nothing is sent; what waits stays. Survives restarts.
    public func disable() {
        settings.change { $0.isEnabled = false }
        control.follow(settings)
    }

    /// Switches the SDK on again. Survives restarts.
    public func enable() {
        settings.change { $0.isEnabled = true }
        control.follow(settings)
        behavior.begin()
    }

    /// Whether the SDK is switched on.
    public var isEnabled: Bool { control.machine.isEnabled }

    /// Changes what may change at run time.
    ///
    /// ```swift
    /// analytics.reconfigure { $0.logEvents = true }
    /// ```
    /// - Parameter change: is called once, at once, on the calling thread; it must not call the SDK.
    public func reconfigure(_ change: (inout RuntimeOptions) -> Void) {
        let options = options.withLock { options in
            change(&options)
            return options
        }
        reporter.replaceHandler(options.onDiagnostic)
        control.setGate(.logsEvents) { options.logEvents }
        behavior.settingsChanged(
            to: BehaviorSettings(sessionTimeout: options.sessionTimeout, capture: options.capture)
        )
    }
}
