// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SAPUsageCompatibility

func documentReportsFlexibly() {
// get the default reporter
let reporter = Usage.shared.reporter()
// report session start event
reporter.report(.sessionStart)
// ...
// report custom event
reporter.report(.event("SomeCustomEvent"))
// ...
// report custom event with additional info
reporter.report(.event("SomeCustomEvent"), info: ["MyCustomKey": "MyCustomData"])
}
