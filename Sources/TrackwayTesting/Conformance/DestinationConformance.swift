// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
public import TrackwayWire

/// Checks that an implementation of `Destination` keeps the rules delivery builds on: above all that nothing but the
/// back-end's own word lets go of an event.
///
/// Independent of any test framework: it returns what it found.
/// ```swift
/// @Test("my destination keeps delivery's rules")
/// func conforms() {
///     let findings = DestinationConformance.findings(answeredBy: .collector) {
///         CollectorDestination(url: "http://127.0.0.1:8787", writeKey: "test")
///     }
///     #expect(findings.isEmpty, "\(findings)")
/// }
/// ```
public enum DestinationConformance {
    /// Everything that is wrong; empty when the destination conforms.
    ///
    /// - Parameters:
    ///   - backEnd: how the destination's back-end answers.
    ///   - makeDestination: makes the destination, with the same settings every time.
    public static func findings(
        answeredBy backEnd: ConformanceBackEnd,
        _ makeDestination: () -> any Destination
    ) -> [ConformanceFinding] {
        var run = DestinationConformanceRun(
            destination: makeDestination(),
            twin: makeDestination(),
            backEnd: backEnd
        )
        run.checkSettings()
        for (name, batch) in ConformanceBatches.all {
            run.checkRequest(batch, name)
            run.checkVerdicts(batch, name)
        }
        return run.findings
    }
}
