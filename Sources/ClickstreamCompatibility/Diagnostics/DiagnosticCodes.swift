// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

extension Diagnostic.Code {
    /// The SDK is already initialized.
    ///
    /// Cause: `initSDK` was called a second time and ignored.
    ///
    /// Remedy: Change what `getClickstreamConfiguration` returns instead.
    public static let initializedTwice = Diagnostic.Code(rawValue: "initialised_twice", severity: .warning)

    /// A call was made before initialization.
    ///
    /// Cause: Calls were made before `initSDK`, and were ignored.
    ///
    /// Remedy: Call `initSDK` first.
    public static let calledBeforeInitialization = Diagnostic.Code(
        rawValue: "called_before_initialisation",
        severity: .error
    )

    /// The configuration was changed to invalid values.
    ///
    /// Cause: A setting was changed to an invalid value; the previous one stays in use.
    ///
    /// Remedy: Correct the setting that the message names.
    public static let configurationInvalid = Diagnostic.Code(rawValue: "configuration_invalid", severity: .error)

    /// A configuration key is unknown.
    ///
    /// Cause: A key of `amplifyconfiguration.json` is unsupported and was ignored.
    ///
    /// Remedy: Correct its spelling, remove it, or set it with `ClickstreamConfiguration`.
    public static let configurationKeyUnknown = Diagnostic.Code(
        rawValue: "configuration_key_unknown",
        severity: .warning
    )

    /// An attribute exceeds a limit of Clickstream.
    ///
    /// Cause: An attribute breaks a limit of the Clickstream SDK and was left out.
    ///
    /// Remedy: Stay within the documented limits of the Clickstream SDK.
    public static let limitBroken = Diagnostic.Code(rawValue: "limit_broken", severity: .warning)
}
