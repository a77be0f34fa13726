// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
internal import TrackwayEvents

extension Analytics {
    /// Switches the SDK off: nothing is recorded and nothing is sent; what waits stays. Survives restarts.
    public func disable() {
        settings.change { $0.isEnabled = false }
        consents.follow()
        snapshots?.permissionChanged()
    }

    /// Switches the SDK on again. Survives restarts.
    public func enable() {
        settings.change { $0.isEnabled = true }
        consents.follow()
        behavior.begin()
        snapshots?.permissionChanged()
    }

    /// Whether the SDK is switched on.
    public var isEnabled: Bool { control.machine.isEnabled }

    /// Changes what may change at run time. A destination whose settings were found wrong is asked again.
    ///
    /// ```swift
    /// analytics.reconfigure { $0.logEvents = true }
    /// ```
    /// A number that no app means is brought within its bounds, as one of the ``Configuration`` is, and told as a
    /// `Diagnostic`.
    ///
    /// - Parameter change: is called once, at once, on the calling thread; it must not call the SDK.
    public func reconfigure(_ change: (inout RuntimeOptions) -> Void) {
        var bounds = SettingBounds()
        let options = options.withLock { options in
            change(&options)
            options = bounds.runtimeOptions(options)
            return options
        }
        reporter.replaceHandler(options.onDiagnostic)
        reporter.report(bounds.diagnostics)
        recorder.log.use(options.eventLogForm)
        control.setGate(.logsEvents) { options.logEvents }
        delivery.wakeParked()
        applyCapture()
        snapshots?.allows(motion: options.allowsMotion, location: options.allowsLocation)
    }
}
