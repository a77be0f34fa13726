// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What may change while an ``Analytics`` works; see ``Analytics/reconfigure(_:)``.
public struct RuntimeOptions: Sendable {
    /// Whether each event is also written to standard error as it is recorded.
    public var logEvents: Bool
    /// Is told about every mistake and difficulty; nil writes to standard error, a few lines per kind and minute.
    public var onDiagnostic: (@Sendable (Diagnostic) -> Void)?

    init(_ configuration: Configuration) {
        logEvents = configuration.logEvents
        onDiagnostic = configuration.onDiagnostic
    }
}
