// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SAPUsageCompatibility

/// The document's calls, with its editor placeholders filled in.
func documentReportsInTheFormat() {
// Only the applicationID and applicationVersion fields are used from the settingsParameter.
SAPcpmsUsage.sessionStart(applicationIdentifier: "org.example.shop", applicationVersion: "3.2.0")
// ...
SAPcpmsUsage.event(type: "testType", key: "testKey")
SAPcpmsUsage.sessionEnd()
}

func documentReportsToAnyTarget() {
let reporter: UsageReporter
reporter = Usage.shared.reporter(for: "myTarget")
reporter.report(SAPcpmsRecord.sessionStart(applicationIdentifier: "org.example.shop", applicationVersion: "3.2.0"))
// ...
reporter.report(SAPcpmsRecord.event(type: "testType", key: "testKey"))
}
